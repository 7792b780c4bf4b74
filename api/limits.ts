import type { Redis, Result } from "ioredis";
import { queueOf, queuePrefix } from "../contract/job.ts";
import type { Pool } from "../contract/operation.ts";

/**
 * One round trip per call: the key's rate (GCRA over one second), its calls in flight, and the room in
 * the pool's queue. Calls in flight are sorted sets by deadline, so that those of a crashed process
 * fall out by themselves; a call counts for its pool from here on, before its job is added, so that a
 * burst cannot pass the check together. The clock is Redis's own.
 */
const acquireScript = `
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local rate = tonumber(ARGV[2])
local interval = 1000 / rate
local tat = tonumber(redis.call('GET', KEYS[1]) or '0')
if tat < now then tat = now end
local room = math.floor((now + 1000 - tat) / interval + 0.000001)
if room < 1 then return {0, 0, math.ceil(tat + interval - now - 1000), 0} end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then return {-1, room, 0, 0} end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
local waiting = math.max(redis.call('LLEN', KEYS[4]), redis.call('ZCARD', KEYS[3]) - tonumber(ARGV[5]))
if waiting >= tonumber(ARGV[6]) then return {-2, room, 0, waiting} end
redis.call('SET', KEYS[1], tat + interval, 'PX', 2000)
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[4]), ARGV[1])
redis.call('PEXPIRE', KEYS[2], 180000)
redis.call('ZADD', KEYS[3], now + tonumber(ARGV[4]), ARGV[1])
redis.call('PEXPIRE', KEYS[3], 180000)
return {1, room - 1, 0, waiting}`;

declare module "ioredis" {
  interface RedisCommander<Context> {
    acquireCall(
      ...keysAndArguments: (string | number)[]
    ): Result<[number, number, number, number], Context>;
  }
}

/** Teaches a connection the script, so that a call sends its hash and not its text. */
export function defineLimits(redis: Redis): void {
  redis.defineCommand("acquireCall", { numberOfKeys: 4, lua: acquireScript });
}

export interface Limits {
  ratePerSecond: number;
  maxInFlight: number;
}

export interface Acquired {
  kind: "ok" | "rate" | "concurrency" | "queue";
  /** Calls that the rate still allows right now. */
  remaining: number;
  /** Milliseconds until the rate allows the next call. */
  waitMs: number;
  /** Calls that wait in the pool's queue or are on their way there. */
  waiting: number;
}

/** Who asks for a place, and where. */
interface Place {
  requestId: string;
  keyId: string;
  pool: Pool;
}

const kinds: Record<number, Acquired["kind"]> = {
  1: "ok",
  0: "rate",
  [-1]: "concurrency",
  [-2]: "queue",
};
const flightKey = (keyId: string) => `${queuePrefix}:limits:flight:${keyId}`;
const poolKey = (pool: Pool) => `${queuePrefix}:limits:pool:${pool}`;

/** Takes a place; asking again under the same request id takes the same one. */
export async function acquire(
  redis: Redis,
  place: Place,
  limits: Limits,
  bounds: {
    /** After this many milliseconds the place falls free by itself. */
    lastsMs: number;
    /** Jobs the pool runs at once. */
    slots: number;
    /** Jobs that may wait. */
    room: number;
  },
): Promise<Acquired> {
  const [verdict, remaining, waitMs, waiting] = await redis.acquireCall(
    `${queuePrefix}:limits:rate:${place.keyId}`,
    flightKey(place.keyId),
    poolKey(place.pool),
    `${queuePrefix}:${queueOf(place.pool)}:wait`,
    place.requestId,
    limits.ratePerSecond,
    limits.maxInFlight,
    bounds.lastsMs,
    bounds.slots,
    bounds.room,
  );
  return { kind: kinds[verdict] ?? "ok", remaining, waitMs, waiting };
}

/** A place that is not given back falls free at the call's deadline. */
export async function release(redis: Redis, place: Place): Promise<void> {
  await Promise.all([
    redis.zrem(flightKey(place.keyId), place.requestId),
    redis.zrem(poolKey(place.pool), place.requestId),
  ]).catch(() => undefined);
}

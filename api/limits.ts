import type { Redis, Result } from "ioredis";
import { queueOf, queuePrefix } from "../contract/job.ts";
import type { Pool } from "../contract/operation.ts";

/**
 * One round trip per call: the key's rate (GCRA over one second), its calls in flight, and how many
 * jobs wait in the pool's queue. Calls in flight are a sorted set by deadline, so that those of a
 * crashed process fall out by themselves. The clock is Redis's own.
 */
const acquireScript = `
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local rate = tonumber(ARGV[2])
local interval = 1000 / rate
local tat = tonumber(redis.call('GET', KEYS[1]) or '0')
if tat < now then tat = now end
local room = math.floor((now + 1000 - tat) / interval + 0.000001)
local waiting = redis.call('LLEN', KEYS[3])
if room < 1 then return {0, 0, math.ceil(tat + interval - now - 1000), 0, waiting} end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local flying = redis.call('ZCARD', KEYS[2])
if flying >= tonumber(ARGV[3]) then return {-1, room, 0, flying, waiting} end
redis.call('SET', KEYS[1], tat + interval, 'PX', 2000)
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[4]), ARGV[1])
redis.call('PEXPIRE', KEYS[2], 180000)
return {1, room - 1, 0, flying + 1, waiting}`;

declare module "ioredis" {
  interface RedisCommander<Context> {
    acquireCall(
      ...keysAndArguments: (string | number)[]
    ): Result<[number, number, number, number, number], Context>;
  }
}

/** Teaches a connection the script, so that a call sends its hash and not its text. */
export function defineLimits(redis: Redis): void {
  redis.defineCommand("acquireCall", { numberOfKeys: 3, lua: acquireScript });
}

export interface Limits {
  ratePerSecond: number;
  maxInFlight: number;
}

export interface Acquired {
  kind: "ok" | "rate" | "concurrency";
  /** Calls that the rate still allows right now. */
  remaining: number;
  /** Milliseconds until the rate allows the next call. */
  waitMs: number;
  /** Jobs waiting in the pool's queue. */
  waiting: number;
}

const flightKey = (keyId: string) => `${queuePrefix}:limits:flight:${keyId}`;

export async function acquire(
  redis: Redis,
  call: { requestId: string; keyId: string; pool: Pool; lastsMs: number },
  limits: Limits,
): Promise<Acquired> {
  const [verdict, remaining, waitMs, , waiting] = await redis.acquireCall(
    `${queuePrefix}:limits:rate:${call.keyId}`,
    flightKey(call.keyId),
    `${queuePrefix}:${queueOf(call.pool)}:wait`,
    call.requestId,
    limits.ratePerSecond,
    limits.maxInFlight,
    call.lastsMs,
  );
  const kind = verdict === 1 ? "ok" : verdict === 0 ? "rate" : "concurrency";
  return { kind, remaining, waitMs, waiting };
}

/** A place that is not given back falls free at the call's deadline. */
export async function release(redis: Redis, keyId: string, requestId: string): Promise<void> {
  await redis.zrem(flightKey(keyId), requestId).catch(() => 0);
}

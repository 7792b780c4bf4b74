import type { Redis, Result } from "ioredis";
import { queueOf, queuePrefix } from "../contract/job.ts";
import type { Pool } from "../contract/operation.ts";

/**
 * The key's rate (GCRA over one second), its calls in flight, and the room in the pool's queue, for all
 * calls of one key and pool that arrived together; before that, places that are given back. Calls in
 * flight are sorted sets by deadline, so that those of a crashed process fall out by themselves; a call
 * counts for its pool from here on, before its job is added, so that a burst cannot pass the check
 * together. The clock is Redis's own.
 */
const acquireScript = `
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local interval = 1000 / tonumber(ARGV[1])
local most = tonumber(ARGV[2])
local back = tonumber(ARGV[4])
if back > 0 then
  redis.call('ZREM', KEYS[2], unpack(ARGV, 5, 4 + back))
  redis.call('ZREM', KEYS[3], unpack(ARGV, 5, 4 + back))
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
local tat = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
local flying = redis.call('ZCARD', KEYS[2])
local beyond = redis.call('ZCARD', KEYS[3]) - tonumber(ARGV[3])
local listed = redis.call('LLEN', KEYS[4])
local taken, verdicts = {}, {}
for i = 5 + back, #ARGV, 3 do
  local left = math.floor((now + 1000 - tat) / interval + 0.000001)
  local waiting = math.max(listed, beyond)
  local verdict, wait = 1, 0
  if left < 1 then
    verdict, left, wait = 0, 0, math.ceil(tat + interval - now - 1000)
  elseif flying >= most then
    verdict = -1
  elseif waiting >= tonumber(ARGV[i + 2]) then
    verdict = -2
  else
    tat, left, flying, beyond = tat + interval, left - 1, flying + 1, beyond + 1
    taken[#taken + 1] = now + tonumber(ARGV[i + 1])
    taken[#taken + 1] = ARGV[i]
  end
  for _, value in ipairs({verdict, left, wait, waiting}) do verdicts[#verdicts + 1] = value end
end
if #taken > 0 then
  redis.call('SET', KEYS[1], tat, 'PX', 2000)
  for i = 2, 3 do
    redis.call('ZADD', KEYS[i], unpack(taken))
    redis.call('PEXPIRE', KEYS[i], 180000)
  end
end
return verdicts`;

declare module "ioredis" {
  interface RedisCommander<Context> {
    acquireCalls(...keysAndArguments: (string | number)[]): Result<number[], Context>;
  }
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
export interface Place {
  requestId: string;
  keyId: string;
  pool: Pool;
}

export interface Bounds {
  /** After this many milliseconds the place falls free by itself. */
  lastsMs: number;
  /** Jobs the pool runs at once. */
  slots: number;
  /** Jobs that may wait. */
  room: number;
}

const kinds: Record<number, Acquired["kind"]> = {
  1: "ok",
  0: "rate",
  [-1]: "concurrency",
  [-2]: "queue",
};
const flightKey = ({ keyId }: Place) => `${queuePrefix}:limits:flight:${keyId}`;
const poolKey = ({ pool }: Place) => `${queuePrefix}:limits:pool:${pool}`;

interface Asking {
  place: Place;
  limits: Limits;
  bounds: Bounds;
  resolve: (acquired: Acquired) => void;
  reject: (error: unknown) => void;
}

interface Returning {
  place: Place;
  resolve: () => void;
}

/** What one key asks of one pool: while a batch is on its way the next one gathers. */
interface Gathering {
  asking: Asking[];
  returning: Returning[];
}

/** Most calls of one script; Lua's stack bounds what it can unpack. */
const most = 500;

/** Places within a key's rate and concurrency and a pool's queue. */
export interface Gate {
  /** Takes a place; asking again under the same request id takes the same one. */
  acquire(place: Place, limits: Limits, bounds: Bounds): Promise<Acquired>;
  /** A place that is not given back falls free at the call's deadline. */
  release(place: Place): Promise<void>;
}

export function createGate(redis: Redis): Gate {
  redis.defineCommand("acquireCalls", { numberOfKeys: 4, lua: acquireScript });
  const gatherings = new Map<string, Gathering>();

  function join(place: Place, add: (gathering: Gathering) => void): void {
    const name = `${place.keyId}:${place.pool}`;
    const known = gatherings.get(name);
    const gathering = known ?? { asking: [], returning: [] };
    add(gathering);
    if (known) return;
    gatherings.set(name, gathering);
    void drain(name, gathering);
  }

  async function drain(name: string, gathering: Gathering): Promise<void> {
    while (gathering.asking.length + gathering.returning.length > 0) {
      const returning = gathering.returning.splice(0, most);
      await send(gathering.asking.splice(0, most), returning);
      for (const { resolve } of returning) resolve();
    }
    gatherings.delete(name);
  }

  /** Never throws. What could not be given back falls free by itself. */
  async function send(asking: Asking[], returning: Returning[]): Promise<void> {
    const back = returning.map(({ place }) => place.requestId);
    try {
      if (asking.length > 0) await ask(asking, back);
      else {
        const { place } = returning[0] as Returning;
        await Promise.all([flightKey(place), poolKey(place)].map((key) => redis.zrem(key, back)));
      }
    } catch (error) {
      for (const { reject } of asking) reject(error);
    }
  }

  async function ask(asking: Asking[], back: string[]): Promise<void> {
    // What an account may do can change between two calls; the latest counts.
    const { place, limits, bounds } = asking.at(-1) as Asking;
    const verdicts = await redis.acquireCalls(
      `${queuePrefix}:limits:rate:${place.keyId}`,
      flightKey(place),
      poolKey(place),
      `${queuePrefix}:${queueOf(place.pool)}:wait`,
      limits.ratePerSecond,
      limits.maxInFlight,
      bounds.slots,
      back.length,
      ...back,
      ...asking.flatMap((call) => [call.place.requestId, call.bounds.lastsMs, call.bounds.room]),
    );
    asking.forEach(({ resolve }, index) => {
      const [verdict, remaining, waitMs, waiting] = verdicts.slice(index * 4, index * 4 + 4) as [
        number,
        number,
        number,
        number,
      ];
      resolve({ kind: kinds[verdict] ?? "ok", remaining, waitMs, waiting });
    });
  }

  return {
    acquire: (place, limits, bounds) =>
      new Promise((resolve, reject) => {
        join(place, ({ asking }) => asking.push({ place, limits, bounds, resolve, reject }));
      }),
    release: (place) =>
      new Promise((resolve) => {
        join(place, ({ returning }) => returning.push({ place, resolve }));
      }),
  };
}

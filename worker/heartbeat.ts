import type { Redis } from "ioredis";
import { hostname } from "node:os";
import type { StoreClock } from "../runtime/store-clock.ts";
import { type Heartbeat, heartbeatEveryMs, heartbeatFreshMs } from "../runtime/queue.ts";
import { heartbeatKey } from "../runtime/redis/keys.ts";

/** Another worker removes the heartbeat of a killed worker after this long. */
const lostAfterMs = 5 * heartbeatFreshMs;

/** The host name lets a container find the heartbeat of its own worker. */
export const processName = `${hostname()}-${process.pid}`;

interface HeartbeatSettings {
  /** One of the worker's connections. */
  redis: Redis;
  clock: StoreClock;
  /** A pool, or the queue of webhooks. */
  of: Parameters<typeof heartbeatKey>[0];
  /** BullMQ's id of the worker; a process has one for each queue. */
  workerId: string;
  read: () => Omit<Heartbeat, "at">;
}

/** Writes a worker's heartbeat and load to Redis at intervals, or when called; the first one before it returns. */
export async function startHeartbeat({ redis, clock, of, workerId, read }: HeartbeatSettings) {
  const key = heartbeatKey(of);
  const id = `${processName}-${workerId}`;

  async function beat(): Promise<void> {
    await clock.measure(redis);
    const heartbeat: Heartbeat = { at: clock.now(), ...read() };
    await redis.hset(key, id, JSON.stringify(heartbeat));
    const lost = Object.entries(await redis.hgetall(key))
      .filter(([, json]) => heartbeat.at - (JSON.parse(json) as Heartbeat).at > lostAfterMs)
      .map(([worker]) => worker);
    if (lost.length > 0) await redis.hdel(key, ...lost);
  }

  // Other code reports that Redis is unreachable.
  const beatIfPossible = () => beat().catch(() => undefined);
  await beatIfPossible();
  const timer = setInterval(() => void beatIfPossible(), heartbeatEveryMs);
  return {
    /** Writes one now, as the state has changed. */
    now: () => void beatIfPossible(),
    async stop(): Promise<void> {
      clearInterval(timer);
      await redis.hdel(key, id).catch(() => undefined);
    },
  };
}

import type { Redis } from "ioredis";
import { hostname } from "node:os";
import type { StoreClock } from "../contract/clock.ts";
import {
  type Heartbeat,
  heartbeatEveryMs,
  heartbeatFreshMs,
  heartbeatKey,
} from "../contract/job.ts";

/** A worker that was killed leaves its heartbeat behind; another takes it away after this long. */
const lostAfterMs = 5 * heartbeatFreshMs;

/** The host name lets a container find the heartbeat of its own worker. */
export const processName = `${hostname()}-${process.pid}`;

interface Beating {
  /** Of one of the worker's connections. */
  redis: Redis;
  clock: StoreClock;
  /** What is worked: a pool, or the queue of webhooks. */
  of: Parameters<typeof heartbeatKey>[0];
  /** BullMQ's id of the worker: a process has one for each queue. */
  workerId: string;
  read: () => Omit<Heartbeat, "at">;
}

/** Tells Redis now and then that a worker is there and what it has to do. The first one is told on return. */
export async function startHeartbeat({ redis, clock, of, workerId, read }: Beating) {
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

  // Redis being away is reported by those who need it.
  const beatIfPossible = () => beat().catch(() => undefined);
  await beatIfPossible();
  const timer = setInterval(() => void beatIfPossible(), heartbeatEveryMs);
  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await redis.hdel(key, id).catch(() => undefined);
    },
  };
}

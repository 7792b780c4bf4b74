import { queuePrefix } from "./job.ts";

/** How a connection to Redis learns that its server has gone, or may not be written to any more. */

/** Behind the address there is, or soon will be, another server than the one that says this. */
const elsewhere = /\b(READONLY|LOADING|CLUSTERDOWN|NOREPLICAS|MASTERDOWN|UNBLOCKED)\b/;

/** One answer of a burst is enough to reconnect for. */
const leastBetweenMs = 200;

/**
 * Options (ioredis) of a lasting connection. A server that says nothing to a command for `socketTimeout`
 * is gone, as is one whose network has lost the connection without a word. What was refused was not
 * done: with `again` it is asked of the next server, without it whoever asked asks again.
 */
export function lasting(again: boolean) {
  let reconnectedAt = -Infinity;
  return {
    socketTimeout: 4000,
    connectTimeout: 4000,
    keepAlive: 1000,
    retryStrategy: (times: number) => Math.min(times * 50, 500),
    reconnectOnError(error: Error): false | 1 | 2 {
      const now = performance.now();
      if (!elsewhere.test(error.message) || now - reconnectedAt < leastBetweenMs) return false;
      reconnectedAt = now;
      return again ? 2 : 1;
    },
  };
}

/** Least seconds a worker waits for a job in one command: well below `socketTimeout`. */
export const blockSeconds = 2;

const everyMs = 2000;

/** What watching needs of a Redis client (ioredis). */
interface Watched {
  status: string;
  del(key: string): Promise<unknown>;
  once(event: "end", listener: () => void): unknown;
}

/**
 * A connection that only listens, or is seldom used, asks for something now and then. It is a write that
 * changes nothing, so that a server that became a replica is noticed as well.
 */
export function keepWatch(redis: Watched): void {
  const timer = setInterval(() => {
    if (redis.status === "ready") redis.del(`${queuePrefix}:none`).catch(() => undefined);
  }, everyMs);
  timer.unref();
  redis.once("end", () => clearInterval(timer));
}

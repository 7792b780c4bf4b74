import { queuePrefix } from "./job.ts";

/** How a connection to Redis learns that its server has gone, or may not be written to any more. */

/** Behind the address there is, or soon will be, another server than the one that says this. */
const elsewhere = /\b(READONLY|LOADING|CLUSTERDOWN|NOREPLICAS|MASTERDOWN|UNBLOCKED)\b/;

export const isElsewhere = (error: Error): boolean => elsewhere.test(error.message);

/**
 * Options (ioredis) of every lasting connection. A server that says nothing to a command for
 * `socketTimeout` is gone, as is one whose network has lost the connection without a word.
 */
export const lasting = {
  socketTimeout: 4000,
  connectTimeout: 4000,
  keepAlive: 1000,
  retryStrategy: (times: number) => Math.min(times * 100, 500),
  // What was refused was not done: it is asked of the next server again.
  reconnectOnError: (error: Error) => (isElsewhere(error) ? 2 : false),
} as const;

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

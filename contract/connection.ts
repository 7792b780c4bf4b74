import { queuePrefix } from "./job.ts";
import { type RedisNode, redisAddress } from "./redis-address.ts";

/** How a connection to Redis is made, and learns that its server has gone or may not be written to any more. */

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
    socketTimeout: 2500,
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
export const blockSeconds = 1;

const everyMs = 1000;

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

/** Options of a connection as every process means them, whatever stands behind the address. */
interface Options {
  retryStrategy?: (times: number) => number | null;
  reconnectOnError?: (error: Error) => false | 1 | 2;
  enableOfflineQueue?: boolean;
  [more: string]: unknown;
}

/** What is needed of ioredis, which this folder does not import. */
export interface RedisDriver<R> {
  Redis: { new (url: string, options: object): R; new (options: object): R };
}

/** A client for what REDIS_URL names. */
export function openRedis<R>({ Redis }: RedisDriver<R>, url: string, options: Options = {}): R {
  const address = redisAddress(url);
  if (address === undefined) throw new Error("REDIS_URL is no address of a Redis");
  if (address.kind === "single") return new Redis(address.url, options);
  const rest = { ...options, ...loginOf(address), ...(address.tls ? { tls: {} } : {}) };
  if (address.kind === "cluster") return new Redis(atHome(address.nodes, rest));
  const { username, password } = address.sentinelLogin;
  return new Redis({
    ...rest,
    sentinels: address.nodes,
    name: address.name,
    db: address.db,
    ...(address.tls ? { enableTLSForSentinelMode: true } : {}),
    ...(username === undefined ? {} : { sentinelUsername: username }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
    // A Sentinel whose machine is gone says nothing; the next one is asked.
    sentinelCommandTimeout: 1000,
    sentinelRetryStrategy: options.retryStrategy,
    // No failoverDetector: one that hears of the new master while a client looks for it ends that client for
    // good. A master that is gone is noticed by its silence, one that was replaced by its refusals.
  });
}

const loginOf = ({ username, password }: { username?: string; password?: string }) => ({
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
});

/** The options of one client, which it reads again whenever it connects. */
interface Place extends RedisNode {
  wasMoved?: boolean;
}

const moved = /^MOVED \d+ (\S+):(\d+)$/;

/**
 * Options of a client that stays with the one node of a cluster that keeps our keys: whichever node it asks
 * tells which that is. So everything holds that holds of one server: the order of commands, blocking ones,
 * what is said to a connection that is back. ioredis has a client of its own for clusters, which BullMQ
 * closes and opens while its nodes still end, so that a worker waits for ever.
 */
function atHome(nodes: readonly RedisNode[], options: Options): object {
  const known = [...nodes];
  const has =
    ({ host, port }: RedisNode) =>
    (one: RedisNode) =>
      one.host === host && one.port === port;
  const next = (place: Place): RedisNode =>
    known[(known.findIndex(has(place)) + 1) % known.length] as RedisNode;
  return {
    ...options,
    ...nodes[0],
    retryStrategy(this: Place, times: number): number | null {
      if (this.wasMoved) {
        this.wasMoved = false;
        return 0;
      }
      const pauseMs = options.retryStrategy ? options.retryStrategy(times) : times * 50;
      // The node itself may only have lost a connection.
      if (times > 1 || pauseMs === null) Object.assign(this, next(this));
      return pauseMs ?? (times < known.length ? 0 : null);
    },
    reconnectOnError(this: Place, error: Error): false | 1 | 2 {
      const [, host = "", port] = moved.exec(error.message) ?? [];
      if (port === undefined) return options.reconnectOnError?.(error) ?? false;
      // One answer of a burst is enough to move for.
      if (this.wasMoved) return false;
      // Without a name it is the node that was asked.
      const home = { host: host === "" ? this.host : host, port: Number(port) };
      if (!known.some(has(home))) known.push(home);
      Object.assign(this, home);
      this.wasMoved = true;
      return options.enableOfflineQueue === false ? 1 : 2;
    },
  };
}

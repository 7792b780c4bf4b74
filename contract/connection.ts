import { queuePrefix } from "./job.ts";
import { type RedisAddress, redisAddress } from "./redis-address.ts";

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
  connectTimeout?: number;
  commandTimeout?: number;
  enableOfflineQueue?: boolean;
  enableAutoPipelining?: boolean;
  lazyConnect?: boolean;
  [more: string]: unknown;
}

/** The two classes of ioredis, which this folder does not import. */
export interface RedisDriver<R> {
  Redis: { new (url: string, options: object): R; new (options: object): R };
  Cluster: new (nodes: { host: string; port: number }[], options: object) => unknown;
}

/**
 * A client for what REDIS_URL names. That of a cluster has every command of the other, and so passes for
 * one; what is asked of a server and not of a key is asked of the node that keeps our keys.
 */
export function openRedis<R>(driver: RedisDriver<R>, url: string, options: Options = {}): R {
  const address = redisAddress(url);
  if (address === undefined) throw new Error("REDIS_URL is no address of a Redis");
  if (address.kind === "single") return new driver.Redis(address.url, options);
  if (address.kind === "sentinel") return new driver.Redis(sentinelOptions(address, options));
  const { nodes } = address;
  return homed(new driver.Cluster(nodes, clusterOptions(address, options)) as R & Homed);
}

const loginOf = ({ username, password }: { username?: string; password?: string }) => ({
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
});

function sentinelOptions(address: RedisAddress & { kind: "sentinel" }, options: Options) {
  const { sentinelLogin, tls } = address;
  return {
    ...options,
    ...loginOf(address),
    sentinels: address.nodes,
    name: address.name,
    db: address.db,
    ...(tls ? { tls: {}, enableTLSForSentinelMode: true } : {}),
    ...(sentinelLogin.username === undefined ? {} : { sentinelUsername: sentinelLogin.username }),
    ...(sentinelLogin.password === undefined ? {} : { sentinelPassword: sentinelLogin.password }),
    // A Sentinel whose machine is gone says nothing; the next one is asked.
    sentinelCommandTimeout: 1000,
    sentinelRetryStrategy: options.retryStrategy,
    // No failoverDetector: one that hears of the new master while a client looks for it ends that client for
    // good. A master that is gone is noticed by its silence, one that was replaced by its refusals.
  };
}

/** Redirections, each after 100 ms: about as long as one command may take. */
const mostRedirections = 20;

function clusterOptions(address: RedisAddress & { kind: "cluster" }, options: Options) {
  // Which node to ask again, and when, is the cluster's to know.
  const {
    retryStrategy,
    reconnectOnError: _,
    enableAutoPipelining,
    lazyConnect,
    ...node
  } = options;
  return {
    ...(retryStrategy === undefined ? {} : { clusterRetryStrategy: retryStrategy }),
    ...(lazyConnect === undefined ? {} : { lazyConnect }),
    ...(enableAutoPipelining === undefined ? {} : { enableAutoPipelining }),
    enableOfflineQueue: options.enableOfflineQueue ?? true,
    maxRedirections: mostRedirections,
    slotsRefreshTimeout: 2000,
    // Also who has been told nothing for a while hears of nodes that came and went.
    slotsRefreshInterval: 5000,
    redisOptions: {
      ...node,
      ...loginOf(address),
      ...(address.tls ? { tls: {} } : {}),
      // Of a node; what waits for the cluster itself is decided above.
      enableOfflineQueue: true,
    },
  };
}

interface Homed {
  status: string;
  eval(script: string, keys: number, ...args: (string | number)[]): Promise<unknown>;
  on(event: "-node", listener: () => void): void;
  emit(event: "ready"): void;
}

/** Commands without a key, which a cluster would send anywhere. */
const ofTheServer = ["time", "info", "dbsize", "ping"] as const;

function homed<R extends Homed>(cluster: R): R {
  const atHome = (...command: string[]) =>
    cluster.eval("return redis.call(unpack(ARGV))", 1, `${queuePrefix}:none`, ...command);
  let asking = false;
  // As the client of one server does: what was told before may be forgotten, and what was said unheard.
  cluster.on("-node", () => {
    if (asking) return;
    asking = true;
    const again = (): void => {
      if (cluster.status === "end") return;
      atHome("ping").then(
        () => {
          asking = false;
          cluster.emit("ready");
        },
        () => void setTimeout(again, leastBetweenMs).unref(),
      );
    };
    again();
  });
  const own = ofTheServer.map((name) => [name, (...args: string[]) => atHome(name, ...args)]);
  return Object.assign(cluster, Object.fromEntries(own));
}

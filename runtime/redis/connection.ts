import { Redis } from "ioredis";
import { queuePrefix } from "./keys.ts";
import { type Login, type RedisNode, redisAddress } from "./address.ts";

/** Opens connections to Redis, and notices a lost server or a failover to another one. */

/** Errors of a server that is, or soon will be, replaced by another one at the same address. */
const failoverErrors = /\b(READONLY|LOADING|CLUSTERDOWN|NOREPLICAS|MASTERDOWN|UNBLOCKED)\b/;

/** One error of a burst is enough to reconnect. */
const leastBetweenMs = 200;

/**
 * Options (ioredis) of a persistent connection. A server that leaves a command unanswered for
 * `socketTimeout` counts as lost, which also covers a connection that the network dropped silently.
 * A refused command had no effect: with `again` the next server gets it, otherwise the caller retries.
 */
export function persistentOptions(again: boolean) {
  let reconnectedAt = -Infinity;
  return {
    socketTimeout: 2500,
    connectTimeout: 4000,
    keepAlive: 1000,
    retryStrategy: (times: number) => Math.min(times * 50, 500),
    reconnectOnError(error: Error): false | 1 | 2 {
      const now = performance.now();
      if (!failoverErrors.test(error.message) || now - reconnectedAt < leastBetweenMs) return false;
      reconnectedAt = now;
      return again ? 2 : 1;
    },
  };
}

/** Seconds that a worker blocks for a job in one command: well below `socketTimeout`. */
export const blockSeconds = 1;

const everyMs = 1000;

/**
 * Keepalive for a connection that only listens or is seldom used. It sends a write that changes nothing,
 * so that a server that became a replica is noticed as well.
 */
export function keepAlive(redis: Redis): void {
  const timer = setInterval(() => {
    if (redis.status === "ready") redis.del(`${queuePrefix}:none`).catch(() => undefined);
  }, everyMs);
  timer.unref();
  redis.once("end", () => clearInterval(timer));
}

/**
 * Resolves when the client has a connection the next time, however often it fails before. Node's `once` would reject at
 * the first failure.
 */
export function nextReady(redis: Redis): Promise<void> {
  return new Promise((resolve) => redis.once("ready", () => resolve()));
}

/**
 * The answer of INFO; rejects while the client is not ready. ioredis sends an INFO among those of its own handshake, and
 * forgets it where that connection ends: it would never settle.
 */
export async function infoOf(redis: Redis, ...sections: string[]): Promise<string> {
  if (redis.status !== "ready") throw new Error("Redis has no connection that is ready");
  return redis.info(...sections);
}

/** Options of a connection, the same for a single server, Sentinel and a cluster. */
interface Options {
  retryStrategy?: (times: number) => number | null;
  reconnectOnError?: (error: Error) => false | 1 | 2;
  enableOfflineQueue?: boolean;
  [more: string]: unknown;
}

/**
 * A client for REDIS_URL. After a reconnection it subscribes again by itself and handles no refusal of that, so
 * a connection that ends meanwhile would end the process.
 */
export function openRedis(url: string, options: Options = {}): Redis {
  const redis = newClient(url, options);
  const subscribe: (...channels: never[]) => Promise<unknown> = redis.subscribe.bind(redis);
  redis.subscribe = (...channels: unknown[]) => {
    const subscribed = subscribe(...(channels as never[]));
    subscribed.catch(() => undefined);
    return subscribed;
  };
  return redis;
}

function newClient(url: string, options: Options): Redis {
  const address = redisAddress(url);
  if (address === undefined) throw new Error("REDIS_URL is no address of a Redis");
  if (address.kind === "single") return new Redis(address.url, options);
  const rest = { ...options, ...loginOf(address), ...(address.tls ? { tls: {} } : {}) };
  if (address.kind === "cluster") return new Redis(clusterOptions(address.nodes, rest));
  const { username, password } = address.sentinelLogin;
  return new Redis({
    ...rest,
    sentinels: address.nodes,
    name: address.name,
    db: address.db,
    ...(address.tls ? { enableTLSForSentinelMode: true } : {}),
    ...(username === undefined ? {} : { sentinelUsername: username }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
    // A Sentinel on a lost machine does not answer; the client then asks the next one.
    sentinelCommandTimeout: 1000,
    sentinelRetryStrategy: options.retryStrategy,
    // No failoverDetector: a message about the new master during a reconnect would end the client for good.
    // `socketTimeout` notices a lost master, `reconnectOnError` a replaced one.
  });
}

const loginOf = ({ username, password }: Login) => ({
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
});

/** The options of one client, which ioredis reads again on every connect. */
interface NodeOptions extends RedisNode {
  wasMoved?: boolean;
}

const moved = /^MOVED \d+ (\S+):(\d+)$/;

/**
 * Options of a client that stays with the one cluster node that keeps our keys; every other node redirects
 * to it (MOVED). So a cluster behaves like one server: order of commands, blocking commands, set-up after
 * a reconnect. BullMQ closes and reopens ioredis's own cluster client while its nodes still end, which
 * leaves a worker waiting for ever.
 */
function clusterOptions(nodes: readonly RedisNode[], options: Options): object {
  const known = [...nodes];
  const has =
    ({ host, port }: RedisNode) =>
    (one: RedisNode) =>
      one.host === host && one.port === port;
  const next = (node: RedisNode): RedisNode =>
    known[(known.findIndex(has(node)) + 1) % known.length] as RedisNode;
  return {
    ...options,
    ...nodes[0],
    retryStrategy(this: NodeOptions, times: number): number | null {
      if (this.wasMoved) {
        this.wasMoved = false;
        return 0;
      }
      const pauseMs = options.retryStrategy ? options.retryStrategy(times) : times * 50;
      // The first retry goes to the same node, which may only have lost a connection.
      if (times > 1 || pauseMs === null) Object.assign(this, next(this));
      return pauseMs ?? (times < known.length ? 0 : null);
    },
    reconnectOnError(this: NodeOptions, error: Error): false | 1 | 2 {
      const [, host = "", port] = moved.exec(error.message) ?? [];
      if (port === undefined) return options.reconnectOnError?.(error) ?? false;
      // One redirect of a burst is enough to move.
      if (this.wasMoved) return false;
      // An empty host means the node that sent the redirect.
      const owner = { host: host === "" ? this.host : host, port: Number(port) };
      if (!known.some(has(owner))) known.push(owner);
      Object.assign(this, owner);
      this.wasMoved = true;
      return options.enableOfflineQueue === false ? 1 : 2;
    },
  };
}

import { Queue } from "bullmq";
import type { FastifyBaseLogger } from "fastify";
import type { Redis } from "ioredis";
import { openRedis, persistentOptions } from "../runtime/redis/connection.ts";
import { queueOf, queuePrefix } from "../runtime/redis/keys.ts";
import { pools } from "../contract/operation.ts";
import { requireRedis } from "../runtime/redis/requirements.ts";
import { webhookQueue } from "../runtime/webhook-queue.ts";
import type { Database } from "../db/client.ts";
import type { Config } from "./config.ts";
import type { Queues } from "./state.ts";

const connectMs = 2_000;

/** The stores that the dashboards read, and change on an operator's request. */
export interface Stores {
  redis: Redis;
  /** The queue of each pool. */
  queues: Queues;
  webhooks: Queue;
  /** The queues of the pools and the queue of webhooks. */
  allQueues: Queue[];
  db: Database | undefined;
  close(): Promise<void>;
}

/** Opens the stores even while Redis is away. Calls `refuse` once Redis answers but is not usable. */
export async function openStores(
  { redisUrl, databaseUrl }: Pick<Config, "redisUrl" | "databaseUrl">,
  log: FastifyBaseLogger,
  refuse: (objection: string) => void,
): Promise<Stores> {
  const redis = connect(redisUrl, log);
  const queues: Queues = new Map(pools.map((pool) => [pool, openQueue(redis, queueOf(pool))]));
  const webhooks = openQueue(redis, webhookQueue);
  const allQueues = [...queues.values(), webhooks];
  void requireRedis(redis, (warning) => log.warn(warning)).catch((error: Error) =>
    refuse(error.message),
  );
  const [db] = await Promise.all([openDatabase(databaseUrl), firstOutcome(redis)]);
  return {
    redis,
    queues,
    webhooks,
    allQueues,
    db,
    async close() {
      await Promise.allSettled(allQueues.map((queue) => queue.close()));
      redis.disconnect();
      await db?.close();
    },
  };
}

/** Waits until the first attempt to connect has succeeded or failed, so that the first samples find Redis. */
async function firstOutcome(redis: Redis): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, connectMs);
  for (const event of ["ready", "error", "end"]) redis.once(event, resolve);
  await promise;
  clearTimeout(timer);
  for (const event of ["ready", "error", "end"]) redis.off(event, resolve);
}

function connect(url: string, log: FastifyBaseLogger): Redis {
  const redis = openRedis(url, {
    ...persistentOptions(false),
    // A page that shows "Redis is down" is better than a page that waits for Redis.
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: 2_000,
    connectTimeout: connectMs,
    retryStrategy: (times) => Math.min(times * 200, 2_000),
  });
  let down = false;
  redis.on("error", (error: NodeJS.ErrnoException) => {
    if (!down) log.error({ code: error.code }, "Redis is not reachable");
    down = true;
  });
  redis.on("ready", () => {
    if (down) log.info("Redis is back");
    down = false;
  });
  return redis;
}

function openQueue(redis: Redis, name: string): Queue {
  const queue = new Queue(name, {
    connection: redis,
    prefix: queuePrefix,
    skipVersionCheck: true,
    // The dashboards only read, so the producer's metadata must stay.
    skipMetasUpdate: true,
  });
  queue.on("error", () => undefined); // The shared connection logs the error once.
  return queue;
}

/** Loads the database layer only where a database is configured, because the layer takes memory. */
async function openDatabase(url: string | undefined): Promise<Database | undefined> {
  if (url === undefined) return undefined;
  const { connect } = await import("../db/client.ts");
  return connect(url, { max: 3, name: "dashboards" });
}

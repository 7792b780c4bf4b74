import { once } from "node:events";
import { Queue } from "bullmq";
import type { FastifyBaseLogger } from "fastify";
import * as ioredis from "ioredis";
import type { Redis } from "ioredis";
import { lasting, openRedis } from "../contract/connection.ts";
import { queueOf, queuePrefix } from "../contract/job.ts";
import { pools } from "../contract/operation.ts";
import { needRedis } from "../contract/redis.ts";
import { webhookQueue } from "../contract/webhook.ts";
import type { Database } from "../db/client.ts";
import type { Config } from "./config.ts";
import type { Queues } from "./state.ts";

/** What the dashboards read, and act on where an operator says so. */
export interface Stores {
  redis: Redis;
  /** Of the pools. */
  queues: Queues;
  /** With that of webhooks. */
  allQueues: Queue[];
  db: Database | undefined;
  close(): Promise<void>;
}

/** Opens them while Redis is away, too; `refuse` is told when it is there and not to be worked with. */
export async function openStores(
  { redisUrl, databaseUrl }: Pick<Config, "redisUrl" | "databaseUrl">,
  log: FastifyBaseLogger,
  refuse: (objection: string) => void,
): Promise<Stores> {
  const redis = connect(redisUrl, log);
  const queues: Queues = new Map(pools.map((pool) => [pool, openQueue(redis, queueOf(pool))]));
  const allQueues = [...queues.values(), openQueue(redis, webhookQueue)];
  const db = await openDatabase(databaseUrl);
  redis.once("ready", () => {
    void needRedis(
      () => redis.info(),
      () => once(redis, "ready"),
      (warning) => log.warn(warning),
    ).catch((error: Error) => refuse(error.message));
  });
  return {
    redis,
    queues,
    allQueues,
    db,
    async close() {
      await Promise.allSettled(allQueues.map((queue) => queue.close()));
      redis.disconnect();
      await db?.close();
    },
  };
}

function connect(url: string, log: FastifyBaseLogger): Redis {
  const redis = openRedis(ioredis, url, {
    ...lasting(false),
    // A page that says Redis is down beats one that waits for it.
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: 2_000,
    connectTimeout: 2_000,
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
    // Only looks at the queue: what its producer wrote about it stays.
    skipMetasUpdate: true,
  });
  queue.on("error", () => undefined); // Told once by the shared connection.
  return queue;
}

/** Loaded only where there is a database: the layer above the driver takes memory. */
async function openDatabase(url: string | undefined): Promise<Database | undefined> {
  if (url === undefined) return undefined;
  const { connect } = await import("../db/client.ts");
  return connect(url, { max: 3, name: "dashboards" });
}

import { once } from "node:events";
import { Queue } from "bullmq";
import Fastify, { LogController, type FastifyInstance, type FastifyRequest } from "fastify";
import * as ioredis from "ioredis";
import type { Redis } from "ioredis";
import { redisTime } from "../contract/clock.ts";
import { queueOf, queuePrefix } from "../contract/job.ts";
import { pools } from "../contract/operation.ts";
import { lasting, openRedis } from "../contract/connection.ts";
import { needRedis } from "../contract/redis.ts";
import { webhookQueue } from "../contract/webhook.ts";
import type { Database } from "../db/client.ts";
import { decide } from "../db/controls.ts";
import { type BoardAct, bullBoard } from "./board.ts";
import { serveCapacity } from "./capacity/routes.ts";
import type { Config } from "./config.ts";
import { addControls } from "./controls/routes.ts";
import { type Logouts, guardDoor } from "./door.ts";
import { sessionSeconds } from "./login.ts";
import { readPublished, renderMetrics, type Reading } from "./metrics.ts";
import { startPage } from "./page.ts";
import { addPools } from "./pools/routes.ts";
import { readPools, readRedis, type Queues } from "./state.ts";
import { addStories } from "./story/routes.ts";

function connect(url: string, app: FastifyInstance): Redis {
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
    if (!down) app.log.error({ code: error.code }, "Redis is not reachable");
    down = true;
  });
  redis.on("ready", () => {
    if (down) app.log.info("Redis is back");
    down = false;
  });
  return redis;
}

const logoutKey = `${queuePrefix}:dashboards:logged-out`;

/** In Redis, so that a restart forgets no logout; while it is away what this process knows counts. */
function logoutsIn(redis: Redis): Logouts {
  let known = 0;
  return {
    async last() {
      const stored = await redis.get(logoutKey).catch(() => null);
      known = Math.max(known, Number(stored ?? 0));
      return known;
    },
    async note(at) {
      known = Math.max(known, at);
      await redis.set(logoutKey, at, "EX", sessionSeconds).catch(() => undefined);
    },
  };
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

/** The operators' server, ready to listen. It starts and stays up while Redis is away. */
export async function createApp(
  config: Config,
  refuse: (objection: string) => void = () => {},
): Promise<FastifyInstance> {
  const app = Fastify({
    logger: { level: config.logLevel },
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: 15_000,
    bodyLimit: 64 * 1024,
  });
  const redis = connect(config.redisUrl, app);
  const queues: Queues = new Map(pools.map((pool) => [pool, openQueue(redis, queueOf(pool))]));
  const allQueues = [...queues.values(), openQueue(redis, webhookQueue)];
  const db = await openDatabase(config.databaseUrl);
  redis.once("ready", () => {
    void needRedis(
      () => redis.info(),
      () => once(redis, "ready"),
      (warning) => app.log.warn(warning),
    ).catch((error: Error) => refuse(error.message));
  });

  const readState = async (): Promise<Reading> => {
    const [poolStates, redisState, published] = await Promise.all([
      redisTime(redis).then((now) => readPools(redis, queues, now)),
      readRedis(redis),
      readPublished(redis),
    ]);
    return { pools: poolStates, redis: redisState, published };
  };
  const read = async (request: FastifyRequest): Promise<Reading | undefined> => {
    try {
      return await readState();
    } catch (error) {
      request.log.warn(
        { reason: (error as Error).message },
        "could not read the state of the queues",
      );
      return undefined;
    }
  };

  guardDoor(app, config, logoutsIn(redis));

  app.get("/health", async (_request, reply) => {
    const answered = await redis.ping().catch(() => undefined);
    return reply.code(answered ? 200 : 503).send({ redis: answered ? "up" : "down" });
  });

  app.get("/metrics", async (request, reply) => {
    const { type, body } = await renderMetrics(await read(request));
    return reply.type(type).send(body);
  });

  app.get("/", async (request, reply) => {
    const writable = request.visitor.role === "operator";
    const view = { reading: await read(request), writable };
    return reply.type("text/html").send(startPage(view));
  });

  addStories(app, { db, redis }, async (request, problem) =>
    startPage({
      reading: await read(request),
      writable: request.visitor.role === "operator",
      problem,
    }),
  );

  serveCapacity(app, { redis, db, settings: config.capacity, read: readState });

  addPools(app, { redis, db, queues });
  addControls(app, db);
  const board = {
    path: "/queues",
    queues: allQueues,
    redis,
    writable: config.writable,
    async note({ who, act, target }: BoardAct) {
      if (!db) throw new Error("there is no database");
      await decide(db, { who, why: "on the board", kind: "job", target, effect: act });
    },
  };
  await app.register(bullBoard(board), { prefix: board.path });

  app.addHook("onClose", async () => {
    await Promise.allSettled(allQueues.map((queue) => queue.close()));
    redis.disconnect();
    await db?.close();
  });
  return app;
}

import { setTimeout as sleep } from "node:timers/promises";
import Fastify, { LogController, type FastifyInstance, type FastifyRequest } from "fastify";
import { logDestination } from "../runtime/log-destination.ts";
import { redisTime } from "../runtime/store-clock.ts";
import { decide } from "../db/controls.ts";
import { addAccounts } from "./accounts/routes.ts";
import { addChartFiles } from "./charts/routes.ts";
import { type BoardAct, bullBoard } from "./board.ts";
import { addCallList } from "./calls/routes.ts";
import { serveCapacity } from "./capacity/routes.ts";
import { addChanges } from "./changes/routes.ts";
import type { Config } from "./config.ts";
import { addControls } from "./controls/routes.ts";
import { guardDoor } from "./auth.ts";
import { formBodyLimit } from "./form-body.ts";
import { liveScript } from "./live.ts";
import { logoutsIn } from "./logouts.ts";
import { readPublished, renderMetrics, type Reading } from "./metrics.ts";
import { missingPage, nearAddresses } from "./missing.ts";
import { StoredMetrics } from "./stored-metrics.ts";
import { addPools } from "./pools/routes.ts";
import { addRunbooks } from "./runbooks.ts";
import { readPool, readPools, readRedis } from "./state.ts";
import { overviewPage } from "./status/page.ts";
import { StatusWatch } from "./status/read.ts";
import { RecentCounts } from "./status/recent.ts";
import { spanOf } from "./status/traffic.ts";
import { openStores } from "./stores.ts";
import { addCallPages } from "./timeline/routes.ts";
import { addUpstreams } from "./upstreams/routes.ts";
import { addWebhookPages } from "./webhooks/routes.ts";
import { addWorkPage } from "./work/routes.ts";
import { addWorkers } from "./workers/routes.ts";

/** The dashboards listen after this time although a store has not answered their first look, in milliseconds. */
const firstLookMs = 1000;

/**
 * The operators' server, ready to listen. It starts and stays up while Redis is unreachable. `sampleEveryMs` is
 * the time between two samples of the capacity.
 */
export async function createApp(
  config: Config,
  refuse: (objection: string) => void = () => {},
  sampleEveryMs?: number,
): Promise<FastifyInstance> {
  const app = Fastify({
    logger: { level: config.logLevel, stream: logDestination() },
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: 15_000,
    bodyLimit: formBodyLimit,
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
  });
  const stores = await openStores(config, app.log, refuse);
  const { redis, queues, db } = stores;
  // Hooks run in reverse order: added first, this one closes the stores after everything that uses them.
  app.addHook("onClose", () => stores.close());

  const readState = async (): Promise<Reading> => {
    const now = await redisTime(redis);
    const [poolStates, webhooks, redisState, published] = await Promise.all([
      readPools(redis, queues, now),
      readPool(redis, stores.webhooks, "webhooks", now),
      readRedis(redis),
      readPublished(redis),
    ]);
    return { at: now, pools: poolStates, webhooks, redis: redisState, published };
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

  app.setNotFoundHandler(async (request, reply) => {
    const problem = "There is no such page.";
    void reply.code(404);
    if (!request.headers.accept?.includes("text/html")) return reply.send({ error: problem });
    const path = request.url.split("?", 1)[0] as string;
    return reply
      .type("text/html")
      .send(missingPage("Not found", problem, nearAddresses(path.slice(0, 200))));
  });

  app.get("/health", async (_request, reply) => {
    const answered = await redis.ping().catch(() => undefined);
    return reply.code(answered ? 200 : 503).send({ redis: answered ? "up" : "down" });
  });

  const stored = db && new StoredMetrics(db);
  app.get("/metrics", async (request, reply) => {
    const [reading, held] = await Promise.all([read(request), stored?.read()]);
    const { type, body } = await renderMetrics(reading, held);
    return reply.type(type).send(body);
  });

  const status = new StatusWatch({
    redis,
    db,
    settings: config.capacity,
    capacity: () => capacity.answer,
  });
  const requests = new RecentCounts("gateway_upstream_requests_total");
  const capacity = serveCapacity(app, {
    redis,
    db,
    settings: config.capacity,
    everyMs: sampleEveryMs,
    // Every sample is also a look at what is wrong.
    async read() {
      const reading = await readState().catch((error: unknown) => {
        status.note(undefined);
        throw error;
      });
      status.note(reading, reading.at);
      requests.note(reading.published.totals, reading.at);
      return reading;
    },
  });

  const overview = async (request: FastifyRequest, problem?: string): Promise<string> => {
    const reading = await read(request);
    return overviewPage({
      status: await status.read(reading, reading?.at ?? Date.now(), spanOf(request.query)),
      visitor: request.visitor,
      problem,
    });
  };
  app.get("/", async (request, reply) => reply.type("text/html").send(await overview(request)));
  // A first look at everything before the first visitor, who then waits for no connection and compilation, and by
  // which what was wrong at the start is told apart from what comes later.
  app.addHook("onReady", async () => {
    const looked = readState()
      .then((reading) => status.read(reading, reading.at))
      .then((found) => overviewPage({ status: found, visitor: { user: "", role: "viewer" } }))
      .catch(() => undefined);
    await Promise.race([looked, sleep(firstLookMs, undefined, { ref: false })]);
  });
  app.get("/live.js", async (_request, reply) =>
    reply.type("text/javascript; charset=utf-8").send(liveScript),
  );
  addChartFiles(app);
  addWorkers(app, db, read);
  addCallPages(app, { db, redis }, overview);
  addCallList(app, { db, redis });

  addPools(app, { redis, db, queues });
  addUpstreams(app, { redis, db, requests, refusals: status.refusals });
  addControls(app, db);
  addAccounts(app, db);
  addChanges(app, db);
  addWebhookPages(app, db);
  addWorkPage(app, db);
  addRunbooks(app);
  const board = {
    path: "/queues",
    queues: stores.allQueues,
    redis,
    writable: config.writable,
    async note({ who, act, target }: BoardAct) {
      if (!db) throw new Error("there is no database");
      await decide(db, { who, via: "page", why: "on the board", kind: "job", target, effect: act });
    },
  };
  await app.register(bullBoard(board), { prefix: board.path });
  return app;
}

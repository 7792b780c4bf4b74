import { hostname } from "node:os";
import { pino } from "pino";
import { StoreClock, skewReport } from "../runtime/store-clock.ts";
import { areas } from "../contract/index.ts";
import { awaitStore } from "../runtime/await-store.ts";
import { createMetrics } from "../runtime/metrics.ts";
import { publishMetrics } from "../runtime/metrics-publisher.ts";
import { olderVersions } from "../contract/version.ts";
import { budgetStore } from "../db/budgets.ts";
import { CallStore } from "../db/calls.ts";
import { connect } from "../db/client.ts";
import { sumEarlierUsage } from "../db/usage.ts";
import { pruneCallLogs } from "../db/call-logs.ts";
import { pruneWrites } from "../db/own-writes.ts";
import { addUpKept, pruneBatches, pruneJobs, pruneReplays, sweepHolds } from "../db/sweep.ts";
import { createAuthenticate } from "./auth.ts";
import type { Services } from "./call.ts";
import { readConfig } from "./config.ts";
import { Doubts } from "./doubts.ts";
import { OwnCredentials } from "./own-credentials.ts";
import { Controls } from "./admission/controls.ts";
import { Dispatcher } from "./queue/dispatch.ts";
import { RateLimiter } from "./admission/rate-limiter.ts";
import { newRequestId } from "./reply.ts";
import { shareRates } from "./admission/shared-rate-limits.ts";
import { CallLogWriter } from "./call-log.ts";
import { PartialReadLimit } from "./admission/partial-read-limit.ts";
import { Unread } from "./edge/slow-readers.ts";
import { pruneWebhooks } from "../db/webhooks.ts";
import { WebhookDispatcher } from "./webhooks/dispatch.ts";
import { createSealer } from "./webhooks/signing.ts";
import { Webhooks } from "./webhooks/webhooks.ts";
import { credentialsKeys } from "../runtime/own-credentials.ts";
import { logDestination } from "../runtime/log-destination.ts";
import { exitFor, listenProblem, settingsOrExit } from "../runtime/settings.ts";
import { startTracing } from "../runtime/tracing/tracing.ts";
import { guardLoop } from "./loop-guard.ts";
import { storedDocument } from "./openapi/stored.ts";
import { createServer } from "./server.ts";
import { requireStores, untilAnswered } from "./start-check.ts";

const config = settingsOrExit(() => readConfig(process.env));
const log = pino(
  { level: config.LOG_LEVEL, base: { role: "api", pid: process.pid } },
  logDestination(),
);
const metrics = createMetrics();
const db = connect(config.DATABASE_URL, { max: config.DATABASE_CONNECTIONS, name: "api" });
const reports = connect(config.DATABASE_URL, {
  max: 1,
  name: "api-reports",
  statementTimeoutMs: 60_000,
});
let draining = false;

const skewOf = (store: "redis" | "postgres") =>
  skewReport({
    process: `${hostname()}-${process.pid}`,
    store,
    metrics,
    warn: (message) => log.warn(message),
  });

let redisDown = false;
const dispatcher = new Dispatcher(
  config.REDIS_URL,
  metrics,
  (error) => {
    // A reconnecting client repeats its error several times a second.
    if (!redisDown) log.error({ err: error }, "redis");
    redisDown = true;
  },
  new StoreClock(skewOf("redis")),
  (objection) => log.error(objection),
);
dispatcher.redis.on("ready", () => (redisDown = false));

const callLogs = new CallLogWriter({ db, redis: dispatcher.redis });
const sealer = createSealer(config.KEY_PEPPER);
const controls = new Controls({ db, redis: dispatcher.redis, pausing: dispatcher });

const credentials = new OwnCredentials(db, credentialsKeys(config), (account_id, names) =>
  log.error({ account_id, names }, "an own credential cannot be decrypted: see CREDENTIALS_KEY"),
);

const rates = new RateLimiter();
const sharedRates = shareRates(rates, dispatcher.redis);

const tracing = await startTracing({
  role: "api",
  env: process.env,
  warn: (message, fields) => log.warn(fields, message),
});

const services: Services = {
  calls: new CallStore(db, { graceMs: config.HOLD_GRACE_MS }),
  budgets: budgetStore(db),
  dispatcher,
  metrics,
  cursorSecret: config.CURSOR_SECRET,
  running: new Set(),
  claims: new Map(),
  doubts: new Doubts((level, message, fields) => log[level](fields, message)),
  unread: new Unread(),
  partialReads: new PartialReadLimit(),
  webhooks: new Webhooks(db, sealer, {
    allow: config.WEBHOOK_ALLOW,
    deny: config.EGRESS_DENY,
    resolver: config.RESOLVER,
  }),
  controls,
  credentials,
  callLogs,
  tracing,
  keptBytesLimit: config.REPLAY_BYTES_PER_ACCOUNT,
  log: (level, message, fields) => log[level](fields, message),
};

const { app, jobs, batches } = createServer({
  rates,
  callLogs,
  tracing,
  controls,
  areas,
  storedDocument,
  olderVersions,
  db,
  reports,
  metrics,
  log,
  trustedProxies: config.TRUSTED_PROXIES,
  webOrigins: config.WEB_ORIGINS,
  stallMs: config.ANSWER_STALL_MS,
  jobQueueMs: config.JOB_QUEUE_MS,
  graceMs: config.HOLD_GRACE_MS,
  draining: () => draining,
  authenticate: createAuthenticate(db, config.KEY_PEPPER, (error) =>
    log.warn({ err: error }, "last use of a key not noted"),
  ),
  services,
});

const warn = (message: string) => log.warn(message);
await awaitStore({ process: "API", store: "Redis", warn }, () => dispatcher.start());
await requireStores(db, dispatcher.redis, log);
const reportSkew = skewOf("postgres");
const measureClock = () => services.calls.measureClock().then(reportSkew, () => undefined); // Calls report outages.
await measureClock();
await controls.poll();
await untilAnswered(() => credentials.poll());
await untilAnswered(() => jobs.start());
const webhooks = new WebhookDispatcher({
  db,
  redisUrl: config.REDIS_URL,
  redis: dispatcher.redis,
  sealer,
  pauses: config.WEBHOOK_PAUSES.length > 0 ? config.WEBHOOK_PAUSES : undefined,
  warn: (message, fields) => log.warn(fields, message),
});
webhooks.start();
await app
  .listen({ host: config.HOST, port: config.PORT })
  .catch((error: unknown) =>
    exitFor(listenProblem(error, ["HOST", config.HOST], ["PORT", config.PORT])),
  );
await batches.scheduler.start();
const guarding = guardLoop(({ operation, account, ms }) => {
  metrics.observe("gateway_loop_held_seconds", { operation }, ms / 1000);
  log.warn({ operation, account, ms }, "one piece of work held the event loop");
});
const published = publishMetrics(dispatcher.redis, metrics, "api", newRequestId());

/** Old rows are kept for hours, so they are deleted in every tenth sweep only. */
const sweepsPerPrune = 10;

async function prune(): Promise<void> {
  await pruneReplays(db);
  await pruneWrites(db);
  await pruneBatches(db);
  await pruneCallLogs(db, { most: config.STORIES_KEPT });
  await pruneJobs(db);
  await pruneWebhooks(db);
  await sumEarlierUsage(reports);
}

let sweeps = 0;
const sweeper = setInterval(() => {
  const mayPrune = sweeps % sweepsPerPrune === 0;
  sweeps += 1;
  void sweepHolds(db, { graceMs: config.HOLD_GRACE_MS })
    .then(() => addUpKept(db))
    .then(() => (mayPrune ? prune() : undefined))
    .catch((error: unknown) => log.warn({ err: error }, "sweep failed"));
}, config.SWEEP_EVERY_MS);

const clockTimer = setInterval(() => void measureClock(), 5000);

/** The longest deadline of a call plus a little for settling it, in milliseconds. */
const graceMs = 135_000;

async function stop(): Promise<void> {
  if (draining) process.exit(1);
  draining = true;
  const limit = setTimeout(() => process.exit(1), graceMs);
  clearInterval(sweeper);
  clearInterval(clockTimer);
  sharedRates.stop();
  controls.close();
  credentials.close();
  guarding.stop();
  const left = batches.scheduler.stop();
  await app.close();
  await left;
  await services.doubts.stop();
  await jobs.stop();
  await Promise.allSettled(services.running);
  await callLogs.close();
  await published.stop();
  await webhooks.close();
  await dispatcher.close();
  await Promise.all([reports.close(), db.close()]);
  await tracing?.stop();
  clearTimeout(limit);
  process.exit(0);
}
process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());

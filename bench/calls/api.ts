import { pino } from "pino";
import { createAuthenticate } from "../../api/auth.ts";
import { Doubts } from "../../api/doubts.ts";
import { Dispatcher } from "../../api/queue/dispatch.ts";
import { PartialReadLimit } from "../../api/admission/partial-read-limit.ts";
import { Unread } from "../../api/edge/slow-readers.ts";
import { guardLoop } from "../../api/loop-guard.ts";
import { createServer } from "../../api/server.ts";
import { CallLogWriter } from "../../api/call-log.ts";
import { createMetrics } from "../../runtime/metrics.ts";
import { budgetStore } from "../../db/budgets.ts";
import { CallStore } from "../../db/calls.ts";
import { connect } from "../../db/client.ts";
import { createSealer } from "../../api/webhooks/signing.ts";
import { Webhooks } from "../../api/webhooks/webhooks.ts";
import { startTracing } from "../../runtime/tracing/tracing.ts";
import { reportBytesInUse } from "./in-use.ts";
import { noop } from "./noop.ts";

/** The API with all features on and the benchmark's operation; prints its address. */
const env = process.env as Record<string, string>;
const db = connect(env["DATABASE_URL"] as string, { max: 6 });
const metrics = createMetrics();
const nowhereInside = { allow: [], deny: [], resolver: undefined };
const dispatcher = new Dispatcher(env["REDIS_URL"] as string, metrics, () => undefined);
const tracing = await startTracing({ role: "api", env: process.env, warn: () => undefined });
const { app, jobs, batches } = createServer({
  ...(tracing ? { tracing } : {}),
  ...(env["NO_STORIES"] ? {} : { callLogs: new CallLogWriter({ db, redis: dispatcher.redis }) }),
  areas: [noop],
  olderVersions: new Map(),
  db,
  metrics,
  log: pino({ level: "error" }),
  draining: () => false,
  authenticate: createAuthenticate(db, env["KEY_PEPPER"] as string, () => undefined),
  services: {
    calls: new CallStore(db),
    budgets: budgetStore(db),
    dispatcher,
    metrics,
    cursorSecret: "benchmark-benchmark-benchmark-benchmark",
    running: new Set(),
    claims: new Map(),
    doubts: new Doubts(() => undefined),
    unread: new Unread(),
    partialReads: new PartialReadLimit(),
    webhooks: new Webhooks(db, createSealer(env["KEY_PEPPER"] as string), nowhereInside),
    keptBytesLimit: Infinity,
    log: () => undefined,
  },
});
await dispatcher.start();
await jobs.start();
await batches.scheduler.start();
guardLoop(() => undefined);
reportBytesInUse();
process.stdout.write(`${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);

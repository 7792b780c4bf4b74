import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { instanceOf, thisProcess } from "../runtime/build.ts";
import { StoreClock, skewReport } from "../runtime/store-clock.ts";
import { operationsOf } from "../contract/dependencies.ts";
import { operations } from "../contract/index.ts";
import { tokenUpstreamOf } from "../runtime/controls.ts";
import { formatVersion } from "../runtime/queue.ts";
import { awaitStore } from "../runtime/await-store.ts";
import { createMetrics } from "../runtime/metrics.ts";
import { requireRedis } from "../runtime/redis/requirements.ts";
import { publishMetrics } from "../runtime/metrics-publisher.ts";
import { keepAlive, persistentOptions, openRedis } from "../runtime/redis/connection.ts";
import { monotonicNow } from "../runtime/monotonic.ts";
import { exitFor, settingsOrExit } from "../runtime/settings.ts";
import { startTracing } from "../runtime/tracing/tracing.ts";
import { readConfig } from "./config.ts";
import { followControls } from "./controls.ts";
import { DriftWatch } from "./drift/watch.ts";
import { HeldAnswers } from "./failures/held.ts";
import { failedCalls, goodCalls, KeptAnswers } from "./failures/keep.ts";
import { handlersOf } from "./handlers.ts";
import { LimitWaits } from "./limit-waits.ts";
import { createLog } from "./log.ts";
import { Machine } from "./machine.ts";
import { MachineSlots } from "./machine-slots.ts";
import { lowerPriority } from "./niceness.ts";
import { startPool } from "./pools.ts";
import { Recorder, Substitutes } from "./recording/recorder.ts";
import { type Services, run } from "./run.ts";
import { createSandbox } from "./sandbox/sandbox.ts";
import { pathTemplates } from "./sandbox/path-templates.ts";
import { samples } from "./sandbox/samples.ts";
import { reportShape } from "./shape-report.ts";
import { createSiteFetch } from "./transport/site.ts";
import type { Upstream } from "./transport/upstream.ts";
import { createTransport } from "./transport/transport.ts";
import { UpstreamReport } from "./upstream-report.ts";
import { checkUpstreamSettings } from "./upstream-settings.ts";
import { upstreams } from "./sandbox/upstreams.ts";
import { redditToken } from "./upstreams/reddit/client.ts";
import { webhookPolicy } from "../runtime/egress/webhooks.ts";

const config = settingsOrExit(() => readConfig(process.env));
const isAsked = ({ name }: Upstream) =>
  operationsOf(tokenUpstreamOf(name)).some((id) =>
    config.pools.some(({ pool }) => pool === operations.get(id)?.pool),
  );
const asked = [...upstreams, redditToken].filter(isAsked);
settingsOrExit(() => checkUpstreamSettings(asked, process.env));
void lowerPriority(config.nice);
const log = createLog(config.logLevel);
const metrics = createMetrics();
const redis = openRedis(config.redisUrl, {
  ...persistentOptions(true),
  maxRetriesPerRequest: 1,
  connectionName: "worker",
});
keepAlive(redis);
redis.on("error", (error) => log("warn", "redis", { error: error.message }));

const warn = (message: string) => log("warn", message);
await awaitStore({ process: "worker", store: "Redis", warn }, () =>
  requireRedis(redis, warn),
).catch((error: Error) => {
  log("error", error.message);
  process.exit(1);
});

// Chromium and its drivers are loaded only where pages are rendered.
const rendering = config.pools.find(({ pool }) => pool === "browser");
const browser = rendering
  ? await import("./areas/browser/handlers.ts")
      .then((module) => module.startRendering(config, rendering, log, metrics))
      .catch(exitFor)
  : undefined;
// Pages by plain HTTP need no Chromium.
const fetches = config.pools.some(({ pool }) => pool === "social");
const web = browser
  ? await import("./areas/web/handlers.ts").then(({ webConnector }) =>
      webConnector(browser.pool, browser.files.fetchSite, browser.files.documents),
    )
  : fetches
    ? await import("./areas/web/plain.ts").then(({ plainConnector }) =>
        plainConnector(createSiteFetch(config)),
      )
    : undefined;

const clock = new StoreClock(
  skewReport({
    process: `${hostname()}-${process.pid}`,
    store: "redis",
    metrics,
    warn,
  }),
);
const controls = followControls(redis, clock, instanceOf(thisProcess));
const tracing = await startTracing({
  role: "worker",
  env: process.env,
  warn: (message, fields) => log("warn", message, fields),
});
const templates = pathTemplates(samples);
const drift = config.drift
  ? new DriftWatch({ redis, metrics, log, routeOf: templates, now: () => clock.now() })
  : undefined;
const { failedAnswersKey, goodAnswersKey } = config;
const failed = failedAnswersKey
  ? new KeptAnswers(failedCalls, { redis, key: failedAnswersKey, now: () => clock.now() })
  : undefined;
const good = goodAnswersKey
  ? new KeptAnswers(goodCalls, { redis, key: goodAnswersKey, now: () => clock.now() })
  : undefined;
const recorder = config.recordDir ? new Recorder(config.recordDir, log) : undefined;
const held = failed || good || recorder ? new HeldAnswers() : undefined;
const upstreamReport = new UpstreamReport({
  redis,
  metrics,
  env: process.env,
  // A worker needs the credentials of no others.
  upstreams: upstreams.filter(isAsked),
  now: () => clock.now(),
});
const limitWaits = new LimitWaits(monotonicNow);
const transport = createTransport({
  redis,
  allowed: (upstream) => controls.perMinute(upstream),
  waitsForLimits(id) {
    const pool = operations.get(id)?.pool;
    return pool ? limitWaits.begin(pool) : () => undefined;
  },
  env: process.env,
  log,
  metrics,
  egressAllow: config.egressAllow,
  egressDeny: config.egressDeny,
  resolver: config.resolver,
  // Only traces use path templates.
  pathTemplate: tracing && templates,
  heard(answer) {
    upstreamReport.hear(answer);
    drift?.hear(answer);
    held?.hear(answer);
  },
});

const substitutes = new Substitutes();

const services: Services = {
  operations,
  handlers: await handlersOf(
    config.pools.map(({ pool }) => pool),
    [browser?.connector, web].filter((one) => one !== undefined),
  ),
  live: transport,
  test: createSandbox(samples),
  log,
  credentialsKeys: config.credentialsKeys,
  turned({ from, to, reason }, operation) {
    const labels = { operation, from: from.name, to: to.name, reason };
    metrics.count("gateway_upstream_failovers_total", labels);
  },
  shapeFault(report) {
    const { operation, upstream, path } = report;
    metrics.count("gateway_shape_errors_total", { upstream, operation });
    log("error", "an upstream's answer did not fit", {
      operation,
      upstream,
      path,
      request_id: report.request_id,
    });
    void reportShape(redis, report);
  },
  replaced: (operation, value) => substitutes.of(operation).value(value),
  rowsDropped: ({ count, ...labels }) => metrics.count("gateway_rows_dropped_total", labels, count),
  now: monotonicNow,
};

const machine = new Machine();
const machineSlots = new MachineSlots();
const pools = await Promise.all(
  config.pools.map(({ pool, slots, followsMachine }) =>
    startPool({
      pool,
      slots,
      follow: followsMachine
        ? {
            machine: machineSlots,
            pages: pool === "browser" ? browser?.pool : undefined,
            takeWaitingForLimits: () => limitWaits.take(pool),
          }
        : undefined,
      redisUrl: config.redisUrl,
      metrics,
      log,
      clock,
      machine,
      tracing,
      turns: pool === "browser" ? browser?.pool.turns : undefined,
      decided: () => controls.read(),
      understands: ({ v = 1, operation }) => v <= formatVersion && services.handlers.has(operation),
      async process(jobId, job, signal, taken) {
        held?.begin(jobId);
        let outcome = "crashed";
        try {
          const result = await run(jobId, job, signal, services, taken);
          ({ outcome } = result);
          return result;
        } finally {
          const heard = held?.end(jobId) ?? [];
          void failed?.keep(jobId, job, outcome, heard);
          void good?.keep(jobId, job, outcome, heard);
          void recorder?.record(jobId, job, heard);
        }
      },
    }),
  ),
);
const { webhookSlots } = config;
const webhooks =
  webhookSlots === undefined
    ? undefined
    : await import("./webhooks/pool.ts").then(({ startWebhooks }) =>
        startWebhooks({
          slots: webhookSlots,
          attemptMs: config.webhookAttemptMs,
          redisUrl: config.redisUrl,
          policy: webhookPolicy({
            allow: config.webhookAllow,
            deny: config.egressDeny,
            resolver: config.resolver,
          }),
          metrics,
          log,
          clock,
        }),
      );
controls.onQuiet((isQuiet) => {
  for (const pool of [...pools, ...(webhooks ? [webhooks] : [])]) pool.quiet(isQuiet);
});
const published = publishMetrics(redis, metrics, "worker", randomUUID());
log("info", "working", {
  pools: [...config.pools.map(({ pool }) => pool), ...(webhooks ? ["webhooks"] : [])],
});

/** The longest deadline of any operation, plus time to store its outcome. */
const graceMs = 135_000;
let stopping = false;

async function stop(): Promise<void> {
  if (stopping) process.exit(1);
  stopping = true;
  await Promise.all([...pools.map((pool) => pool.close(graceMs)), webhooks?.close()]);
  await drift?.close();
  await published.stop();
  controls.close();
  upstreamReport.close();
  await browser?.close();
  await transport.close();
  redis.disconnect();
  await tracing?.stop();
  process.exit(0);
}
process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());

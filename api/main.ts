import { areas, operations } from "../contract/index.ts";
import { createMetrics } from "../contract/metrics.ts";
import { publishMetrics } from "../contract/publish.ts";
import { callStore } from "../db/calls.ts";
import { connect } from "../db/client.ts";
import { pruneReplays, sweepHolds } from "../db/sweep.ts";
import { addAccount } from "./account.ts";
import { createApp } from "./app.ts";
import { createAuthenticate } from "./auth.ts";
import { readConfig } from "./config.ts";
import { Dispatcher } from "./dispatch.ts";
import type { Services } from "./execute.ts";
import { addHealth } from "./health.ts";
import { openApi } from "./openapi.ts";
import { commonHeaders, newRequestId } from "./reply.ts";
import { addFallback, addOperations } from "./routes.ts";

const config = readConfig(process.env);
const metrics = createMetrics();
const db = connect(config.DATABASE_URL, { max: config.DATABASE_CONNECTIONS, name: "api" });
let draining = false;

const app = createApp({
  authenticate: createAuthenticate(db, config.KEY_PEPPER, (error) =>
    app.log.warn({ err: error }, "last use of a key not noted"),
  ),
  services: { metrics },
  logLevel: config.LOG_LEVEL,
  draining: () => draining,
});

let redisDown = false;
const dispatcher = new Dispatcher(config.REDIS_URL, metrics, (error) => {
  // A client that is reconnecting repeats itself several times a second.
  if (!redisDown) app.log.error({ err: error }, "redis");
  redisDown = true;
});
dispatcher.redis.on("ready", () => (redisDown = false));

const services: Services = {
  calls: callStore(db, { graceMs: config.HOLD_GRACE_MS }),
  dispatcher,
  metrics,
  cursorSecret: config.CURSOR_SECRET,
  running: new Set(),
  log: (level, message, fields) => app.log[level](fields, message),
  faultPoint(point) {
    if (config.FAULT_POINT === point) process.kill(process.pid, "SIGKILL");
  },
};

addHealth(app, { db, dispatcher, draining: () => draining });
addAccount(app, db, [...operations.values()]);
const document = JSON.stringify(openApi(areas));
app.get("/openapi.json", { config: { open: true } }, (request, reply) =>
  reply.headers(commonHeaders(request.id)).send(document),
);
addOperations(app, operations.values(), services);
const paths = new Map<string, string[]>();
for (const op of operations.values())
  paths.set(op.path, [...(paths.get(op.path) ?? []), op.method]);
for (const path of ["/account", "/operations", "/openapi.json", "/health/live", "/health/ready"]) {
  paths.set(path, ["GET"]);
}
addFallback(app, paths);

await dispatcher.start();
await app.listen({ host: config.HOST, port: config.PORT });
const published = publishMetrics(dispatcher.redis, metrics, "api", newRequestId());

const sweeper = setInterval(() => {
  void sweepHolds(db, { graceMs: config.HOLD_GRACE_MS })
    .then(() => pruneReplays(db))
    .catch((error: unknown) => app.log.warn({ err: error }, "sweep failed"));
}, config.SWEEP_EVERY_MS);

/** The longest deadline in flight plus a little for settling it. */
const graceMs = 135_000;

async function stop(): Promise<void> {
  if (draining) process.exit(1);
  draining = true;
  const limit = setTimeout(() => process.exit(1), graceMs);
  clearInterval(sweeper);
  await app.close();
  await Promise.allSettled(services.running);
  await published.stop();
  await dispatcher.close();
  await db.close();
  clearTimeout(limit);
  process.exit(0);
}
process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());

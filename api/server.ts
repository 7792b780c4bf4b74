import type { FastifyInstance } from "fastify";
import { jobsEndpoints } from "../contract/jobs.ts";
import type { Area } from "../contract/operation.ts";
import type { OlderVersions } from "../contract/version.ts";
import { webhooksEndpoints } from "../contract/webhook-endpoints.ts";
import type { Database } from "../db/client.ts";
import { addAccount } from "./account.ts";
import { type AppOptions, createApp } from "./app.ts";
import { type Batches, createBatches } from "./batches/batches.ts";
import { addBatches } from "./batches/handlers.ts";
import type { Services } from "./call.ts";
import { addEndpoints } from "./endpoints.ts";
import { isNamed } from "./edge/cors.ts";
import { addPages } from "./docs/routes.ts";
import { addTry } from "./docs/try.ts";
import { addDocument } from "./openapi/document.ts";
import { addHealth } from "./health.ts";
import { Jobs, usualQueueMs } from "./jobs/jobs.ts";
import { jobsHandlers } from "./jobs/handlers.ts";
import { addMcp } from "./mcp/route.ts";
import { addOperations } from "./routes.ts";
import { webhooksHandlers } from "./webhooks/handlers.ts";
import { usualStallMs } from "./edge/unread.ts";

export interface ServerOptions {
  areas: readonly Area[];
  olderVersions: OlderVersions;
  db: Database;
  /** Made with the app's own log. */
  services(app: FastifyInstance): Services;
  authenticate(app: FastifyInstance): AppOptions["authenticate"];
  metrics: Services["metrics"];
  logLevel: string;
  draining(): boolean;
  trustedProxies?: readonly string[];
  /** Origins of web pages that may call from a browser. */
  webOrigins?: readonly string[];
  stallMs?: number;
  stories?: AppOptions["stories"];
  tracing?: AppOptions["tracing"];
  jobQueueMs?: number;
  controls?: AppOptions["controls"];
  rates?: AppOptions["rates"];
  /** A hold can be settled until this long after its deadline, in milliseconds. */
  graceMs?: number;
}

/** The whole HTTP side: every operation and the gateway's own endpoints. */
export function createServer(options: ServerOptions): {
  app: FastifyInstance;
  services: Services;
  jobs: Jobs;
  batches: Batches;
} {
  const { areas, db, logLevel, metrics, olderVersions } = options;
  const draining = () => options.draining();
  const operations = areas.flatMap((area) => area.operations);
  const app: FastifyInstance = createApp({
    authenticate: (authorization, beforeLookUp) => authenticate(authorization, beforeLookUp),
    metrics,
    logLevel,
    olderVersions,
    draining,
    ...(options.webOrigins ? { webOrigins: options.webOrigins } : {}),
    ...(options.trustedProxies ? { trustedProxies: options.trustedProxies } : {}),
    ...(options.stallMs === undefined ? {} : { stallMs: options.stallMs }),
    ...(options.stories ? { stories: options.stories } : {}),
    ...(options.tracing ? { tracing: options.tracing } : {}),
    ...(options.controls ? { controls: options.controls } : {}),
    ...(options.rates ? { rates: options.rates } : {}),
  });
  const authenticate = options.authenticate(app);
  const services = options.services(app);

  const { jobQueueMs: queueMs = usualQueueMs } = options;
  const jobs = new Jobs({ db, services, operations, queueMs });
  addHealth(app, { db, dispatcher: services.dispatcher, draining });
  addAccount(app, db, operations, services.budgets);
  addDocument(app, areas);
  addPages(app, areas);
  addTry(app);
  addMcp(app, (origin) => isNamed(origin, options.webOrigins ?? []));
  addOperations(app, operations, services, olderVersions, jobs);
  addEndpoints(app, jobsEndpoints, jobsHandlers, { db, jobs, olderVersions });
  addEndpoints(app, webhooksEndpoints, webhooksHandlers, { db, ...services });
  const batches = createBatches({
    db,
    services,
    operations,
    owner: jobs.owner,
    stallMs: options.stallMs ?? usualStallMs,
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
  });
  addBatches(app, { db, batches, services, draining });
  return { app, services, jobs, batches };
}

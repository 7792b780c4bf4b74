import type { FastifyInstance } from "fastify";
import { accountEndpoints } from "../contract/account.ts";
import { crawlsEndpoints } from "../contract/crawls.ts";
import { jobsEndpoints } from "../contract/jobs.ts";
import { openEndpoints } from "../contract/open.ts";
import { withCrawls } from "../contract/crawl-operations.ts";
import type { Area } from "../contract/operation.ts";
import { webhooksEndpoints } from "../contract/webhook-endpoints.ts";
import type { Database } from "../db/client.ts";
import { CrawlStore } from "../db/crawls.ts";
import { accountHandlers } from "./account.ts";
import { Catalogue } from "./catalogue.ts";
import { type AppOptions, createApp } from "./app.ts";
import { type Batches, createBatches } from "./batches/batches.ts";
import { addBatches } from "./batches/handlers.ts";
import { ResultStreams } from "./batches/streams.ts";
import { HeldCalls } from "./admission/held-calls.ts";
import { crawlsHandlers } from "./crawls/handlers.ts";
import type { Services } from "./call.ts";
import { HereReader } from "./docs/availability.ts";
import { Pages } from "./docs/routes.ts";
import { addTry } from "./docs/try.ts";
import { isNamed } from "./edge/cors.ts";
import { defaultStallMs } from "./edge/slow-readers.ts";
import { addEndpoints } from "./endpoints.ts";
import { jobsHandlers } from "./jobs/handlers.ts";
import { Jobs, defaultQueueMs } from "./jobs/jobs.ts";
import { addMcp } from "./mcp/route.ts";
import { openHandlers } from "./open.ts";
import { Documents } from "./openapi/document.ts";
import { addOperations } from "./routes.ts";
import { webhooksHandlers } from "./webhooks/handlers.ts";

export interface ServerOptions extends AppOptions {
  areas: readonly Area[];
  db: Database;
  /** Connections of usage reports; those of `db` when absent. */
  reports?: Database | undefined;
  services: Services;
  jobQueueMs?: number | undefined;
  /** Finds the contract of these areas as a document, where it was written before. */
  storedDocument?: (() => Promise<string | undefined>) | undefined;
  /** A hold can be settled until this long after its deadline, in milliseconds. */
  graceMs?: number | undefined;
}

/** The whole HTTP side: every operation and the gateway's own endpoints. */
export function createServer(options: ServerOptions): {
  app: FastifyInstance;
  jobs: Jobs;
  batches: Batches;
} {
  const {
    areas,
    db,
    reports = db,
    services,
    olderVersions,
    webOrigins = [],
    stallMs = defaultStallMs,
    graceMs,
  } = options;
  const draining = () => options.draining();
  const operations = areas.flatMap((area) => area.operations);
  const app = createApp(options);
  const { dispatcher, budgets } = services;

  const jobs = new Jobs({
    db,
    services,
    operations,
    queueMs: options.jobQueueMs ?? defaultQueueMs,
  });
  const documents = new Documents(areas, options.storedDocument);
  const callable = withCrawls(areas);
  const listed = callable.flatMap((area) => area.operations);
  const catalogue = new Catalogue(listed, reports);
  const here = new HereReader({
    redis: dispatcher.redis,
    ...(services.controls ? { controls: services.controls } : {}),
    workersOf: (pool) => dispatcher.stateOf(pool).workers,
    workedAt: () => catalogue.workedAt(),
  });
  const pages = new Pages(callable, here);
  addEndpoints(app, openEndpoints, openHandlers, { db, dispatcher, draining, documents, pages });
  addEndpoints(app, accountEndpoints, accountHandlers, { db, reports, catalogue, here, budgets });
  pages.addTo(app);
  addTry(app);
  const held = new HeldCalls("requests of tools");
  addMcp(
    app,
    (origin) => isNamed(origin, webOrigins),
    (caller) => held.hold(caller),
  );
  addOperations(app, operations, services, olderVersions, jobs);
  addEndpoints(app, jobsEndpoints, jobsHandlers, { db, jobs, olderVersions });
  addEndpoints(app, webhooksEndpoints, webhooksHandlers, { db, ...services });
  const batches = createBatches({
    db,
    services,
    operations,
    olderVersions,
    owner: jobs.owner,
    stallMs,
    graceMs,
  });
  const streams = new ResultStreams();
  addBatches(app, { db, batches, services, draining, streams });
  const crawls = new CrawlStore(db, { graceMs, clock: services.calls.clock });
  addEndpoints(app, crawlsEndpoints, crawlsHandlers, {
    db,
    batches,
    crawls,
    services,
    draining,
    streams,
  });
  return { app, jobs, batches };
}

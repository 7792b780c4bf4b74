import type { Operation } from "../../contract/operation.ts";
import type { OlderVersions } from "../../contract/version.ts";
import { ItemStore } from "../../db/batch-items.ts";
import { BatchStore } from "../../db/batches.ts";
import type { Database } from "../../db/client.ts";
import type { Services } from "../call.ts";
import { Scheduler } from "./scheduler.ts";
import { BatchOperations } from "./item.ts";
import { StatusCache } from "./status-cache.ts";
import { ChangeWaiters } from "./change-waiters.ts";

/** Dependencies shared by the routes and the scheduler of batches. */
export interface Batches {
  owner: string;
  services: Pick<Services, "dispatcher" | "doubts" | "tracing">;
  store: BatchStore;
  items: ItemStore;
  operations: BatchOperations;
  scheduler: Scheduler;
  statusCache: StatusCache;
  watchers: ChangeWaiters;
  webhooks: Services["webhooks"];
  cursorSecret: string;
  /** The time on the clock of Redis. */
  storeNow: () => number;
  keptBytesLimit: number;
  /** Followers of results get at least an empty line this often, in milliseconds. */
  silenceMs: number;
}

export function createBatches(options: {
  db: Database;
  services: Services;
  operations: readonly Operation[];
  olderVersions: OlderVersions;
  /** The id of this process in `job_owners`. */
  owner: string;
  /** A hold can be settled until this long after its deadline, in milliseconds. */
  graceMs?: number | undefined;
  /** A connection is closed when no byte of its answer moves for this long, in milliseconds. */
  stallMs: number;
}): Batches {
  const { db, services, owner, graceMs } = options;
  const store = new BatchStore(db, { graceMs, clock: services.calls.clock });
  const items = new ItemStore(db, { graceMs });
  const operations = new BatchOperations(options.operations, options.olderVersions);
  const watchers = new ChangeWaiters(services.dispatcher);
  const statusCache = new StatusCache((who, id) => store.get(who, id), services.dispatcher);
  return {
    owner,
    services,
    store,
    items,
    operations,
    watchers,
    statusCache,
    scheduler: new Scheduler({
      owner,
      services,
      operations,
      batches: store,
      items,
      statusCache,
      watchers,
    }),
    webhooks: services.webhooks,
    cursorSecret: services.cursorSecret,
    storeNow: () => services.dispatcher.storeNow(),
    keptBytesLimit: services.keptBytesLimit,
    silenceMs: Math.min(5000, options.stallMs / 3),
  };
}

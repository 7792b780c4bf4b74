import type { Pool } from "../../contract/operation.ts";
import type { JobStore } from "../../db/jobs.ts";
import type { Services } from "../call.ts";
import type { EndWaiters } from "./end-waiters.ts";

/** A job that this process runs. */
export interface RunningJob {
  pool: Pool;
  /** A worker is known to have it. */
  running: boolean;
  /** When the job entered its queue, by Redis's clock. */
  addedAt?: number;
  /** Aborts when the job was cancelled here, or when this process lets go of it. */
  stop: AbortController;
}

/** The process that owns jobs, as far as running one needs it. */
export interface JobOwner {
  readonly services: Services;
  readonly store: JobStore;
  readonly ends: EndWaiters;
  readonly carried: Map<string, RunningJob>;
  /** True once this process has let go of its jobs. */
  readonly stopped: boolean;
}

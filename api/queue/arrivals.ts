import type { Metrics } from "../../runtime/metrics.ts";
import type { Pool } from "../../contract/operation.ts";

/** Capacity planning looks back this far: a longer gap began earlier and would distort the variance. */
const longestGapMs = 120_000;

/** Counts the jobs that arrive at each pool and the variance of their gaps, for capacity planning. */
export class Arrivals {
  readonly #metrics: Metrics;
  readonly #last = new Map<Pool, number>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  note(pool: Pool, now = performance.now()): void {
    const last = this.#last.get(pool);
    this.#last.set(pool, now);
    this.#metrics.count("gateway_jobs_added_total", { pool });
    if (last === undefined || now - last > longestGapMs) return;
    const seconds = (now - last) / 1000;
    this.#metrics.count("gateway_job_gap_seconds_total", { pool }, seconds);
    this.#metrics.count("gateway_job_gap_seconds_squared_total", { pool }, seconds ** 2);
  }
}

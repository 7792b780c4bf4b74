import type { Metrics } from "../../runtime/metrics.ts";
import type { Pool } from "../../contract/operation.ts";

/** Capacity planning looks back this far: a longer gap began earlier and would distort the variance. */
const longestGapMs = 120_000;

/** Counts of single seconds are compared within stretches of this many seconds. */
const stretchSeconds = 15;

/** The jobs of each second of one stretch. */
interface Stretch {
  startedAt: number;
  counts: number[];
}

/**
 * Counts the jobs that arrive at each pool, the variance of their gaps, and the variance of their number in a
 * second, for capacity planning. Gaps do not show bursts longer than a few calls; counts do.
 */
export class Arrivals {
  readonly #metrics: Metrics;
  readonly #last = new Map<Pool, number>();
  readonly #stretches = new Map<Pool, Stretch>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  note(pool: Pool, now = performance.now()): void {
    const last = this.#last.get(pool);
    this.#last.set(pool, now);
    this.#metrics.count("gateway_jobs_added_total", { pool });
    this.#countSecond(pool, now);
    if (last === undefined || now - last > longestGapMs) return;
    const seconds = (now - last) / 1000;
    this.#metrics.count("gateway_job_gap_seconds_total", { pool }, seconds);
    this.#metrics.count("gateway_job_gap_seconds_squared_total", { pool }, seconds ** 2);
  }

  #countSecond(pool: Pool, now: number): void {
    let stretch = this.#stretches.get(pool);
    if (stretch && now - stretch.startedAt >= stretchSeconds * 1000) {
      this.#endStretch(pool, stretch.counts);
      stretch = undefined;
    }
    if (!stretch) {
      stretch = { startedAt: now, counts: Array<number>(stretchSeconds).fill(0) };
      this.#stretches.set(pool, stretch);
    }
    const second = Math.floor((now - stretch.startedAt) / 1000);
    stretch.counts[second] = (stretch.counts[second] ?? 0) + 1;
  }

  /** The stretch began with a job, so its first second has one more than chance: that job is left out. */
  #endStretch(pool: Pool, counts: readonly number[]): void {
    const others = counts.map((count, second) => (second === 0 ? count - 1 : count));
    const jobs = others.reduce((sum, count) => sum + count, 0);
    if (jobs === 0) return;
    const mean = jobs / stretchSeconds;
    const squares = others.reduce((sum, count) => sum + (count - mean) ** 2, 0);
    const variance = squares / (stretchSeconds - 1);
    this.#metrics.count("gateway_jobs_compared_total", { pool }, jobs);
    this.#metrics.count("gateway_jobs_variance_total", { pool }, variance * stretchSeconds);
  }
}

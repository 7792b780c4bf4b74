import { type Pool, pools } from "../../../contract/operation.ts";
import type { PoolSample, Sample } from "../../../dashboards/capacity/sample.ts";

export const still = (): PoolSample => ({
  added: 0,
  queueFull: 0,
  crowded: 0,
  gaps: 0,
  gapSquares: 0,
  runs: 0,
  runSeconds: 0,
  runSquares: 0,
  waits: 0,
  waitSeconds: 0,
  waitBuckets: {},
  upstreams: {},
  waiting: 0,
  running: 0,
  slots: 4,
  workers: 1,
  machines: [],
});

export interface Step {
  perSecond: number;
  serviceSeconds?: number;
  serviceScv?: number;
  /** Squared coefficient of variation of the time between arrivals. */
  gapScv?: number;
  /** Variance over mean of the calls of a second. */
  dispersion?: number;
  requestsPerCall?: number;
  quotaWaitSeconds?: number;
  /** Seconds that taking a job costs. */
  takingSeconds?: number;
  now?: Partial<PoolSample>;
}

/** Samples of one pool called at a steady rate; other pools stand still. */
export class Recording {
  readonly samples: Sample[] = [];
  readonly pool: Pool;
  #at = 1_800_000_000_000;
  #last = Object.fromEntries(pools.map((pool) => [pool, still()])) as Record<Pool, PoolSample>;
  quotas: Sample["quotas"] = {};
  redis = { processorSeconds: 0, usedBytes: 1e6, limitBytes: 0 };
  /** Called before each sample: what else changes in 5 s. */
  also: (sample: Sample) => Partial<Sample> = () => ({});

  constructor(pool: Pool) {
    this.pool = pool;
  }

  /** Each step is 5 s long. */
  steps(count: number, step: Step): readonly Sample[] {
    const { perSecond, serviceSeconds = 1, serviceScv = 1, requestsPerCall = 0 } = step;
    for (let index = 0; index < count; index += 1) {
      this.#at += 5000;
      const before = this.#last[this.pool];
      const calls = perSecond * 5;
      const upstream = before.upstreams["provider"] ?? { calls: 0, quotaWait: 0 };
      const after: PoolSample = {
        ...before,
        added: before.added + calls,
        gaps: before.gaps + 5,
        gapSquares:
          before.gapSquares + (perSecond > 0 ? (5 * (1 + (step.gapScv ?? 1))) / perSecond : 0),
        runs: before.runs + calls,
        runSeconds: before.runSeconds + calls * serviceSeconds,
        runSquares: before.runSquares + calls * serviceSeconds ** 2 * (1 + serviceScv),
        upstreams:
          requestsPerCall > 0
            ? {
                provider: {
                  calls: upstream.calls + calls * requestsPerCall,
                  quotaWait: upstream.quotaWait + calls * (step.quotaWaitSeconds ?? 0),
                },
              }
            : before.upstreams,
        ...(step.dispersion === undefined ? {} : { compared: comparedOf(before, calls, step) }),
        ...(step.takingSeconds === undefined ? {} : { taken: takenOf(before, calls, step) }),
        ...step.now,
      };
      this.#last = { ...this.#last, [this.pool]: after };
      const { quotas, redis } = this;
      const sample = { at: this.#at, pools: this.#last, quotas, redis: { ...redis } };
      this.samples.push({ ...sample, ...this.also(sample) });
    }
    return this.samples;
  }

  /** Redis has lost its counters. */
  forget(): void {
    this.#last = Object.fromEntries(pools.map((pool) => [pool, still()])) as Record<
      Pool,
      PoolSample
    >;
  }
}

function takenOf({ taken }: PoolSample, jobs: number, { takingSeconds = 0 }: Step) {
  const { jobs: before, seconds } = taken ?? { jobs: 0, seconds: 0 };
  return { jobs: before + jobs, seconds: seconds + jobs * takingSeconds };
}

function comparedOf({ compared }: PoolSample, calls: number, { dispersion = 1 }: Step) {
  const { jobs, variance } = compared ?? { jobs: 0, variance: 0 };
  return { jobs: jobs + calls, variance: variance + calls * dispersion };
}

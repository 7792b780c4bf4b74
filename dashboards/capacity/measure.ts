import { processMetrics } from "../../runtime/metrics.ts";
import type { Pool } from "../../contract/operation.ts";
import { eitherWay } from "./interval.ts";
import type { PoolSample, Sample } from "./sample.ts";

/** Arrivals are counted over the last minute; the peak is the busiest 30 s of the last two minutes. */
const rateMs = 60_000;
const peakMs = 120_000;
const stretchMs = 30_000;
/** A rise compares two consecutive stretches of this length, which is also the time a worker takes to start. */
const riseMs = 15_000;
/** Random arrivals exceed this many standard deviations once in a few hundred comparisons. */
const significantDeviations = 2.5;
/** Service times come from the last minute if it has many runs, else from up to five minutes; longer while runs are few. */
const serviceMs = 300_000;
const manyRuns = 500;
const leastRuns = 30;
/** With fewer jobs than these the variance of counts is chance: eight stretches of 15 s with one call a second. */
const leastCompared = 120;
/** The measured wait covers the last five minutes. */
const waitMs = 300_000;
/** The time of taking a job is known from this many jobs on. */
const leastTaken = 30;
/** Measured variability is clamped to these bounds. */
const leastScv = 0.05;
const mostScv = 16;

/** One pool over the last minutes, computed from samples of cumulative counts. */
export interface Measured {
  /** Calls per second, including those that found the queue full. */
  perSecond: number;
  peakPerSecond: number;
  /** The rate extrapolated to the time at which a new worker has started, where the rise is significant; else 0. */
  risingPerSecond: number;
  /** Squared coefficient of variation; 1 where there are too few calls. */
  arrivalScv: number;
  /** Undefined while no call has ended yet. */
  service: { seconds: number; scv: number; runs: number } | undefined;
  /** The time of taking a job, independent of the slots; 0 while it is unknown. */
  takingSeconds: number;
  /** The part of a call's service time that it waits for an upstream's quota. */
  quotaWaitSeconds: number;
  /** Requests that a call sends to each upstream. */
  requestsPerCall: Record<string, number>;
  /** Undefined while no call was taken from the queue. */
  waited: { mean: number; eitherWay: number; p95: number; calls: number } | undefined;
  /** Calls a minute refused by their account's concurrency limit, and by a full queue. */
  crowdedPerMinute: number;
  queueFullPerMinute: number;
  now: PoolSample;
}

/** The newest sample that is at least `ms` old, or else the oldest sample. */
function before(samples: readonly Sample[], ms: number): Sample {
  const newest = samples.at(-1) as Sample;
  return samples.findLast(({ at }) => newest.at - at >= ms) ?? (samples[0] as Sample);
}

/** The samples since a count last went down, which means that Redis had lost its data. */
export function sinceReset(samples: readonly Sample[], pool: Pool): readonly Sample[] {
  for (let index = samples.length - 1; index > 0; index -= 1) {
    const now = (samples[index] as Sample).pools[pool];
    const earlier = (samples[index - 1] as Sample).pools[pool];
    if (now.added < earlier.added || now.runs < earlier.runs) return samples.slice(index);
  }
  return samples;
}

/** Undefined while the samples cover less than 15 s. */
export function measure(all: readonly Sample[], pool: Pool): Measured | undefined {
  const samples = sinceReset(all, pool);
  const newest = samples.at(-1);
  const oldest = samples[0];
  if (!newest || !oldest || newest.at - oldest.at < 14_000) return undefined;
  const now = newest.pools[pool];
  const rate = before(samples, rateMs);
  const minutes = Math.max(newest.at - rate.at, 1) / 60_000;
  const then = rate.pools[pool];
  return {
    perSecond: arrivals(now, then) / minutes / 60,
    peakPerSecond: peakOf(samples, pool),
    risingPerSecond: risingOf(samples, pool),
    arrivalScv: withBursts(arrivalScv(samples, pool), dispersion(samples, pool)),
    service: serviceOf(samples, pool),
    takingSeconds: takingOf(samples, pool),
    ...upstreamShare(now, beforeRuns(samples, pool)),
    waited: waitedOf(samples, pool),
    crowdedPerMinute: (now.crowded - then.crowded) / minutes,
    queueFullPerMinute: (now.queueFull - then.queueFull) / minutes,
    now,
  };
}

const arrivals = (now: PoolSample, then: PoolSample): number =>
  Math.max(0, now.added - then.added) + Math.max(0, now.queueFull - then.queueFull);

/** Calls per second in the busiest stretch. Processes publish every 5 s, so shorter stretches are too coarse. */
function peakOf(samples: readonly Sample[], pool: Pool): number {
  const newest = samples.at(-1) as Sample;
  let peak = 0;
  for (let index = samples.length - 1; index > 0; index -= 1) {
    const end = samples[index] as Sample;
    if (newest.at - end.at > peakMs) break;
    const start = before(samples.slice(0, index + 1), stretchMs);
    const seconds = (end.at - start.at) / 1000;
    if (seconds < stretchMs / 2000) break;
    peak = Math.max(peak, arrivals(end.pools[pool], start.pools[pool]) / seconds);
  }
  return peak;
}

/** Extrapolates the rise of the last stretch over the one before it, by at most half of the calls. */
function risingOf(samples: readonly Sample[], pool: Pool): number {
  const newest = samples.at(-1) as Sample;
  const middle = before(samples, riseMs);
  const first = before(samples, 2 * riseMs);
  const seconds = (newest.at - middle.at) / 1000;
  const earlierSeconds = (middle.at - first.at) / 1000;
  if (earlierSeconds < riseMs / 2000) return 0;
  const now = arrivals(newest.pools[pool], middle.pools[pool]);
  const then = (arrivals(middle.pools[pool], first.pools[pool]) / earlierSeconds) * seconds;
  const more = now - then;
  const isSignificant = more > significantDeviations * Math.sqrt(now + then);
  return isSignificant ? (now + Math.min(more, now / 2)) / seconds : 0;
}

const within = (value: number) => Math.min(mostScv, Math.max(leastScv, value));

function scvOf(count: number, total: number, squares: number): number {
  const mean = total / count;
  return mean > 0 ? within(squares / count / mean ** 2 - 1) : 1;
}

/**
 * The variability of arrivals, computed in stretches against the mean of each: independent calls at a
 * changing rate are not bursts. The peak and the rise cover a changing rate.
 */
function arrivalScv(samples: readonly Sample[], pool: Pool): number {
  const newest = samples.at(-1) as Sample;
  let end = newest;
  let calls = 0;
  let scv = 0;
  for (let index = samples.length - 2; index >= 0; index -= 1) {
    const start = samples[index] as Sample;
    if (newest.at - start.at > peakMs) break;
    const now = end.pools[pool];
    const then = start.pools[pool];
    const count = now.added - then.added;
    if (end.at - start.at < riseMs || count < leastRuns) continue;
    scv += count * scvOf(count, now.gaps - then.gaps, now.gapSquares - then.gapSquares);
    calls += count;
    end = start;
  }
  return calls > 0 ? scv / calls : 1;
}

/**
 * The index of dispersion of counts: variance over mean of the jobs of a second, within stretches of 15 s. It
 * equals ca² for independent gaps, and shows bursts whose gaps are even. 0 where there are too few jobs.
 */
function dispersion(samples: readonly Sample[], pool: Pool): number {
  const none = { jobs: 0, variance: 0 };
  const now = (samples.at(-1) as Sample).pools[pool].compared ?? none;
  const then = before(samples, peakMs).pools[pool].compared ?? none;
  const jobs = now.jobs - then.jobs;
  return jobs < leastCompared ? 0 : within((now.variance - then.variance) / jobs);
}

/** Chance raises the dispersion of eight stretches, with 14 degrees of freedom each, to this times ca². */
const chanceDispersion = 1 + significantDeviations * Math.sqrt(2 / (8 * 14));

const withBursts = (scv: number, counted: number) =>
  counted > scv * chanceDispersion ? counted : scv;

/** The sample from which on service times are measured. */
function beforeRuns(samples: readonly Sample[], pool: Pool): PoolSample {
  const newest = samples.at(-1) as Sample;
  const enough = samples.findLast(({ at, pools }) => {
    const runs = newest.pools[pool].runs - pools[pool].runs;
    return newest.at - at >= (runs >= manyRuns ? rateMs : serviceMs);
  });
  return (enough ?? (samples[0] as Sample)).pools[pool];
}

function serviceOf(samples: readonly Sample[], pool: Pool): Measured["service"] {
  const now = (samples.at(-1) as Sample).pools[pool];
  const recent = beforeRuns(samples, pool);
  // Where few calls ended lately, older calls are better than none.
  const then = now.runs - recent.runs >= leastRuns ? recent : (samples[0] as Sample).pools[pool];
  const runs = now.runs - then.runs;
  if (runs > 0) {
    const total = now.runSeconds - then.runSeconds;
    const scv = runs < 5 ? 1 : scvOf(runs, total, now.runSquares - then.runSquares);
    return { seconds: total / runs, scv, runs };
  }
  // Without runs since the first sample, the totals of all time count.
  return now.runs > 0
    ? {
        seconds: now.runSeconds / now.runs,
        scv: scvOf(now.runs, now.runSeconds, now.runSquares),
        runs: 0,
      }
    : undefined;
}

/** Mean time of taking a job, over the last minute or as long as it takes to have enough jobs. */
function takingOf(samples: readonly Sample[], pool: Pool): number {
  const none = { jobs: 0, seconds: 0 };
  const { jobs, seconds } = (samples.at(-1) as Sample).pools[pool].taken ?? none;
  for (const ms of [rateMs, serviceMs, Infinity]) {
    const earlier = before(samples, ms).pools[pool].taken ?? none;
    const taken = jobs - earlier.jobs;
    if (taken >= leastTaken) return Math.max(0, seconds - earlier.seconds) / taken;
  }
  return 0;
}

function upstreamShare(
  now: PoolSample,
  then: PoolSample,
): Pick<Measured, "quotaWaitSeconds" | "requestsPerCall"> {
  const runs = now.runs - then.runs;
  const requestsPerCall: Record<string, number> = {};
  let waited = 0;
  for (const [name, { calls, quotaWait }] of Object.entries(now.upstreams)) {
    const earlier = then.upstreams[name] ?? { calls: 0, quotaWait: 0 };
    if (runs <= 0 || calls <= earlier.calls) continue;
    requestsPerCall[name] = (calls - earlier.calls) / runs;
    waited += quotaWait - earlier.quotaWait;
  }
  return { quotaWaitSeconds: runs > 0 ? Math.max(0, waited) / runs : 0, requestsPerCall };
}

function waitedOf(samples: readonly Sample[], pool: Pool): Measured["waited"] {
  const now = (samples.at(-1) as Sample).pools[pool];
  const then = before(samples, waitMs).pools[pool];
  const calls = now.waits - then.waits;
  if (calls <= 0) return undefined;
  let below = 0;
  let lower = 0;
  let p95 = Infinity;
  for (const bound of processMetrics.gateway_job_wait_seconds.buckets) {
    const count = (now.waitBuckets[bound] ?? 0) - (then.waitBuckets[bound] ?? 0);
    if (count > 0 && below + count >= calls * 0.95) {
      // Linear interpolation within a bucket, as in Prometheus.
      p95 = lower + ((calls * 0.95 - below) / count) * (bound - lower);
      break;
    }
    below += count;
    lower = bound;
  }
  const mean = (now.waitSeconds - then.waitSeconds) / calls;
  return {
    mean,
    eitherWay: eitherWay(waitedParts(samples, pool)),
    p95: Number.isFinite(p95) ? p95 : Math.max(lower, mean),
    calls,
  };
}

/** The waits in stretches of time, newest first. */
function waitedParts(samples: readonly Sample[], pool: Pool) {
  const newest = samples.at(-1) as Sample;
  const parts: { calls: number; seconds: number }[] = [];
  let end = newest;
  for (const start of samples.toReversed()) {
    if (newest.at - start.at > waitMs) break;
    if (end.at - start.at < riseMs) continue;
    const now = end.pools[pool];
    const then = start.pools[pool];
    parts.push({ calls: now.waits - then.waits, seconds: now.waitSeconds - then.waitSeconds });
    end = start;
  }
  return parts;
}

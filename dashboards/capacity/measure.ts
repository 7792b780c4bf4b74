import { processMetrics } from "../../contract/metrics.ts";
import type { Pool } from "../../contract/operation.ts";
import { eitherWay } from "./interval.ts";
import type { PoolSample, Sample } from "./sample.ts";

/** Arrivals are those of the last minute; the peak is the busiest 30 s of the last two. */
const rateMs = 60_000;
const peakMs = 120_000;
const stretchMs = 30_000;
/** A rise is seen in two stretches of this length, one after the other; a worker takes as long to start. */
const riseMs = 15_000;
/** Calls at random differ by so many standard deviations once in some hundred looks. */
const surely = 2.5;
/** Service times need many runs to be known: of the last minute if it has them, else of up to five; longer while there are few. */
const serviceMs = 300_000;
const manyRuns = 500;
const leastRuns = 30;
/** A wait is told of the last five minutes. */
const waitMs = 300_000;
/** What taking a job costs is known from as many. */
const leastTaken = 30;
/** Variability is believed only within these bounds. */
const leastScv = 0.05;
const mostScv = 16;

/** One pool over the last minutes, out of samples that only say what was counted so far. */
export interface Measured {
  /** Calls that came a second, those that found the queue full included. */
  perSecond: number;
  peakPerSecond: number;
  /** What they come to by the time that a worker has started, where they grow by more than chance; else 0. */
  risingPerSecond: number;
  /** Squared coefficients of variation; 1 where too little is known. */
  arrivalScv: number;
  /** Undefined while no call has ended yet. */
  service: { seconds: number; scv: number; runs: number } | undefined;
  /** What taking a job costs, slots or no slots; 0 while that is not known. */
  takingSeconds: number;
  /** Of a call's service time, what it waited for an upstream's quota. */
  quotaWaitSeconds: number;
  /** Requests that a call sends to each upstream. */
  requestsPerCall: Record<string, number>;
  /** Undefined while no call was taken from the queue. */
  waited: { mean: number; eitherWay: number; p95: number; calls: number } | undefined;
  /** Calls a minute that were refused by their account's concurrency, and because the queue was full. */
  crowdedPerMinute: number;
  queueFullPerMinute: number;
  now: PoolSample;
}

/** How long ago the newest sample that is at least `ms` old was taken, or the oldest there is. */
function before(samples: readonly Sample[], ms: number): Sample {
  const newest = samples.at(-1) as Sample;
  return samples.findLast(({ at }) => newest.at - at >= ms) ?? (samples[0] as Sample);
}

/** Samples since the last time that what was counted went backwards: Redis had lost it. */
export function sinceReset(samples: readonly Sample[], pool: Pool): readonly Sample[] {
  for (let index = samples.length - 1; index > 0; index -= 1) {
    const now = (samples[index] as Sample).pools[pool];
    const earlier = (samples[index - 1] as Sample).pools[pool];
    if (now.added < earlier.added || now.runs < earlier.runs) return samples.slice(index);
  }
  return samples;
}

/** Undefined while there is less than 15 s to look back on. */
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
    arrivalScv: arrivalScv(samples, pool),
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

/** Calls a second of the busiest stretch; processes publish every 5 s, so that shorter ones say little. */
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

/** As many more in the next stretch as this one had more than the one before, at most half as many again. */
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
  const sure = more > surely * Math.sqrt(now + then);
  return sure ? (now + Math.min(more, now / 2)) / seconds : 0;
}

const within = (value: number) => Math.min(mostScv, Math.max(leastScv, value));

function scvOf(count: number, total: number, squares: number): number {
  const mean = total / count;
  return mean > 0 ? within(squares / count / mean ** 2 - 1) : 1;
}

/**
 * Stretch by stretch, each against its own mean: calls that know nothing of each other, at a rate that
 * changes, are not bursts, and what a change of the rate asks for is told by the peak and the rise.
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

/** Where the runs begin that service times are known from. */
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
  // Where few calls ended lately, those before them still say more than none.
  const then = now.runs - recent.runs >= leastRuns ? recent : (samples[0] as Sample).pools[pool];
  const runs = now.runs - then.runs;
  if (runs > 0) {
    const total = now.runSeconds - then.runSeconds;
    const scv = runs < 5 ? 1 : scvOf(runs, total, now.runSquares - then.runSquares);
    return { seconds: total / runs, scv, runs };
  }
  // Before the first look: what is known of all time.
  return now.runs > 0
    ? {
        seconds: now.runSeconds / now.runs,
        scv: scvOf(now.runs, now.runSeconds, now.runSquares),
        runs: 0,
      }
    : undefined;
}

/** Of the last minute, or of as long as it takes to know it. */
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
      // Evenly spread within a bound, as everybody takes it who reads such buckets.
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

/** Stretch by stretch, newest first. */
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

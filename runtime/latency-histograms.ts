import { queuePrefix } from "./redis/keys.ts";

/**
 * Latency histograms: wait and run times of jobs, by pool and operation, for a day. Counts by logarithmic
 * bucket can be summed over workers and minutes, so that quantiles of any period follow from them. Workers
 * write them every few seconds; the dashboards read them.
 */

/** Four buckets per doubling: a quantile is off by at most 9 %. The last bucket holds all above four minutes. */
const perDoubling = 4;
const lastBucket = 72;

export const bucketOf = (ms: number): number =>
  ms <= 1 ? 0 : Math.min(lastBucket, Math.ceil(Math.log2(ms) * perDoubling));

/** The middle of a bucket in milliseconds. */
const middleOf = (bucket: number): number =>
  bucket === 0 ? 0.5 : 2 ** ((bucket - 0.5) / perDoubling);

/** Lengths of the counted periods: minutes, kept for an hour, and ten minutes, kept for a day. */
export const grains = {
  fine: { ms: 60_000, kept: 65 },
  coarse: { ms: 600_000, kept: 146 },
} as const;
export type Grain = keyof typeof grains;

export const slotOf = (grain: Grain, at: number): number => Math.floor(at / grains[grain].ms);

/** Hash of one period: `w<bucket>` and `r<bucket>` -> jobs that waited, or ran, this long. */
export const timesKey = (subject: string, grain: Grain, slot: number): string =>
  `${queuePrefix}:times:${subject}:${grain}:${slot}`;

/** Subject of a histogram: a whole pool, or one operation in it. */
export const subjectOf = (pool: string, operation?: string): string =>
  operation === undefined ? pool : `${pool}/${operation}`;

/** Hash of a pool's ten minutes: operation -> jobs, `<operation> r` -> milliseconds they ran. */
export const operationsKey = (pool: string, slot: number): string =>
  `${queuePrefix}:times:${pool}:operations:${slot}`;

export type Phase = "w" | "r";

/** Counts by bucket. */
export type Counts = Map<number, number>;

/** Adds the fields of a hash to counts. */
export function addCounts(to: Record<Phase, Counts>, hash: Readonly<Record<string, string>>): void {
  for (const [field, value] of Object.entries(hash)) {
    const counts = to[field[0] as Phase] as Counts | undefined;
    const bucket = Number(field.slice(1));
    counts?.set(bucket, (counts.get(bucket) ?? 0) + Number(value));
  }
}

export const countOf = (counts: Counts): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** Quantile in milliseconds: `part` of all jobs stayed below it. Undefined without jobs. */
export function quantile(counts: Counts, part: number): number | undefined {
  const rank = Math.ceil(countOf(counts) * part);
  let seen = 0;
  for (const [bucket, count] of [...counts].toSorted(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= rank) return middleOf(bucket);
  }
  return undefined;
}

/** Hash: upstream -> JSON of `TellsLeft`, from the rate-limit headers of its last answers. */
export const upstreamLeftKey = `${queuePrefix}:upstreams:left`;

export interface TellsLeft {
  /** Calls left in the upstream's current rate-limit window. */
  left: number;
  /** Unix time in milliseconds. */
  at: number;
}

/** Prefix of the keys that limit an upstream account: `leases`, `bucket`, `queue`, `seen`. */
export const upstreamLimitPrefix = `${queuePrefix}:limit`;
export const upstreamLimitKey = (prefix: string, account: string, part: string): string =>
  `${prefix}:{${account}}:${part}`;

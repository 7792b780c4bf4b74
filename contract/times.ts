import { queuePrefix } from "./job.ts";

/**
 * How long jobs waited and ran, by pool and operation, for a day: counts by logarithmic bucket, which add
 * up over workers and minutes, so that quantiles of any stretch of time follow from them. Workers write
 * them every few seconds; the dashboards read them.
 */

/** Four buckets for a doubling: a quantile is off by at most 9 %. The last holds all above four minutes. */
const perDoubling = 4;
const lastBucket = 72;

export const bucketOf = (ms: number): number =>
  ms <= 1 ? 0 : Math.min(lastBucket, Math.ceil(Math.log2(ms) * perDoubling));

/** The middle of a bucket in milliseconds. */
const middleOf = (bucket: number): number =>
  bucket === 0 ? 0.5 : 2 ** ((bucket - 0.5) / perDoubling);

/** Stretches of time that are counted on their own: minutes for an hour, ten minutes for a day. */
export const grains = {
  fine: { ms: 60_000, kept: 65 },
  coarse: { ms: 600_000, kept: 146 },
} as const;
export type Grain = keyof typeof grains;

export const slotOf = (grain: Grain, at: number): number => Math.floor(at / grains[grain].ms);

/** Hash of one stretch: `w<bucket>` and `r<bucket>` -> jobs that waited, or ran, so long. */
export const timesKey = (subject: string, grain: Grain, slot: number): string =>
  `${queuePrefix}:times:${subject}:${grain}:${slot}`;

/** What is counted: a whole pool, or one operation in it. */
export const subjectOf = (pool: string, operation?: string): string =>
  operation === undefined ? pool : `${pool}/${operation}`;

/** Hash of ten minutes: operation -> jobs, `<operation> r` -> milliseconds they ran, of a pool. */
export const operationsKey = (pool: string, slot: number): string =>
  `${queuePrefix}:times:${pool}:operations:${slot}`;

export type What = "w" | "r";

/** Counts by bucket. */
export type Counts = Map<number, number>;

/** Adds the fields of a hash to counts. */
export function addCounts(to: Record<What, Counts>, hash: Readonly<Record<string, string>>): void {
  for (const [field, value] of Object.entries(hash)) {
    const counts = to[field[0] as What] as Counts | undefined;
    const bucket = Number(field.slice(1));
    counts?.set(bucket, (counts.get(bucket) ?? 0) + Number(value));
  }
}

export const countOf = (counts: Counts): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** Milliseconds that this part of all jobs stayed below; undefined where there were none. */
export function quantile(counts: Counts, part: number): number | undefined {
  const rank = Math.ceil(countOf(counts) * part);
  let seen = 0;
  for (const [bucket, count] of [...counts].toSorted(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= rank) return middleOf(bucket);
  }
  return undefined;
}

/** Hash: upstream -> JSON of `TellsLeft`, as its last answers said. */
export const upstreamLeftKey = `${queuePrefix}:upstreams:left`;

export interface TellsLeft {
  /** Calls left until its window ends. */
  left: number;
  /** Unix time in milliseconds. */
  at: number;
}

/** Where workers keep to the limits of an upstream account: `leases`, `bucket`, `queue`, `seen`. */
export const upstreamLimitPrefix = `${queuePrefix}:limit`;
export const upstreamLimitKey = (prefix: string, account: string, part: string): string =>
  `${prefix}:{${account}}:${part}`;

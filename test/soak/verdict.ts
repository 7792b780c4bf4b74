/** The conclusions from a soak's readings: pure, so that the verdict itself can be tested. */

export type Status = number | "unknown";

/** A call's times, its status, and the API process that answered. */
export interface Answered {
  kind: string;
  api: string;
  /** Unix time in milliseconds, like all times here. */
  startedAt: number;
  endedAt: number;
  status: Status;
}

/** A fault's permitted effect: statuses, callers and time. */
export interface Excuse {
  fault: string;
  from: number;
  to: number;
  statuses: readonly Status[];
  /** Every kind when absent. */
  kinds?: readonly string[];
  /** Calls of every API process when absent. */
  api?: string;
}

/**
 * Calls with a status that neither their kind nor a fault during the call explains, one line each.
 */
export function unexplained(
  calls: readonly Answered[],
  expected: ReadonlyMap<string, readonly Status[]>,
  excuses: readonly Excuse[],
): string[] {
  const isExcused = (call: Answered) =>
    call.status !== 500 &&
    excuses.some(
      (excuse) =>
        excuse.statuses.includes(call.status) &&
        call.endedAt >= excuse.from &&
        call.startedAt <= excuse.to &&
        (excuse.kinds?.includes(call.kind) ?? true) &&
        (excuse.api ?? call.api) === call.api,
    );
  return calls
    .filter((call) => !expected.get(call.kind)?.includes(call.status) && !isExcused(call))
    .map((call) => {
      const before = excuses.findLast(({ from }) => from <= call.endedAt);
      const since = before
        ? `${((call.endedAt - before.from) / 1000).toFixed(1)} s after "${before.fault}" began`
        : "before any fault";
      return `${call.kind}: ${call.status} after ${call.endedAt - call.startedAt} ms, ${since}`;
    });
}

export interface Reading {
  at: number;
  value: number;
}

/** Permitted growth of a figure from beginning to end. */
export interface Limit {
  share: number;
  plus: number;
}

const windowMs = 60_000;
const leastWindows = 3;

/**
 * A figure's level in the first and in the last third of its readings: the median of its windows'
 * minima, because load only adds to the lasting part.
 */
export function levels(series: readonly Reading[]): { first: number; last: number } | undefined {
  const start = series[0]?.at;
  const end = series.at(-1)?.at;
  if (start === undefined || end === undefined || series.length < 3) return undefined;
  const third = (end - start) / 3;
  const first = levelOf(series.filter(({ at }) => at <= start + third));
  const last = levelOf(series.filter(({ at }) => at >= end - third));
  return { first, last };
}

function levelOf(part: readonly Reading[]): number {
  const start = (part[0] as Reading).at;
  const length = (part.at(-1) as Reading).at - start;
  const width = Math.max(1, Math.min(windowMs, length / leastWindows));
  const windows = Map.groupBy(part, ({ at }) => Math.floor((at - start) / width));
  return median([...windows.values()].map((some) => Math.min(...some.map(({ value }) => value))));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

export function exceeds(first: number, last: number, { share, plus }: Limit): boolean {
  return last > first * (1 + share) + plus;
}

/**
 * Series that are higher in their last third than their limit allows; one without readings counts
 * as well.
 */
export function grown(
  series: ReadonlyMap<string, readonly Reading[]>,
  limits: Readonly<Record<string, Limit>>,
): string[] {
  return [...series].flatMap(([name, readings]) => {
    const figure = name.slice(name.lastIndexOf(" ") + 1);
    const limit = limits[figure];
    if (!limit) return [];
    const level = levels(readings);
    if (!level) return [`${name}: too few readings`];
    const { first, last } = level;
    return exceeds(first, last, limit) ? [`${name}: from ${round(first)} to ${round(last)}`] : [];
  });
}

const round = (value: number) => Math.round(value * 10) / 10;

/** Figures that are higher at rest after the traffic than at rest before it. */
export function leftAtRest(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  limits: Readonly<Record<string, Limit>>,
): string[] {
  return [...after].flatMap(([name, now]) => {
    const limit = limits[name.slice(name.lastIndexOf(" ") + 1)];
    const then = before.get(name);
    if (!limit) return [];
    if (then === undefined) return [`${name}: not read before the traffic`];
    return exceeds(then, now, limit)
      ? [`${name}: ${round(then)} at rest before, ${round(now)} after`]
      : [];
  });
}

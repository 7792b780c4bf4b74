import type { HistoryPoint } from "../../db/capacity.ts";
import type { MinuteOfCalls } from "./calls.ts";

/** Calls, errors and waits of each pool over the last hour, day or week: the figures behind the charts. */

export const spans = {
  hour: { hours: 1, minutes: 1 },
  day: { hours: 24, minutes: 15 },
  week: { hours: 168, minutes: 120 },
} as const;
export type Span = keyof typeof spans;

export const spanNames = Object.keys(spans) as Span[];

/** The span that an address asks for; the hour where it names none. */
export function spanOf(query: unknown): Span {
  const asked = (query as { span?: unknown } | undefined)?.span;
  return spanNames.find((name) => name === asked) ?? "hour";
}

/** A value from a moment on, in Unix milliseconds. */
export interface Point {
  at: number;
  value: number;
}

export interface PoolTraffic {
  pool: string;
  /** Calls that ended in a minute; the busiest minute of each interval where it is longer. */
  calls: Point[];
  /** Calls that failed in a minute; the worst minute of each interval where it is longer. Undefined where none was counted. */
  errors: Point[] | undefined;
  /** Failed calls of the span, in an hour the present minute included, and those of live keys among them. */
  failed: number | undefined;
  liveErrors: number;
  /** Whether each minute has its own count: a minute without an entry had no call. */
  isCounted: boolean;
  /** The 95th percentile of the wait in milliseconds, the longest of each interval. */
  waits: Point[];
}

const minuteMs = 60_000;

/** Pools with calls or waits, by name. `minutes` is undefined while Redis does not answer, `history` without a database. */
export function trafficOf(
  minutes: readonly MinuteOfCalls[] | undefined,
  history: readonly HistoryPoint[] | undefined,
  { span, now }: { span: Span; now: number },
): PoolTraffic[] {
  const points = history ?? [];
  const isHour = span === "hour";
  const counted = isHour ? (minutes ?? []) : [];
  const pools = new Set([
    ...counted.flatMap((minute) => Object.keys(minute.pools)),
    ...points.map(({ pool }) => pool),
  ]);
  pools.delete("none");
  const last = Math.floor(now / minuteMs);
  const perMinute = (pool: string, what: "calls" | "errors"): Point[] => {
    const found = new Map(counted.map(({ at, pools: of }) => [at, of[pool]?.[what] ?? 0]));
    // A minute without a call has no hash. The present one has just begun, so its count would look like a fall.
    return Array.from({ length: 60 }, (_, index) => (last - 60 + index) * minuteMs).map((at) => ({
      at,
      value: found.get(at) ?? 0,
    }));
  };
  const sumOf = (pool: string, what: "errors" | "liveErrors") =>
    counted.reduce((sum, { pools: of }) => sum + (of[pool]?.[what] ?? 0), 0);
  const ofHour = (pool: string) => ({
    calls: perMinute(pool, "calls"),
    errors: perMinute(pool, "errors"),
    failed: sumOf(pool, "errors"),
    liveErrors: sumOf(pool, "liveErrors"),
    isCounted: true,
  });
  return [...pools].toSorted().map((pool) => {
    const own = points.filter((point) => point.pool === pool);
    return {
      pool,
      ...(isHour ? ofHour(pool) : ofHistory(own)),
      waits: own.flatMap(({ at, p95WaitMs }) =>
        p95WaitMs === null ? [] : [{ at, value: p95WaitMs }],
      ),
    };
  });
}

function ofHistory(points: readonly HistoryPoint[]) {
  const errors = points.flatMap(({ at, failedMost }) =>
    failedMost === null ? [] : [{ at, value: failedMost }],
  );
  const isKnown = errors.length > 0;
  const sum = (what: "failed" | "failedLive") =>
    points.reduce((total, point) => total + point[what], 0);
  return {
    calls: points.map(({ at, callsPerSecond }) => ({ at, value: callsPerSecond * 60 })),
    errors: isKnown ? errors : undefined,
    failed: isKnown ? sum("failed") : undefined,
    liveErrors: sum("failedLive"),
    isCounted: false,
  };
}

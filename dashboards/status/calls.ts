import type { Redis } from "ioredis";
import { callCountsKey, callEndOf, countedForMinutes } from "../../runtime/call-counts.ts";
import { type ErrorType, errorTypes } from "../../contract/errors.ts";

export const callModes = ["live", "test", "none"] as const;
/** Mode of the key; `none` stands for requests without a valid key. */
export type CallMode = (typeof callModes)[number];

/** Failures of the gateway or an upstream; all other error types are faults of the request. */
const ownTypes: readonly ErrorType[] = [
  "internal_error",
  "response_shape_error",
  "upstream_error",
  "upstream_unavailable",
];
export const isOwn = (type: ErrorType): boolean => ownTypes.includes(type);

export interface ErrorCount {
  mode: CallMode;
  type: ErrorType;
  count: number;
  /** Pools of the calls, those with most errors first; `none` where the request named no operation. */
  pools: string[];
  /** Unix times in milliseconds: begin of the first minute with such an error, and end of the last one. */
  since: number;
  last: number;
}

/** Calls that ended in a minute, and how many of them failed, by pool. */
export interface MinuteOfCalls {
  /** Begin of the minute, Unix time in milliseconds. */
  at: number;
  pools: Record<string, { calls: number; errors: number; liveErrors: number }>;
}

/** Calls that ended within the last hour. */
export interface HourOfCalls {
  minutes: MinuteOfCalls[];
  ended: Record<CallMode, number>;
  errors: ErrorCount[];
}

const minuteMs = 60_000;

export function readHour(redis: Redis, now: number): Promise<HourOfCalls> {
  const last = Math.floor(now / minuteMs);
  // Clocks of API processes may be a little ahead of the clock of Redis.
  return readMinutes(
    redis,
    Array.from({ length: countedForMinutes + 1 }, (_, at) => last + 1 - at),
  );
}

/** The calls of the minute before `now`, which is over. */
export async function readLastMinute(redis: Redis, now: number): Promise<MinuteOfCalls> {
  const { minutes } = await readMinutes(redis, [Math.floor(now / minuteMs) - 1]);
  return minutes[0] as MinuteOfCalls;
}

async function readMinutes(redis: Redis, minutes: readonly number[]): Promise<HourOfCalls> {
  const pipeline = redis.pipeline();
  for (const minute of minutes) pipeline.hgetall(callCountsKey(minute));
  const answers = (await pipeline.exec()) ?? [];
  return hourOf(
    answers.map(([error, hash], at) => {
      if (error) throw error;
      return { minute: minutes[at] as number, counts: hash as Record<string, string> };
    }),
  );
}

/** Sums the hashes of minutes, given in any order. */
export function hourOf(
  minutes: readonly { minute: number; counts: Readonly<Record<string, string>> }[],
): HourOfCalls {
  const ended: HourOfCalls["ended"] = { live: 0, test: 0, none: 0 };
  const found = new Map<string, ErrorCount & { byPool: Map<string, number> }>();
  const perMinute: MinuteOfCalls[] = [];
  for (const { minute, counts } of minutes) {
    const ofMinute: MinuteOfCalls = { at: minute * minuteMs, pools: {} };
    perMinute.push(ofMinute);
    for (const [field, value] of Object.entries(counts)) {
      const { mode: sent, pool, end } = callEndOf(field);
      const mode = callModes.find((one) => one === sent) ?? "none";
      const count = Number(value);
      ended[mode] += count;
      const ofPool = (ofMinute.pools[pool] ??= { calls: 0, errors: 0, liveErrors: 0 });
      ofPool.calls += count;
      if (end !== "ok") ofPool.errors += count;
      if (end !== "ok" && mode === "live") ofPool.liveErrors += count;
      if (end === "ok" || !errorTypes.includes(end)) continue;
      const key = `${mode} ${end}`;
      const since = minute * minuteMs;
      const one = found.get(key) ?? {
        mode,
        type: end,
        count: 0,
        pools: [],
        since,
        last: since + minuteMs,
        byPool: new Map(),
      };
      one.count += count;
      one.since = Math.min(one.since, since);
      one.last = Math.max(one.last, since + minuteMs);
      one.byPool.set(pool, (one.byPool.get(pool) ?? 0) + count);
      found.set(key, one);
    }
  }
  const errors = [...found.values()].map(({ byPool, ...one }) => ({
    ...one,
    pools: [...byPool].toSorted(([, a], [, b]) => b - a).map(([pool]) => pool),
  }));
  return { minutes: perMinute, ended, errors: errors.toSorted((a, b) => b.count - a.count) };
}

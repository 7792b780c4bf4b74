import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { redisTime } from "../../runtime/store-clock.ts";
import { operations } from "../../contract/index.ts";
import { queueOf, queuePrefix } from "../../runtime/redis/keys.ts";
import type { Pool } from "../../contract/operation.ts";
import { type LastError, lastErrorsKey } from "../../runtime/call-log.ts";
import {
  type Counts,
  type Grain,
  type Phase,
  addCounts,
  countOf,
  grains,
  operationsKey,
  quantile,
  slotOf,
  subjectOf,
  timesKey,
} from "../../runtime/latency-histograms.ts";
import type { Database } from "../../db/client.ts";
import { type ControlRow, standingControls } from "../../db/controls.ts";
import { type InFlight, inFlight } from "../../db/in-flight.ts";
import { readPublished } from "../metrics.ts";
import { type PoolState, type Queues, readPool } from "../state.ts";
import { parsed, readUpstreamStates, type UpstreamState } from "../upstreams/limits.ts";

/** A pool, or one of its operations. */
export interface Subject {
  pool: Pool;
  operation?: string | undefined;
}

export const parts = [0.5, 0.95, 0.99] as const;

/** Milliseconds at each of `parts`; undefined where there were no jobs. */
export type Quantiles = (number | undefined)[];

export interface Stretch {
  name: "5 min" | "1 h" | "24 h";
  jobs: number;
  whole: Record<Phase, Quantiles>;
  /** Oldest first, evenly spaced; the last point is still incomplete. */
  points: (Record<Phase, Quantiles> & { at: number })[];
  /** Milliseconds between two points, whose `at` (Unix time in milliseconds) is the start of their time. */
  stepMs: number;
}

export interface PoolReading {
  subject: Subject;
  state: PoolState;
  paused: boolean;
  stretches: Stretch[];
  /** The operations of the last hour, the most frequent first. */
  operations: { id: string; jobs: number; meanMs: number }[];
  upstreams: UpstreamState[];
  errors: LastError[];
  /** Undefined where the database does not answer. */
  accounts: InFlight[] | undefined;
  controls: ControlRow[];
}

const windows: { name: Stretch["name"]; grain: Grain; slots: number }[] = [
  { name: "5 min", grain: "fine", slots: 6 },
  { name: "1 h", grain: "fine", slots: 60 },
  { name: "24 h", grain: "coarse", slots: 145 },
];

const none = (): Record<Phase, Counts> => ({ w: new Map(), r: new Map() });
const quantilesOf = (counts: Record<Phase, Counts>): Record<Phase, Quantiles> => ({
  w: parts.map((part) => quantile(counts.w, part)),
  r: parts.map((part) => quantile(counts.r, part)),
});

/** Reads every fine and every coarse time slot once; each window is built from those. */
async function readStretches(redis: Redis, subject: string, now: number): Promise<Stretch[]> {
  const hashes = { fine: [] as Record<string, string>[], coarse: [] as Record<string, string>[] };
  const slotCounts = { fine: 60, coarse: 145 };
  await Promise.all(
    (["fine", "coarse"] as const).map(async (grain) => {
      const last = slotOf(grain, now);
      const length = slotCounts[grain];
      const slots = Array.from({ length }, (_, at) => last - length + 1 + at);
      const pipeline = redis.pipeline();
      for (const slot of slots) pipeline.hgetall(timesKey(subject, grain, slot));
      const answers = (await pipeline.exec()) ?? [];
      hashes[grain] = answers.map(([error, hash]) => {
        if (error) throw error;
        return hash as Record<string, string>;
      });
    }),
  );
  return windows.map(({ name, grain, slots }) => {
    const whole = none();
    const stepMs = grains[grain].ms;
    const first = slotOf(grain, now) - slots + 1;
    const points = hashes[grain].slice(-slots).map((hash, index) => {
      const counts = none();
      addCounts(counts, hash);
      addCounts(whole, hash);
      return { at: (first + index) * stepMs, ...quantilesOf(counts) };
    });
    return { name, jobs: countOf(whole.r), whole: quantilesOf(whole), points, stepMs };
  });
}

async function readOperations(redis: Redis, pool: Pool, now: number) {
  const last = slotOf("coarse", now);
  const slots = Array.from({ length: 3_600_000 / grains.coarse.ms + 1 }, (_, ago) => last - ago);
  const found = await Promise.all(slots.map((slot) => redis.hgetall(operationsKey(pool, slot))));
  const sums = new Map<string, { jobs: number; ms: number }>();
  for (const [field, value] of found.flatMap((hash) => Object.entries(hash))) {
    const [id = "", isMs] = field.split(" ");
    const one = sums.get(id) ?? { jobs: 0, ms: 0 };
    sums.set(id, one);
    one[isMs ? "ms" : "jobs"] += Number(value);
  }
  return [...sums]
    .map(([id, { jobs, ms }]) => ({ id, jobs, meanMs: jobs > 0 ? ms / jobs : 0 }))
    .toSorted((a, b) => b.jobs - a.jobs);
}

/** The upstreams to which these operations have sent requests. */
async function readUpstreams(
  redis: Redis,
  ids: ReadonlySet<string>,
  now: number,
): Promise<UpstreamState[]> {
  const published = await readPublished(redis);
  const names = new Set<string>();
  for (const field of Object.keys(published.totals)) {
    const [metric, upstream = "", operation = ""] = parsed<string[]>(field) ?? [];
    if (metric === "gateway_upstream_calls_total" && ids.has(operation)) names.add(upstream);
  }
  return readUpstreamStates(redis, [...names].toSorted(), published, now);
}

/** Most running jobs that are looked up; a pool has fewer slots. */
const mostActive = 1000;

/** Rejects when Redis does not answer. Without the database, accounts and controls are missing. */
export async function readPoolPage(
  stores: { redis: Redis; db: Database | undefined; queues: Queues },
  subject: Subject,
): Promise<PoolReading> {
  const { redis, db, queues } = stores;
  const { pool, operation } = subject;
  const ofPool = [...operations.values()].filter((op) => op.pool === pool).map(({ id }) => id);
  const ids = operation === undefined ? ofPool : [operation];
  const now = await redisTime(redis);
  const active = redis.lrange(`${queuePrefix}:${queueOf(pool)}:active`, 0, mostActive - 1);
  const [state, paused, stretches, found, upstreams, errors, accounts, controls] =
    await Promise.all([
      readPool(redis, queues.get(pool) as Queue, pool, now),
      redis.hexists(`${queuePrefix}:${queueOf(pool)}:meta`, "paused"),
      readStretches(redis, subjectOf(pool, operation), now),
      readOperations(redis, pool, now),
      readUpstreams(redis, new Set(ids), now),
      redis.lrange(lastErrorsKey(pool), 0, -1),
      active.then((jobs) => (db ? inFlight(db, ids, jobs) : undefined)).catch(() => undefined),
      (db ? standingControls(db) : Promise.resolve([])).catch(() => []),
    ]);
  const lastErrors = errors.flatMap((text) => parsed<LastError>(text) ?? []);
  const names = new Set(upstreams.map(({ name }) => name));
  return {
    subject,
    state,
    paused: paused === 1,
    stretches,
    operations: operation === undefined ? found : found.filter(({ id }) => id === operation),
    upstreams,
    errors:
      operation === undefined
        ? lastErrors
        : lastErrors.filter((one) => one.operation === operation),
    accounts,
    controls: controls.filter(
      ({ kind, target }) =>
        (kind === "pool" && target === pool) ||
        (kind === "operation" && ids.includes(target)) ||
        (kind === "upstream" && names.has(target)),
    ),
  };
}

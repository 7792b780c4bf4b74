import { operations } from "../contract/index.ts";
import { type Pool, pools } from "../contract/operation.ts";
import type { CapacityAnswer } from "../dashboards/capacity/answer.ts";
import { defaultSettings } from "../dashboards/capacity/settings.ts";
import { question, whatIf } from "../dashboards/capacity/what-if.ts";
import { type UsedRow, daysOfUse, usedByPool } from "../db/capacity.ts";
import { type WorkTimes, readWorkTimes } from "./capacity-times.ts";
import { askDashboards } from "./dashboards.ts";
import { table } from "./output.ts";
import type { Output } from "./output.ts";
import { withDatabase } from "./system.ts";

const dayMs = 24 * 3_600_000;
/** A mean of fewer runs says less than the answer times of the whole range. */
const leastRuns = 30;
const round = (value: number): number => Number(value.toPrecision(3));

export interface PlanOptions {
  from: "usage";
  days: number;
  growth: number;
}

/** Facts that the plan rests on, beside the usage. */
interface Basis {
  options: PlanOptions;
  /** Days from the first call of the range to now. */
  coveredDays: number;
  /** Targets and slots of a worker as the dashboards have them; undefined where they do not answer. */
  capacity: CapacityAnswer | undefined;
  /** Undefined where Redis does not answer. */
  times: WorkTimes | undefined;
}

/** Requests a minute that the peak sends to each upstream account, beside its quota. */
function quotasOf(row: UsedRow, perSecond: number, { times }: Basis) {
  if (!times || row.operation !== null) return [];
  return times.quotas.flatMap(({ names, perMinute }) => {
    const perCall = times.requestsPerCall(row.pool, names);
    if (perCall === 0) return [];
    const needed = round(perCall * perSecond * 60);
    return [{ upstream: names.join(" and "), needed, allowed: round(perMinute) }];
  });
}

/** The workers that serve the busiest minute of a pool or an operation, times the growth. */
function planned(row: UsedRow, basis: Basis) {
  const { capacity, times, options, coveredDays } = basis;
  const usual = defaultSettings()[row.pool as Pool];
  const known = capacity?.pools[row.pool as Pool];
  const run = times?.of(row.pool, row.operation);
  const measured = run && run.runs >= leastRuns ? run : undefined;
  const meanMs = measured?.meanMs ?? row.meanMs;
  const scv = measured?.scv ?? row.scv;
  const perSecond = (row.peakMinute / 60) * options.growth;
  const { workers, slots, busy_slots } = whatIf(
    question.parse({
      pool: row.pool,
      per_second: perSecond,
      service_ms: Math.max(0.1, meanMs),
      service_scv: Math.min(100, scv),
      target_ms: known?.target_p95_wait_ms ?? usual.targetMs,
      slots_per_worker: known?.slots.per_worker ?? usual.defaultSlots,
    }),
  );
  return {
    pool: row.pool,
    operation: row.operation,
    calls: row.calls,
    calls_next_month: Math.round(((row.calls * options.growth) / coveredDays) * 30),
    peak_per_second: round(perSecond),
    mean_ms: round(meanMs),
    /** `runs`: the time that jobs held their slots. `answers`: the whole answer, where too few runs are known. */
    mean_of: measured ? "runs" : "answers",
    scv: round(scv),
    busy_slots: round(busy_slots),
    slots,
    workers,
    quotas: quotasOf(row, perSecond, basis),
    credits: row.credits,
  };
}

/** `capacity plan`: next month's workers, from the usage of the last days. */
export async function plan(options: PlanOptions): Promise<Output> {
  const to = new Date();
  const from = new Date(to.getTime() - options.days * dayMs);
  const poolOf = Object.fromEntries([...operations].map(([id, { pool }]) => [id, pool]));
  const [[used, days], capacity, times] = await Promise.all([
    withDatabase((db) =>
      Promise.all([usedByPool(db, { from, to }, poolOf), daysOfUse(db, { from, to })]),
    ),
    (askDashboards("/capacity") as Promise<CapacityAnswer>).catch(() => undefined),
    readWorkTimes().catch(() => undefined),
  ]);
  const coveredDays = Math.max(
    1 / 24,
    Math.min(options.days, (to.getTime() - (days.firstAt ?? from).getTime()) / dayMs),
  );
  const basis: Basis = { options, coveredDays, capacity, times };
  const rows = used.map((row) => planned(row, basis));
  return {
    json: {
      from: from.toISOString(),
      to: to.toISOString(),
      days_with_calls: days.withCalls,
      first_call_at: days.firstAt?.toISOString() ?? null,
      settings_from: capacity ? "dashboards" : "defaults",
      growth: options.growth,
      rows,
    },
    text:
      rows.length === 0
        ? `No call reached a worker in the last ${options.days} days.`
        : textOf(rows, basis, days.withCalls),
  };
}

function textOf(
  rows: readonly ReturnType<typeof planned>[],
  { options, capacity, times, coveredDays }: Basis,
  withCalls: number,
): string {
  const ofPools = rows.filter(({ operation }) => operation === null);
  const headings = ["pool", `calls in ${options.days} days`, "next month", "peak/s", "mean ms"];
  headings.push("cs2", "busy slots", "slots", "workers", "credits");
  const lines = ofPools.map((row) => [
    row.pool,
    row.calls,
    row.calls_next_month,
    row.peak_per_second,
    row.mean_ms,
    row.scv,
    row.busy_slots,
    row.slots,
    row.workers,
    row.credits,
  ]);
  const short = ofPools.flatMap(({ pool, quotas }) =>
    quotas
      .filter(({ needed, allowed }) => needed > allowed)
      .map(
        ({ upstream, needed, allowed }) =>
          `${pool}: the peak needs ${needed} requests a minute to ${upstream}, whose quota is ${allowed}: more workers will not help.`,
      ),
  );
  const few = withCalls < 7 ? " That is too short to know a week's peak." : "";
  const answers = ofPools.filter(({ mean_of }) => mean_of === "answers").map(({ pool }) => pool);
  const notes = [
    `The plan rests on ${withCalls} day${withCalls === 1 ? "" : "s"} with calls, of the last ${round(coveredDays)} days.${few}`,
    `The peak is the busiest minute, times ${options.growth}.`,
    answers.length === 0
      ? "The mean is the time that a job holds its slot."
      : `The mean is the time that a job holds its slot; of ${answers.join(", ")} it covers the whole answer, as too few runs are known.`,
    capacity
      ? "Targets and slots of a worker are those of the running gateway."
      : "The dashboards do not answer, so targets and slots of a worker are the defaults.",
    ...(times ? [] : ["Redis does not answer, so quotas are not compared."]),
  ];
  return [table(headings, lines), ...short, notes.join(" ")].join("\n\n");
}

/** A sentence for a pool that does not exist. */
export const noSuchPool = (pool: string): string =>
  `There is no pool ${pool}. The pools: ${pools.join(", ")}.`;

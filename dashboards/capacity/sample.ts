import type { Quota } from "../../runtime/quota.ts";
import type { MachineLoad, SlotsBound } from "../../runtime/queue.ts";
import { type Pool, pools } from "../../contract/operation.ts";
import type { Reading } from "../metrics.ts";
import { boundOf } from "../slots-bound.ts";

/** One pool in one sample of the published metrics. Figures described with "so far" are cumulative. */
export interface PoolSample {
  /** Jobs put into the queue, and calls that found it full, so far. */
  added: number;
  queueFull: number;
  /** Calls refused by their account's own concurrency limit so far. */
  crowded: number;
  /** Sum, and sum of squares, of the seconds between arrivals so far. */
  gaps: number;
  gapSquares: number;
  /** Jobs whose seconds were compared, and their variance times the seconds, so far. Samples of an earlier release lack it. */
  compared?: { jobs: number; variance: number };
  /** Jobs ended, with sum and sum of squares of the seconds they held a slot, so far. */
  runs: number;
  runSeconds: number;
  runSquares: number;
  /** Waits in the queue so far: sum in seconds, and how many were within each bound but no lower one. */
  waits: number;
  waitSeconds: number;
  waitBuckets: Record<string, number>;
  /** Jobs taken, and the seconds between a free slot and the taking, so far. Samples of an earlier release lack it. */
  taken?: { jobs: number; seconds: number };
  /** Requests to each upstream, and seconds spent waiting for its quota, so far. */
  upstreams: Record<string, { calls: number; quotaWait: number }>;
  waiting: number;
  running: number;
  slots: number;
  /** The resource that keeps the slots at their number. Samples of an earlier release lack it; their slots are a setting. */
  bound?: SlotsBound;
  workers: number;
  machines: MachineLoad[];
}

export interface DatabaseLoad {
  /** Time of the simplest statement. */
  milliseconds: number;
  connections: number;
  most: number;
  /** Sessions that wait for a lock. Samples of an earlier release lack it. */
  blocked?: number;
}

export const creditSteps = ["reserve", "settle"] as const;

export interface Sample {
  /** Unix time in milliseconds on the clock of Redis. */
  at: number;
  pools: Record<Pool, PoolSample>;
  quotas: Record<string, Quota>;
  redis: { processorSeconds: number; usedBytes: number; limitBytes: number };
  database?: DatabaseLoad | undefined;
  /** Calls that passed a step of their credits, with the seconds that they spent there, so far. */
  credits?: Record<(typeof creditSteps)[number], { calls: number; seconds: number }> | undefined;
  /** The account with most calls refused by its own concurrency limit in the last minute. */
  crowdedBy?: Partial<Record<Pool, string>> | undefined;
}

type Totals = { labels: string[]; value: number }[];

/** The published totals by metric. */
function byMetric(totals: Record<string, string>): (name: string) => Totals {
  const found = new Map<string, Totals>();
  for (const [field, value] of Object.entries(totals)) {
    const [name = "", ...labels] = JSON.parse(field) as string[];
    const known = found.get(name) ?? [];
    known.push({ labels: labels.map(String), value: Number(value) });
    found.set(name, known);
  }
  return (name) => found.get(name) ?? [];
}

const sum = (totals: Totals): number => totals.reduce((total, { value }) => total + value, 0);

export function sampleOf(
  reading: Reading,
  at: number,
  quotas: Record<string, Quota>,
  database?: DatabaseLoad,
  crowdedBy?: Sample["crowdedBy"],
): Sample {
  const totals = byMetric(reading.published.totals);
  const known = Object.fromEntries(
    pools.map((pool) => [pool, poolSample(pool, reading, totals)]),
  ) as Record<Pool, PoolSample>;
  const { processorSeconds, usedBytes, limitBytes } = reading.redis;
  return {
    at,
    pools: known,
    quotas,
    redis: { processorSeconds, usedBytes, limitBytes },
    database,
    credits: { reserve: creditsOf("reserve", totals), settle: creditsOf("settle", totals) },
    crowdedBy,
  };
}

function creditsOf(step: string, totals: (name: string) => Totals) {
  const of = (name: string) => sum(totals(name).filter(({ labels }) => labels[0] === step));
  return {
    calls: of("gateway_credit_steps_total"),
    seconds: of("gateway_credit_step_seconds_total"),
  };
}

function poolSample(pool: Pool, reading: Reading, totals: (name: string) => Totals): PoolSample {
  const state = reading.pools.find((one) => one.pool === pool) as Reading["pools"][number];
  const of = (name: string) => totals(name).filter(({ labels }) => labels[0] === pool);
  const heldBack = (reason: string) =>
    sum(of("gateway_calls_held_back_total").filter(({ labels }) => labels[1] === reason));
  const waited = of("gateway_job_wait_seconds");
  const part = (name: string) => sum(waited.filter(({ labels }) => labels[1] === name));
  const buckets = waited.filter(({ labels: [, bound = ""] }) => Number(bound) > 0);
  const machines = new Map(
    state.beats.flatMap(({ machine }) => (machine ? [[machine.process, machine]] : [])),
  );
  return {
    added: sum(of("gateway_jobs_added_total")),
    queueFull: heldBack("queue"),
    crowded: heldBack("concurrency"),
    gaps: sum(of("gateway_job_gap_seconds_total")),
    gapSquares: sum(of("gateway_job_gap_seconds_squared_total")),
    compared: {
      jobs: sum(of("gateway_jobs_compared_total")),
      variance: sum(of("gateway_jobs_variance_total")),
    },
    runs: sum(of("gateway_operation_runs_total")),
    runSeconds: sum(of("gateway_operation_run_seconds_total")),
    runSquares: sum(of("gateway_operation_run_seconds_squared_total")),
    waits: part("count"),
    waitSeconds: part("sum"),
    waitBuckets: Object.fromEntries(buckets.map(({ labels, value }) => [labels[1], value])),
    taken: {
      jobs: sum(of("gateway_jobs_taken_total")),
      seconds: sum(of("gateway_job_taking_seconds_total")),
    },
    upstreams: upstreamsOf(pool, totals),
    waiting: state.jobs.waiting + state.jobs.prioritized + state.jobs.delayed,
    running: state.running,
    slots: state.slots,
    bound: boundOf(state.beats),
    workers: state.workers,
    machines: [...machines.values()],
  };
}

/** Whether `WORKER_SLOTS` is the same in two samples: another number means a restart with other settings. */
export function compareSlots(earlier: Sample, now: Sample): "same" | "other" | "unknown" {
  let isKnown = true;
  for (const pool of pools) {
    const [was, is] = [earlier.pools[pool], now.pools[pool]];
    if (was.workers === 0) continue;
    if (is.workers === 0) isKnown = false;
    else if (isFollowing(was) || isFollowing(is)) continue;
    else if (was.slots / was.workers !== is.slots / is.workers) return "other";
  }
  return isKnown ? "same" : "unknown";
}

const isFollowing = ({ bound = "setting" }: PoolSample): boolean => bound !== "setting";

function upstreamsOf(pool: Pool, totals: (name: string) => Totals): PoolSample["upstreams"] {
  const found: PoolSample["upstreams"] = {};
  // The totals name the operations of each pool; loading the contract for that would take memory.
  const own = new Set(
    totals("gateway_operation_runs_total")
      .filter(({ labels }) => labels[0] === pool)
      .map(({ labels }) => labels[1]),
  );
  const add = (name: string, field: "calls" | "quotaWait") => {
    for (const { labels, value } of totals(name)) {
      const [upstream = "", operation = ""] = labels;
      if (!own.has(operation)) continue;
      const one = (found[upstream] ??= { calls: 0, quotaWait: 0 });
      one[field] += value;
    }
  };
  add("gateway_upstream_calls_total", "calls");
  add("gateway_upstream_quota_wait_seconds_total", "quotaWait");
  return found;
}

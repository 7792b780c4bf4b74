import { type Pool, pools } from "../../contract/operation.ts";
import type { Bottleneck, PoolAnswer } from "./answer.ts";
import { type Measured, measure } from "./measure.ts";
import { type Load, slotsFor, waits } from "./model.ts";
import { reasonOf } from "./reason.ts";
import type { PoolSample, Sample } from "./sample.ts";
import { bindingBottleneck, bottlenecksOf, planned, quotaShare } from "./bottlenecks.ts";

export interface PoolSettings {
  /** Target of the 95th percentile of the wait. */
  targetMs: number;
  floor: number;
  ceiling: number;
  /** Slots of one worker, assumed while no worker reports any. */
  defaultSlots: number;
}

/** State of the smoothing. It is stored in Redis, so its fields keep their names. */
export interface Memory {
  desired: number;
  /** Numbers of workers computed in the last minutes, oldest first, before smoothing. */
  wanted: { at: number; workers: number }[];
  raisedAt: number;
  loweredAt: number;
}

/** Up: at most double at once, and again after 15 s. Down: to the highest need of two minutes, a fifth at a time. */
const raiseEveryMs = 15_000;
const lowerEveryMs = 20_000;
const settleMs = 120_000;
/** The slots that a worker reaches are the mean of so long. */
const reachMs = 60_000;
/** The backlog is cleared in this time, or in the target where that is longer. */
const drainSeconds = 30;

const milliseconds = (seconds: number): number | null =>
  Number.isFinite(seconds) ? Math.round(seconds * 10_000) / 10 : null;
const rounded = (value: number): number => Math.round(value * 1000) / 1000;

export interface Decided {
  answer: Record<Pool, PoolAnswer>;
  memory: Record<Pool, Memory>;
  /** False while no pool has enough samples. */
  ready: boolean;
}

export function decideAll(
  samples: readonly Sample[],
  settings: Readonly<Record<Pool, PoolSettings>>,
  memory: Partial<Readonly<Record<Pool, Memory>>>,
): Decided {
  const newest = samples.at(-1) as Sample;
  const measured = new Map<Pool, Measured>();
  for (const pool of pools) {
    const one = measure(samples, pool);
    if (one) measured.set(pool, one);
  }
  const answer: Partial<Record<Pool, PoolAnswer>> = {};
  const kept: Partial<Record<Pool, Memory>> = {};
  for (const pool of pools) {
    const decided = decide({
      now: newest.pools[pool],
      perWorker: slotsPerWorker(samples, pool),
      at: newest.at,
      measured: measured.get(pool),
      bottlenecks: bottlenecksOf(pool, measured, samples),
      settings: settings[pool],
      memory: memory[pool],
    });
    answer[pool] = decided.answer;
    kept[pool] = decided.memory;
  }
  return {
    answer: answer as Record<Pool, PoolAnswer>,
    memory: kept as Record<Pool, Memory>,
    ready: measured.size > 0,
  };
}

interface Facts {
  now: PoolSample;
  /** Slots of one worker; undefined while there is none. */
  perWorker: number | undefined;
  at: number;
  measured: Measured | undefined;
  bottlenecks: Bottleneck[];
  settings: PoolSettings;
  memory: Memory | undefined;
}

/** Slots that a worker reaches: they change from second to second where they follow the machine. */
function slotsPerWorker(samples: readonly Sample[], pool: Pool): number | undefined {
  const newest = samples.at(-1) as Sample;
  const isFixed = (newest.pools[pool].bound ?? "setting") === "setting";
  const recent = isFixed ? [newest] : samples.filter(({ at }) => newest.at - at <= reachMs);
  const sum = (of: "slots" | "workers") =>
    recent.reduce((total, one) => total + one.pools[pool][of], 0);
  const workers = sum("workers");
  return newest.pools[pool].workers > 0 ? Math.max(1, sum("slots") / workers) : undefined;
}

/** The number of slots before smoothing, and the load they serve. */
function neededSlots({ now, measured, bottlenecks, settings }: Facts): {
  slots: number;
  load: Load | undefined;
} {
  if (!measured?.service) return { slots: now.running, load: undefined };
  const share = quotaShare(bottlenecks);
  const target = settings.targetMs / 1000;
  // Behind an exhausted quota calls wait in their slots: more slots shorten neither that wait nor the backlog.
  const behindQuota = share < 1;
  const backlog = behindQuota ? 0 : now.waiting / Math.max(drainSeconds, target);
  const { seconds, scv } = measured.service;
  const load: Load = {
    perSecond: Math.max(planned(measured), measured.risingPerSecond) * share + backlog,
    arrivalScv: measured.arrivalScv,
    serviceSeconds: behindQuota ? Math.max(seconds - measured.quotaWaitSeconds, 0.001) : seconds,
    serviceScv: scv,
    takingSeconds: measured.takingSeconds,
  };
  return { slots: Math.max(slotsFor(load, target), now.running), load };
}

/** More workers do not help against these bottlenecks. */
const independentOfWorkers = new Set([
  "redis",
  "database",
  "upstream_quota",
  "account_concurrency",
]);

function helpOf(
  bottleneck: Bottleneck | undefined,
  measured: Measured | undefined,
): PoolAnswer["more_workers"] {
  if (!bottleneck?.binds) return "help";
  const { bound } = measured?.now ?? {};
  // Slots that processors or memory hold down are no more with another worker beside this one.
  const isMachine = bound === "processors" || bound === "memory";
  if (bottleneck.wall === "slots" && bound === "quota") return "do_not_help";
  if (bottleneck.wall === "slots" && !isMachine) return "help";
  if (independentOfWorkers.has(bottleneck.wall)) return "do_not_help";
  // A full container does not limit a worker in another container.
  const contained = measured?.now.machines.every((machine) => machine.own_limits) ?? false;
  return contained ? "help" : "help_on_other_machines";
}

function decide(facts: Facts): { answer: PoolAnswer; memory: Memory } {
  const { now, measured, bottlenecks, settings } = facts;
  const perWorker = facts.perWorker ?? settings.defaultSlots;
  const bottleneck = bindingBottleneck(bottlenecks);
  const help = helpOf(bottleneck, measured);
  const { slots, load } = neededSlots(facts);
  const busyWorkers = Math.ceil(now.running / perWorker);
  let workers = Math.ceil(slots / perWorker - 1e-9);
  // More workers in front of a saturated resource only lengthen its queue, and slots that nothing holds down come of
  // themselves as calls do.
  const takesMore = now.workers > 0 && now.bound === "demand";
  if (help === "do_not_help" || takesMore)
    workers = Math.min(workers, Math.max(now.workers, busyWorkers));
  const { floor, ceiling } = settings;
  const bounded = (value: number) => Math.min(ceiling, Math.max(floor, value));
  const memory = smooth(facts, bounded(workers), bounded(busyWorkers));
  const desiredSlots = Math.round(memory.desired * perWorker);

  const current: Load | undefined = measured?.service && {
    perSecond: measured.perSecond,
    arrivalScv: measured.arrivalScv,
    serviceSeconds: measured.service.seconds,
    serviceScv: measured.service.scv,
    takingSeconds: measured.takingSeconds,
  };
  const predicted = current && waits(current, now.slots);
  const answer: Omit<PoolAnswer, "reason"> = {
    workers: { now: now.workers, desired: memory.desired, floor, ceiling },
    slots: {
      now: now.slots,
      desired: desiredSlots,
      per_worker: rounded(perWorker),
      running: now.running,
      waiting: now.waiting,
      bound: now.bound ?? "setting",
    },
    target_p95_wait_ms: settings.targetMs,
    arrivals: {
      per_second: rounded(measured?.perSecond ?? 0),
      peak_per_second: rounded(measured?.peakPerSecond ?? 0),
      planned_per_second: rounded(load?.perSecond ?? 0),
      scv: rounded(measured?.arrivalScv ?? 1),
      refused_queue_full_per_minute: rounded(measured?.queueFullPerMinute ?? 0),
      refused_by_account_concurrency_per_minute: rounded(measured?.crowdedPerMinute ?? 0),
    },
    service: measured?.service
      ? {
          mean_ms: rounded(measured.service.seconds * 1000),
          scv: rounded(measured.service.scv),
          quota_wait_ms: rounded(measured.quotaWaitSeconds * 1000),
          runs: measured.service.runs,
        }
      : null,
    wait: {
      taking_ms: milliseconds(measured?.takingSeconds ?? 0) ?? 0,
      measured_mean_ms: measured?.waited ? milliseconds(measured.waited.mean) : null,
      measured_mean_either_way_ms: measured?.waited
        ? milliseconds(measured.waited.eitherWay)
        : null,
      measured_calls: measured?.waited?.calls ?? 0,
      measured_p95_ms: measured?.waited ? milliseconds(measured.waited.p95) : null,
      predicted_mean_ms: predicted ? milliseconds(predicted.mean) : null,
      predicted_p95_ms: predicted ? milliseconds(predicted.p95) : null,
      at_desired_p95_ms: load ? milliseconds(waits(load, desiredSlots).p95) : null,
    },
    wall: bottleneck?.wall ?? "slots",
    more_workers: help,
    walls: bottlenecks.map((one) => ({
      ...one,
      used: rounded(one.used),
      limit: rounded(one.limit),
      share: rounded(one.share),
      needed: rounded(one.needed),
    })),
  };
  return { answer: { ...answer, reason: reasonOf({ answer, load, bottleneck }) }, memory };
}

function smooth({ memory, now, at }: Facts, needed: number, least: number): Memory {
  const before = memory ?? {
    desired: Math.max(now.workers, least),
    wanted: [],
    raisedAt: 0,
    loweredAt: at,
  };
  const recent = [...before.wanted, { at, workers: needed }].filter(
    (one) => at - one.at <= settleMs,
  );
  const settled = Math.max(...recent.map(({ workers }) => workers));
  const kept = { ...before, wanted: recent };
  if (needed > before.desired && at - before.raisedAt >= raiseEveryMs) {
    const most = Math.max(before.desired + 2, before.desired * 2);
    return { ...kept, desired: Math.min(needed, most), raisedAt: at };
  }
  const seenLongEnough = at - (recent[0]?.at ?? at) >= settleMs - 10_000;
  if (settled < before.desired && seenLongEnough && at - before.loweredAt >= lowerEveryMs) {
    const step = Math.max(1, Math.floor(before.desired / 5));
    const desired = Math.max(settled, before.desired - step, least);
    return { ...kept, desired, loweredAt: at };
  }
  return { ...kept, desired: Math.max(before.desired, least) };
}

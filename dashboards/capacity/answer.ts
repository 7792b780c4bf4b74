import type { Pool } from "../../contract/operation.ts";
import type { SlotsBound } from "../../runtime/queue.ts";

/** The answer of `GET /capacity`. Times are in milliseconds, rates per second unless named otherwise. */
export interface CapacityAnswer {
  /** Time of the computation, by the clock of Redis. */
  at: string;
  /** `held`: the last known answer, while Redis or the metrics are away. `warming`: there are too few samples. */
  state: "measured" | "warming" | "held";
  /** The reason for `held`. */
  why?: string;
  pools: Record<Pool, PoolAnswer>;
}

/** Kinds of bottlenecks; of several that bind a pool, the first is the one to mend. */
export const bottleneckNames = [
  "redis",
  "database",
  "upstream_quota",
  "processor",
  "memory",
  "account_concurrency",
  "slots",
] as const;
export type BottleneckName = (typeof bottleneckNames)[number];

/** A limit of a pool other than its rate of calls. */
export interface Bottleneck {
  wall: BottleneckName;
  /** The upstream's account, machine or store. */
  of: string;
  used: number;
  limit: number;
  unit: string;
  /** `used` divided by `limit`; the bottleneck binds from 0.9 on. */
  share: number;
  binds: boolean;
  /** The limit that would suffice. */
  needed: number;
}

export interface PoolAnswer {
  workers: { now: number; desired: number; floor: number; ceiling: number };
  slots: {
    now: number;
    desired: number;
    /** Mean of the last minute where the slots follow the machine. */
    per_worker: number;
    running: number;
    waiting: number;
    /** The resource that keeps the slots at their number; `setting`: `WORKER_SLOTS`. */
    bound: SlotsBound;
  };
  target_p95_wait_ms: number;
  arrivals: {
    per_second: number;
    peak_per_second: number;
    /** The rate behind the desired numbers: the peak, plus the rate that clears the backlog. */
    planned_per_second: number;
    scv: number;
    refused_queue_full_per_minute: number;
    refused_by_account_concurrency_per_minute: number;
  };
  /** Null while no call has ended. */
  service: { mean_ms: number; scv: number; quota_wait_ms: number; runs: number } | null;
  wait: {
    /** Measured time from when there is a call and a free slot until a worker has it; 0: unknown yet. */
    taking_ms: number;
    /** Mean of the last five minutes; null while no call was taken. */
    measured_mean_ms: number | null;
    /** Half of the mean's 95 % confidence interval; null: unknown. */
    measured_mean_either_way_ms: number | null;
    measured_calls: number;
    measured_p95_ms: number | null;
    /** With the present slots, at the rate of the last minute; null: the queue grows. */
    predicted_mean_ms: number | null;
    predicted_p95_ms: number | null;
    /** With the desired slots, at the planned rate. */
    at_desired_p95_ms: number | null;
  };
  /** The bottleneck that limits this pool right now. */
  wall: BottleneckName;
  more_workers: "help" | "help_on_other_machines" | "do_not_help";
  walls: Bottleneck[];
  reason: string;
}

import type { Pool } from "../../contract/operation.ts";

/** What `GET /capacity` answers. Times are in milliseconds, rates per second unless named otherwise. */
export interface CapacityAnswer {
  /** When it was reckoned, by the clock of Redis. */
  at: string;
  /** `held`: what was known last, as Redis or the metrics are away. `warming`: too little was seen yet. */
  state: "measured" | "warming" | "held";
  /** Why it is held. */
  why?: string;
  pools: Record<Pool, PoolAnswer>;
}

export const walls = [
  "redis",
  "database",
  "upstream_quota",
  "processor",
  "memory",
  "account_concurrency",
  "slots",
] as const;
export type WallName = (typeof walls)[number];

/** Something that a pool can run into. */
export interface Wall {
  wall: WallName;
  /** Which upstream's account, machine or store. */
  of: string;
  used: number;
  limit: number;
  unit: string;
  /** `used` of `limit`; it binds from 0.9 on. */
  share: number;
  binds: boolean;
  /** What `limit` would have to be. */
  needed: number;
}

export interface PoolAnswer {
  workers: { now: number; desired: number; floor: number; ceiling: number };
  slots: { now: number; desired: number; per_worker: number; running: number; waiting: number };
  target_p95_wait_ms: number;
  arrivals: {
    per_second: number;
    peak_per_second: number;
    /** What the desired numbers are reckoned from: the peak, and what waits already. */
    planned_per_second: number;
    scv: number;
    refused_queue_full_per_minute: number;
    refused_by_account_concurrency_per_minute: number;
  };
  /** Null while no call has ended. */
  service: { mean_ms: number; scv: number; quota_wait_ms: number; runs: number } | null;
  wait: {
    /** From when there is a call and a free slot until a worker has it, as measured; 0: not known yet. */
    taking_ms: number;
    /** Of the last five minutes; null while no call was taken. */
    measured_mean_ms: number | null;
    /** The mean is within so much of that with 95 %, were it to go on like this; null: not known. */
    measured_mean_either_way_ms: number | null;
    measured_calls: number;
    measured_p95_ms: number | null;
    /** With the slots there are now, at the rate of the last minute; null: the queue grows. */
    predicted_mean_ms: number | null;
    predicted_p95_ms: number | null;
    /** With the desired slots, at the planned rate. */
    at_desired_p95_ms: number | null;
  };
  /** What keeps this pool from carrying more right now. */
  wall: WallName;
  more_workers: "help" | "help_on_other_machines" | "do_not_help";
  walls: Wall[];
  reason: string;
}

import type { Job } from "bullmq";
import type { Redis } from "ioredis";
import type { StoreClock } from "../runtime/store-clock.ts";
import { type JobData, encodeOutcome, firstBackgroundPriority } from "../runtime/queue.ts";
import { resultKey } from "../runtime/redis/keys.ts";
import type { Metrics } from "../runtime/metrics.ts";
import type { Pool } from "../contract/operation.ts";
import { monotonicNow } from "../runtime/monotonic.ts";
import type { WorkLog } from "../runtime/call-log.ts";
import type { Tracing } from "../runtime/trace.ts";
import type { HandOver } from "./deliver-outcome.ts";
import { processName } from "./heartbeat.ts";
import { Abandoned, type RunResult } from "./run.ts";
import { Slots } from "./slots.ts";
import type { Taken } from "./timeline.ts";
import type { Times } from "./times.ts";

/** A caller who sends one call after another is at work for so long after each. */
const callerAtWorkMs = 5000;
/** A larger input is removed from Redis at the end of its job. */
const inputKeptBytes = 16 * 1024;

const tooLate = (work: WorkLog | undefined): Buffer =>
  encodeOutcome(
    {
      ok: false,
      type: "upstream_unavailable",
      status: 504,
      message: "No answer before the deadline of the call",
      retry_after: 5,
      work,
    },
    undefined,
  );

/** Return value of a BullMQ job; BullMQ copies it into its event stream, so it stays small. */
export type Reference = { bytes: number } | { dropped: string; work?: WorkLog };

export interface WorkSettings {
  pool: Pool;
  /** Runs the job and returns its outcome in stored form. */
  process(jobId: string, job: JobData, signal: AbortSignal, taken: Taken): Promise<RunResult>;
  metrics: Metrics;
  tracing?: Tracing | undefined;
}

interface Parts {
  redis: Redis;
  clock: StoreClock;
  times: Times;
  handOver: HandOver;
  /** Concurrency limit of the pool in this process at its start. */
  slots: number;
}

/** Runs each job of one pool from being taken to its end: with its time limit, stored outcome and metrics. */
export class Work {
  readonly #settings: WorkSettings;
  readonly #parts: Parts;
  readonly #slots: Slots;
  #running = 0;
  #mostRunning = 0;
  #meanRunMs = 0;
  /** Running jobs whose callers wait, and when the last one ended. */
  #awaited = 0;
  #lastAwaitedAt = -Infinity;

  constructor(settings: WorkSettings, parts: Parts) {
    this.#settings = settings;
    this.#parts = parts;
    this.#slots = new Slots(parts.slots, monotonicNow());
  }

  /** Jobs that run now. */
  get running(): number {
    return this.#running;
  }

  /** Most jobs that ran at once since the last call. */
  takeMostRunning(): number {
    const most = this.#mostRunning;
    this.#mostRunning = this.#running;
    return most;
  }

  /** Adds to the slots of the pool in this process, or takes away. */
  resize(by: number): void {
    this.#slots.resize(by, monotonicNow());
  }

  /** Whether callers wait for jobs here, or have waited until a moment ago. */
  get hasCallers(): boolean {
    return this.#awaited > 0 || monotonicNow() - this.#lastAwaitedAt < callerAtWorkMs;
  }

  /** Moving average of about the last ten jobs. */
  get meanRunMs(): number {
    return this.#meanRunMs;
  }

  /** `inSlot` is false for a job that runs beside the worker's own slots. */
  async carryOut(job: Job<JobData>, signal: AbortSignal, inSlot = true): Promise<Reference> {
    const { pool, metrics, tracing } = this.#settings;
    const { redis, clock, handOver } = this.#parts;
    const jobId = job.id as string;
    const startedAt = monotonicNow();
    const queued = clock.now() - job.timestamp;
    metrics.observe("gateway_job_wait_seconds", { pool }, queued / 1000);
    this.#running += 1;
    this.#mostRunning = Math.max(this.#mostRunning, this.#running);
    const isAwaited = job.priority < firstBackgroundPriority;
    if (isAwaited) this.#awaited += 1;
    const { operation } = job.data;
    const attempt = job.attemptsStarted;
    // A job that was put back did not wait for a worker alone.
    const waited = attempt === 1 ? Math.max(0, queued) : Infinity;
    const { since, takingMs } = inSlot
      ? this.#slots.take(waited, startedAt)
      : { since: startedAt, takingMs: undefined };
    if (takingMs !== undefined) {
      metrics.count("gateway_jobs_taken_total", { pool });
      metrics.count("gateway_job_taking_seconds_total", { pool }, takingMs / 1000);
    }
    const about = { jobId, pool, operation, attempt, queued: Math.max(0, queued), at: Date.now() };
    const trace = job.data.trace && tracing?.work(job.data.trace, about);
    let ended = "crashed";
    try {
      // The previous worker was lost after it stored the outcome and before the job ended.
      if (attempt > 1 && (await redis.exists(resultKey(jobId))) === 1) {
        ended = "answered";
        return { dropped: ended };
      }
      const data = { ...job.data, deadline: job.data.deadline - clock.aheadMs };
      const taken = { worker: processName, attempt, queued, trace };
      const { outcome, stored } = await this.#withinRunTime(jobId, data, signal, taken);
      trace?.stage("store");
      const kept = await handOver(jobId, data, stored);
      ended = kept === stored ? outcome : "upstream_unavailable";
      // BullMQ keeps finished jobs for a while; a list of a thousand targets need not stay with them.
      const { input } = job.data;
      if (JSON.stringify(input).length > inputKeptBytes)
        await job.updateData({ ...job.data, input: {} }).catch(() => undefined);
      return { bytes: kept.length };
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
      const { reason, work } = error;
      ended = reason;
      return work ? { dropped: reason, work } : { dropped: reason };
    } finally {
      this.#running -= 1;
      if (isAwaited) {
        this.#awaited -= 1;
        this.#lastAwaitedAt = monotonicNow();
      }
      trace?.end(ended);
      metrics.count("gateway_jobs_total", { pool, outcome: ended });
      const now = monotonicNow();
      if (inSlot) this.#slots.free(now);
      this.#measured(operation, queued, {
        run: (now - startedAt) / 1000,
        held: (now - since) / 1000,
      });
    }
  }

  /** Work with its own time limit (`run_ms`) fails when that ends, although the deadline is later. */
  async #withinRunTime(
    jobId: string,
    job: JobData,
    signal: AbortSignal,
    taken: Taken,
  ): Promise<RunResult> {
    const runEnd = monotonicNow() + (job.run_ms ?? Infinity);
    if (runEnd >= job.deadline) return this.#settings.process(jobId, job, signal, taken);
    try {
      return await this.#settings.process(jobId, { ...job, deadline: runEnd }, signal, taken);
    } catch (error) {
      if (!(error instanceof Abandoned) || error.reason !== "expired") throw error;
      return { outcome: "upstream_unavailable", stored: tooLate(error.work) };
    }
  }

  /** `held` is the run time plus the cost of taking the job. */
  #measured(operation: string, queuedMs: number, seconds: { run: number; held: number }): void {
    const { pool, metrics } = this.#settings;
    const ms = seconds.run * 1000;
    this.#meanRunMs = this.#meanRunMs === 0 ? ms : this.#meanRunMs * 0.9 + ms * 0.1;
    this.#parts.times.note(operation, queuedMs, ms);
    metrics.observe("gateway_job_run_seconds", { pool }, seconds.run);
    const labels = { pool, operation };
    metrics.count("gateway_operation_runs_total", labels);
    metrics.count("gateway_operation_run_seconds_total", labels, seconds.held);
    metrics.count("gateway_operation_run_seconds_squared_total", labels, seconds.held ** 2);
  }
}

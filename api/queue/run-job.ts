import type { JobData } from "../../runtime/queue.ts";
import type { Pool } from "../../contract/operation.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { retryUntilStopped } from "../../runtime/retry.ts";
import type { Slot } from "../admission/call-limiter.ts";
import type { Services } from "../call.ts";
import type { CallTimeline } from "../timeline.ts";
import { isOutage } from "../stores.ts";
import type { Waited } from "./waiters.ts";

/** Cancels the job when its run ends in this way: with one command, or until it is gone. Other jobs are left. */
type Cancels = Partial<Record<"refused" | "deadline" | "gone", "once" | "surely">>;

type QueuedJob = Omit<JobData, "reply">;

export interface JobRun {
  jobId: string;
  pool: Pool;
  /** Undefined to add nothing and wait for the outcome of an earlier add. */
  job: QueuedJob | undefined;
  /** Unix time in milliseconds. */
  deadline: number;
  gone?: AbortSignal | undefined;
  /** Position among the waiting jobs, the least first; without one the job is next. */
  priority?: number | undefined;
  /** The slot of the call; the limiter is notified when the job is in its queue. */
  slot?: Slot | undefined;
  /** Taken over, or joined: another process may have added the job. The hint goes there, so this one polls. */
  eager?: boolean;
  /** The job is most likely in its queue already, so it is not counted as an arrival. */
  again?: boolean;
  /** Retries an add until the deadline while Redis is away, because no caller waits. */
  patient?: boolean;
  cancels: Cancels;
  /** The call log, which enters the stage "wait" once the job is in its queue. */
  timeline?: CallTimeline | undefined;
  /** Awaited before the outcome; `addedAt` is undefined when a patient add was given up. */
  onQueued?: (addedAt: number | undefined) => Promise<void>;
}

type Parts = Pick<Services, "dispatcher" | "log">;

const addPauseMs = 500;

/**
 * Adds a job to its pool's queue and waits for its outcome. Throws when the queue refuses it. Jobs and batch items
 * of a process that is gone are taken over here as well: adding the same id again has no effect while it exists.
 */
export async function runJob(parts: Parts, run: JobRun): Promise<Waited> {
  const { dispatcher } = parts;
  // Registered before the job is added: its outcome may come first.
  const waiter = dispatcher.waiters.open(run);
  let addedAt: number | undefined;
  if (run.job) {
    try {
      addedAt = await (run.patient ? addPatiently(run.job, run, parts) : add(run.job, run, parts));
    } catch (error) {
      // Nobody waits for it any more: until its deadline it would be polled, and keep a command from its end.
      waiter.end({ kind: "gone" });
      if (run.cancels.refused) logFailure("job not added", error, run, parts);
      // Redis may have added the job although its answer was lost.
      cancel("refused", run, parts);
      throw error;
    }
  }
  if (run.slot && addedAt !== undefined) dispatcher.limiter.arrived(run.slot);
  if (run.onQueued) await run.onQueued(addedAt);
  run.timeline?.enter("wait");
  const waited = await waiter.result;
  if (waited.kind === "deadline" || waited.kind === "gone") cancel(waited.kind, run, parts);
  return waited;
}

function add(
  job: QueuedJob,
  { jobId, pool, priority, again }: JobRun,
  { dispatcher }: Parts,
): Promise<number> {
  if (again) return dispatcher.addAgain(jobId, pool, job, priority);
  return dispatcher.add(jobId, pool, job, priority);
}

function addPatiently(job: QueuedJob, run: JobRun, parts: Parts): Promise<number | undefined> {
  return retryUntilStopped(() => add(job, run, parts), {
    isStopped: () => run.gone?.aborted === true || monotonicNow() >= run.deadline,
    pauseMs: addPauseMs,
    onFailure: (error) => {
      logFailure("job not added yet", error, run, parts);
      // A Redis that is there and refuses the job will refuse the next add as well.
      if (parts.dispatcher.isConnected && !isOutage(error)) throw error;
    },
  });
}

function logFailure(message: string, error: unknown, { jobId }: JobRun, { log }: Parts): void {
  log("warn", message, { request_id: jobId, error: (error as Error).message });
}

function cancel(end: keyof Cancels, { cancels, jobId, pool }: JobRun, { dispatcher }: Parts): void {
  if (cancels[end] === "once") void dispatcher.cancel(jobId, pool);
  if (cancels[end] === "surely") void dispatcher.cancelSurely(jobId, pool);
}

import type { JobData } from "../../runtime/queue.ts";
import type { Pool } from "../../contract/operation.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { retryUntilStopped } from "../../runtime/retry.ts";
import type { Slot } from "../admission/call-limiter.ts";
import type { Services } from "../call.ts";
import type { CallTimeline } from "../timeline.ts";
import type { Waited } from "./waiters.ts";

/** How a job is cancelled where its run ends so: by one command, or until it is gone. Else it is left as it is. */
type Cancels = Partial<Record<"refused" | "deadline" | "gone", "once" | "surely">>;

type QueuedJob = Omit<JobData, "reply">;

export interface JobRun {
  jobId: string;
  pool: Pool;
  /** Where it is undefined nothing is added, and the outcome of an earlier add is waited for. */
  job: QueuedJob | undefined;
  /** Unix time in milliseconds. */
  deadline: number;
  gone?: AbortSignal | undefined;
  /** Its turn among those who wait, the least first; without one it is next. */
  priority?: number | undefined;
  /** The limiter's place of the call, told when the job is in its queue. */
  place?: Slot;
  /** Another process may have added it: it polls, as the hint goes there. */
  eager?: boolean;
  /** It is most likely in its queue already, and no new arrival. */
  again?: boolean;
  /** A refused add is tried again until the deadline: nobody waits for the answer. */
  patient?: boolean;
  cancels: Cancels;
  /** Enters its stage "wait" once the job is in its queue. */
  story?: CallTimeline | undefined;
  /** Awaited before the outcome; `addedAt` is undefined where a patient add was given up. */
  onQueued?: (addedAt: number | undefined) => Promise<void>;
}

type Parts = Pick<Services, "dispatcher" | "log">;

const addPauseMs = 500;

/** Adds a job to its pool's queue and waits for its outcome. Throws where the queue refuses it. */
export async function runJob(parts: Parts, run: JobRun): Promise<Waited> {
  const { dispatcher } = parts;
  // Registered before the job is added: its outcome may come first.
  const waiting = dispatcher.waiters.wait(run);
  let addedAt: number | undefined;
  if (run.job) {
    try {
      addedAt = await (run.patient ? addPatiently(run.job, run, parts) : add(run.job, run, parts));
    } catch (error) {
      if (run.cancels.refused) logFailure("job not added", error, run, parts);
      // The add may have arrived although its answer did not.
      cancel("refused", run, parts);
      throw error;
    }
  }
  if (run.place && addedAt !== undefined) dispatcher.gate.arrived(run.place);
  if (run.onQueued) await run.onQueued(addedAt);
  run.story?.enter("wait");
  const waited = await waiting;
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
    onFailure: (error) => logFailure("job not added yet", error, run, parts),
  });
}

function logFailure(message: string, error: unknown, { jobId }: JobRun, { log }: Parts): void {
  log("warn", message, { request_id: jobId, error: (error as Error).message });
}

function cancel(end: keyof Cancels, { cancels, jobId, pool }: JobRun, { dispatcher }: Parts): void {
  if (cancels[end] === "once") void dispatcher.cancel(jobId, pool);
  if (cancels[end] === "surely") void dispatcher.cancelSurely(jobId, pool);
}

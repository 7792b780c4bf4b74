import { GatewayError } from "../../contract/errors.ts";
import type { JobEnd } from "../../db/jobs.ts";
import { isUnavailable } from "../../db/retry.ts";
import { retryUntilStopped } from "../../runtime/retry.ts";
import type { Call, Response } from "../call.ts";
import { releaseSlot, slotOf } from "../claim.ts";
import { jobOf } from "../execute.ts";
import { backgroundPriority } from "../admission/call-limiter.ts";
import { finish } from "../settle.ts";
import { CallTimeline } from "../timeline.ts";
import { bestEffort } from "../stores.ts";
import { runJob } from "../queue/run-job.ts";
import type { Waited } from "../queue/waiters.ts";
import { despiteFaults, failedWith } from "./faults.ts";
import type { JobOwner, RunningJob } from "./owner.ts";

/** How often a job whose work was lost is sent: nothing of it was charged. */
const mostSent = 3;
const pauseMs = 500;
/** Below the time that `bestEffort` waits: a job that took longer to send may have been cancelled meanwhile. */
const promptMs = 250;

/**
 * Runs a job from its queue to its end. Returns once the job is in its queue, or a little later when Redis is
 * slow; the rest goes on by itself.
 */
export async function startJob(
  jobs: JobOwner,
  call: Call,
  jobId: string,
  maxRecords: number,
  adopted = false,
): Promise<void> {
  const { pool } = call.op;
  const carried: RunningJob = { pool, running: false, stop: new AbortController() };
  jobs.carried.set(jobId, carried);
  await new Promise<void>((resolve) => {
    const sent = new Promise<void>((first) => {
      const carrying = { call, jobId, maxRecords, adopted, carried, sent: first };
      const run = (again: boolean) =>
        toItsEnd(jobs, { ...carrying, adopted: carrying.adopted || again });
      void despiteFaults(jobs, carrying, run).finally(() => jobs.carried.delete(jobId));
    });
    void bestEffort(sent).then(resolve);
  });
}

interface Carrying {
  call: Call;
  jobId: string;
  maxRecords: number;
  /** Another process had the job before. */
  adopted: boolean;
  carried: RunningJob;
  /** Called when the job is in its queue. */
  sent: () => void;
}

async function toItsEnd(jobs: JobOwner, carrying: Carrying): Promise<void> {
  const { call, jobId } = carrying;
  const { services } = jobs;
  if (carrying.adopted) await bestEffort(services.dispatcher.limiter.resume(slotOf(call)));
  const timeline = new CallTimeline(() => ({
    operation: call.op.id,
    account: call.request.caller.accountId,
  }));
  timeline.carried();
  const { tracing } = services;
  const { trace } = call.request;
  if (tracing && trace) timeline.traced((at) => tracing.handedIn(trace, at));
  call.request.timeline = timeline;
  const waited = await work(jobs, carrying);
  timeline.waited(waited);
  timeline.enter("settle");
  carrying.sent();
  // The process that takes the job over finds it in its queue, or its result.
  if (jobs.stopped) return;
  const given = releaseSlot(call, services);
  if (waited.kind === "gone") {
    services.dispatcher.forget(jobId);
    await reportEnd(jobs, call, jobId);
  } else {
    await noteStart(jobs, carrying, waited);
    const { end, response } = await endOf(jobs, call, jobId, waited);
    // A charge ends the job in the same statement.
    const state = response?.ended ?? (await untilStopped(jobs, () => jobs.store.end(end)));
    services.dispatcher.forget(jobId);
    const { method, caller } = call.request;
    const about = {
      status: end.status,
      method,
      operation: call.op.id,
      pool: call.op.pool,
      caller,
    };
    services.callLogs?.add(jobId, timeline.end(about));
    // If another process ended the job first, its answer counts.
    const isOurs = state === (end.status === 200 ? "succeeded" : "failed");
    if (state) jobs.ends.ended(jobId, isOurs ? response : undefined);
  }
  await given;
}

/** Notes when a worker started the job, from the worker's report or from the queue. */
async function noteStart(
  jobs: JobOwner,
  { call, jobId, adopted, carried }: Carrying,
  waited: Waited,
): Promise<void> {
  const work = waited.kind === "outcome" ? waited.outcome.work : undefined;
  const startedAt =
    work && carried.addedAt !== undefined && !adopted
      ? carried.addedAt + Math.max(0, work.queued)
      : await jobs.services.dispatcher.startOf(jobId, call.op.pool).catch(() => undefined);
  if (call.background && startedAt !== undefined) call.background.startedAt = startedAt;
}

/** Sends the job and waits; sends it again when it was lost and not cancelled. */
async function work(jobs: JobOwner, carrying: Carrying): Promise<Waited> {
  const { call, jobId, maxRecords, adopted, carried, sent } = carrying;
  const { services } = jobs;
  const { dispatcher } = services;
  const { pool } = call.op;
  const { limits, caller, timeline } = call.request;
  const { signal } = carried.stop;
  for (let times = 1; ; times += 1) {
    const startedAt = performance.now();
    const waited = await runJob(services, {
      jobId,
      pool,
      job: jobOf(call, jobId, maxRecords, services),
      deadline: call.deadline,
      gone: signal,
      priority: limits?.priority ?? backgroundPriority(caller.mode),
      slot: slotOf(call),
      eager: adopted,
      patient: true,
      // The code that aborts the signal also cancels the job.
      cancels: { deadline: "once" },
      timeline,
      async onQueued(addedAt) {
        if (addedAt !== undefined) {
          carried.addedAt = addedAt;
          const prompt = times === 1 && !adopted && performance.now() - startedAt < promptMs;
          if (!prompt && !(await isOpen(jobs, jobId))) {
            carried.stop.abort();
            void dispatcher.cancelSurely(jobId, pool);
          }
        }
        sent();
      },
    });
    if (waited.kind !== "lost" || times === mostSent) return waited;
    if (signal.aborted || !(await isOpen(jobs, jobId))) return { kind: "gone" };
    // Remains of the job in Redis would block the same id.
    await dispatcher.remove(jobId, pool);
  }
}

/** False once the job was cancelled, or ended elsewhere. */
async function isOpen(jobs: JobOwner, jobId: string): Promise<boolean> {
  return (await untilStopped(jobs, () => jobs.store.ended([jobId])))?.length === 0;
}

async function endOf(
  jobs: JobOwner,
  call: Call,
  jobId: string,
  waited: Waited,
): Promise<{ end: JobEnd; response?: Response | undefined }> {
  const startedAt = call.background?.startedAt;
  const { accountId } = call.request.caller;
  const known = { requestId: jobId, accountId, startedAt };
  try {
    const response = await finish(call, jobId, waited, jobs.services);
    const { status } = response;
    // A failure is rendered from its row.
    return { end: { ...known, status }, response: status === 200 ? response : undefined };
  } catch (error) {
    if (error instanceof GatewayError) call.request.timeline?.failed(error);
    return { end: { ...known, ...failedWith(jobs, jobId, error, call.request.arrivedAt) } };
  }
}

/** Reports a job that another process has ended: a cancelled one, or one taken over while this process seemed gone. */
async function reportEnd(jobs: JobOwner, call: Call, jobId: string): Promise<void> {
  if (await isOpen(jobs, jobId)) return;
  jobs.ends.ended(jobId);
  await untilStopped(jobs, () => jobs.store.tell(jobId));
}

/** Retries while Postgres is away; undefined when this process stops before. */
function untilStopped<T>(jobs: JobOwner, step: () => Promise<T>): Promise<T | undefined> {
  return retryUntilStopped(step, {
    isStopped: () => jobs.stopped,
    pauseMs,
    onFailure(error, attempt) {
      if (!isUnavailable(error)) throw error;
      if (attempt === 1) jobs.services.log("warn", "job waits", { error: String(error) });
    },
  });
}

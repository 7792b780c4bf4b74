import { hash } from "node:crypto";
import { GatewayError } from "../contract/errors.ts";
import { type JobData, jobVersionOf } from "../runtime/queue.ts";
import type { Operation } from "../contract/operation.ts";
import { monotonicNow } from "../runtime/monotonic.ts";
import type { RunningReplay } from "../db/call-types.ts";
import { ownerName } from "./auth.ts";
import type { Call, Request, Response, Services } from "./call.ts";
import { claim, releaseSlot, keptReplay, slotOf } from "./claim.ts";
import { errorOf, finish, free, replayed } from "./settle.ts";
import { bestEffort, retryStore, unavailable } from "./stores.ts";
import { parseCall } from "./parse-call.ts";
import { runJob } from "./queue/run-job.ts";
import type { Waited } from "./queue/waiters.ts";

const cancelsOfCall = { refused: "once", deadline: "once", gone: "once" } as const;

/** The life of one call, from the decoded request to the bytes of its answer. */
export async function execute(
  op: Operation,
  request: Request,
  services: Services,
): Promise<Response> {
  const { timeline } = request;
  timeline?.enter("validate");
  const now = services.dispatcher.storeTime(request.arrivedAt);
  const call = parseCall(op, request, services.cursorSecret, now);
  const claimed = await claim(call, services);
  if (claimed.kind === "final") {
    timeline?.answeredBy("replayed", claimed.replay.requestId);
    return replayed(claimed.replay);
  }
  if (claimed.kind === "running") return join(call, claimed.replay, services);
  const job = jobOf(call, request.requestId, Math.min(call.most, claimed.amount), services);
  const waited = await dispatch(call, request.requestId, job, services).catch(async (error) => {
    await releaseSlot(call, services);
    throw error;
  });
  // The work is over: release the slot before charging, and before the caller gets the answer.
  const given = releaseSlot(call, services);
  timeline?.enter("settle");
  try {
    const response = await finish(call, request.requestId, waited, services);
    services.dispatcher.forget(request.requestId);
    return response;
  } catch (error) {
    // With a key the result stays for a retry; without a key no later request can fetch it.
    if (request.idempotencyKey === undefined) services.dispatcher.forget(request.requestId);
    throw error;
  } finally {
    await given;
  }
}

/** The job that the worker receives for a call. */
export function jobOf(
  call: Call,
  jobId: string,
  maxRecords: number,
  { credentials }: Pick<Services, "credentials">,
): Omit<JobData, "reply"> {
  const { caller, scenario, timeline } = call.request;
  const trace = timeline?.trace?.sent();
  const account = opaque(`account ${caller.accountId}`);
  const own =
    caller.mode === "live" ? credentials?.forJob(jobId, caller.accountId, account) : undefined;
  return {
    // First: a worker reads it without parsing the rest.
    account,
    v: jobVersionOf({ own }),
    operation: call.op.id,
    input: call.input,
    mode: caller.mode,
    scenario,
    tenant: opaque(ownerName(caller)),
    own,
    max_records: maxRecords,
    cursor: call.cursor,
    deadline: call.deadline,
    run_ms: call.runMs,
    trace,
  };
}

function opaque(owner: string): string {
  return hash("sha256", owner).slice(0, 16);
}

/** Adds the job and waits. A call without a key ends with its caller; one with a key goes on. */
async function dispatch(
  call: Call,
  jobId: string,
  job: Omit<JobData, "reply">,
  services: Services,
): Promise<Waited> {
  const { idempotencyKey, gone, limits, timeline } = call.request;
  const keyed = idempotencyKey !== undefined;
  timeline?.enter("enqueue");
  let waited: Waited;
  try {
    waited = await runJob(services, {
      jobId,
      pool: call.op.pool,
      job,
      deadline: call.deadline,
      gone: keyed ? undefined : gone,
      priority: limits?.priority,
      slot: slotOf(call),
      cancels: cancelsOfCall,
      timeline,
    });
  } catch {
    if (!keyed) services.dispatcher.forget(jobId);
    await bestEffort(free(call, jobId, unavailable(), services));
    throw unavailable();
  }
  timeline?.waited(waited);
  return waited;
}

/**
 * Joins a call that runs under the same key, here, in another process, or left by one that died. The job is
 * added again under the same id, which has no effect while it exists, and both requests settle in the same way.
 */
export async function join(
  call: Call,
  running: RunningReplay,
  services: Services,
): Promise<Response> {
  const { dispatcher } = services;
  const { pool } = call.op;
  const jobId = running.requestId;
  const { timeline } = call.request;
  timeline?.answeredBy("joined", jobId);
  timeline?.enter("wait");
  const { accountId } = call.request.caller;
  if (!(await retryStore(() => services.calls.join({ requestId: jobId, accountId })))) {
    // The call has ended since the look-up, or its first request was refused.
    timeline?.alone();
    return execute(call.op, call.request, services);
  }
  const joined = { ...call, deadline: running.deadline };
  const late = monotonicNow() >= running.deadline;
  const waited = await retryStore(() =>
    runJob(services, {
      jobId,
      pool,
      job: late
        ? undefined
        : jobOf(joined, jobId, Math.min(call.most, running.maxRecords), services),
      deadline: Math.min(running.deadline, call.deadline),
      gone: call.request.gone,
      eager: true,
      again: true,
      // The first call may still wait for it.
      cancels: {},
    }),
  );
  timeline?.waited(waited);
  timeline?.enter("settle");
  if (late && waited.kind === "deadline") {
    // No process finished it in time: free the key and run this call as the first one.
    await free(joined, jobId, errorOf(waited), services);
    timeline?.alone();
    return execute(call.op, call.request, services);
  }
  const stillRuns = waited.kind === "deadline" && call.deadline < running.deadline;
  if (stillRuns || waited.kind === "gone") {
    throw new GatewayError("rate_limited", "The first call with this Idempotency-Key still runs", {
      retryAfter: 1,
    });
  }
  if (waited.kind === "deadline") void dispatcher.cancel(jobId, pool);
  // Many requests may share one key, so each counts the answer before it gets its bytes.
  if (waited.kind === "outcome") call.request.admitBytes?.(waited.data.length);
  const settled = await keptReplay(call, services);
  if (settled?.state === "final" && settled.requestId === jobId) return replayed(settled);
  return { ...(await finish(joined, jobId, waited, services)), replayed: true };
}

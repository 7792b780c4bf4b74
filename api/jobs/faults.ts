import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "../../contract/errors.ts";
import type { JobEnd } from "../../db/jobs.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { retryUntilStopped } from "../../runtime/retry.ts";
import type { Call } from "../call.ts";
import { releaseSlot } from "../claim.ts";
import { errorBody } from "../envelope.ts";
import type { JobOwner } from "./owner.ts";

/** Jobs that fail, and faults of the gateway itself in running them. */

/** Runs of a job that meet a fault of the gateway; the job fails with the last one. */
export const mostRuns = 3;
/** Before the second run; the pause doubles before each further one, and before each repetition of the end. */
const pauseMs = 2000;
const mostPauseMs = 60_000;

/** Runs a job again after a fault of the gateway, a few times: the fault may come from the job's own data. */
export async function despiteFaults(
  jobs: JobOwner,
  { call, jobId, sent }: { call: Call; jobId: string; sent: () => void },
  run: (again: boolean) => Promise<void>,
): Promise<void> {
  for (let runs = 1; runs <= mostRuns && !jobs.stopped; runs += 1) {
    try {
      return await run(runs > 1);
    } catch (error) {
      jobs.services.log("error", "bug in a job", { request_id: jobId, error: String(error) });
      sent();
    }
    if (runs < mostRuns) await sleep(pauseMs * 2 ** (runs - 1), undefined, { ref: false });
  }
  await failByFault(jobs, call, jobId);
}

/** Ends a job without a charge, and cancels its work. */
async function failByFault(jobs: JobOwner, call: Call, jobId: string): Promise<void> {
  const { services, store } = jobs;
  const { caller, arrivedAt } = call.request;
  const fault = new GatewayError("internal_error", "Internal error");
  const { accountId } = caller;
  const end = { requestId: jobId, accountId, ...failedWith(jobs, jobId, fault, arrivedAt) };
  const state = await retryUntilStopped(() => store.end(end), {
    isStopped: () => jobs.stopped,
    pauseMs,
    mostPauseMs,
    ref: false,
    onFailure(error) {
      services.log("error", "job not ended", { request_id: jobId, error: String(error) });
    },
  });
  // The process that takes the job over finds its work.
  if (state === undefined) return;
  void services.dispatcher.cancelSurely(jobId, call.op.pool);
  services.dispatcher.forget(jobId);
  jobs.ends.ended(jobId);
  await releaseSlot(call, services);
}

/** The failure that a waiting caller would have received. */
export function failedWith(
  { services }: JobOwner,
  jobId: string,
  thrown: unknown,
  arrivedAt: number,
): Pick<JobEnd, "status" | "failure"> {
  const known = thrown instanceof GatewayError;
  if (!known) services.log("error", "bug", { request_id: jobId, error: String(thrown) });
  const error = known ? thrown : new GatewayError("internal_error", "Internal error");
  services.metrics.count("gateway_errors_total", { type: error.type });
  return {
    status: error.status,
    failure: {
      type: error.type,
      message: error.message,
      body: errorBody(error, jobId).toString(),
      retryAfter: error.retryAfter,
      durationMs: monotonicNow() - arrivedAt,
    },
  };
}

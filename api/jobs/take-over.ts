import { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/operation.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { retryUntilStopped } from "../../runtime/retry.ts";
import type { AdoptedJob } from "../../db/jobs.ts";
import { retryStore } from "../stores.ts";
import { parseCall } from "../parse-call.ts";
import { failedWith, mostRuns } from "./faults.ts";
import { wasRefused } from "./hand-in.ts";
import type { JobOwner } from "./owner.ts";
import { startJob } from "./start-job.ts";
import { restored } from "./stored.ts";

interface NewOwner extends JobOwner {
  readonly owner: string;
  operation(id: string): Operation | undefined;
}

const pauseMs = 1000;
const mostPauseMs = 5000;

/** Carries out a job that another process left, or that the database assigned without an answer. */
export async function takeOver(jobs: NewOwner, job: AdoptedJob): Promise<void> {
  const { requestId, state } = job;
  jobs.services.log("warn", "job taken over", { request_id: requestId, state });
  let faults = 0;
  await retryUntilStopped(
    async () => {
      try {
        await goOn(jobs, job);
      } catch (error) {
        const isKnown = error instanceof GatewayError;
        if (isKnown && error.type === "upstream_unavailable") throw error;
        if (!isKnown && (faults += 1) < mostRuns) throw error;
        await end(jobs, job, failedWith(jobs, requestId, error, job.createdAt));
      }
    },
    { isStopped: () => jobs.stopped, pauseMs, mostPauseMs },
  );
}

async function goOn(jobs: NewOwner, job: AdoptedJob): Promise<void> {
  const { services } = jobs;
  const { requestId, accountId, mode, idempotencyKey: key } = job;
  if (job.call === null) {
    // The job was cancelled, and its event is still to be emitted.
    await retryStore(() => jobs.store.tell(requestId));
    return;
  }
  if (await retryStore(() => wasRefused(job, services))) return;
  const op = jobs.operation(job.operation);
  if (!op) throw new GatewayError("internal_error", "Unknown operation");
  const call = parseCall(op, restored(job, job.call), services.cursorSecret);
  const kept = await retryStore(() => services.calls.lookUp({ accountId, mode, key }));
  const own = kept?.requestId === requestId ? kept : undefined;
  if (own?.state === "final") return end(jobs, job, { status: own.status });
  // Without a hold nothing can be charged; Redis may still know how the job ended.
  call.deadline = own?.deadline ?? monotonicNow();
  call.runMs = op.deadlineMs(call.input);
  call.background = {
    owner: jobs.owner,
    call: job.call,
    version: job.version,
  };
  await startJob(jobs, call, requestId, Math.min(call.most, own?.maxRecords ?? 0), true);
}

async function end(
  { store, ends }: NewOwner,
  { requestId, accountId }: AdoptedJob,
  how: ReturnType<typeof failedWith>,
): Promise<void> {
  await retryStore(() => store.end({ requestId, accountId, ...how }));
  ends.ended(requestId);
}

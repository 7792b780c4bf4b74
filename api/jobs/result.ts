import { GatewayError } from "../../contract/errors.ts";
import type { CallStore } from "../../db/calls.ts";
import type { JobRow } from "../../db/job-rows.ts";
import type { JobStore } from "../../db/jobs.ts";
import type { Caller } from "../auth.ts";
import type { AdmitBytes, Response } from "../call.ts";
import { replayed } from "../settle.ts";
import { retryStore } from "../stores.ts";

export type Result =
  | { kind: "unfinished"; job: JobRow }
  | { kind: "cancelled" }
  /** The answer that a waiting caller would have received. */
  | { kind: "ended"; job: JobRow; response: Response };

/** The end of a caller's job; throws `not_found` when the caller has no such job, or its answer was removed. */
export async function resultOf(
  { calls, store }: { calls: CallStore; store: JobStore },
  requestId: string,
  { accountId, mode }: Pick<Caller, "accountId" | "mode">,
  admitBytes?: AdmitBytes,
): Promise<Result> {
  const found = await retryStore(() => store.result(requestId, accountId, mode, admitBytes));
  if (!found) throw new GatewayError("not_found", "There is no such job");
  const { job, kept } = found;
  const { state, status, error, charge } = job;
  if (state === "cancelled") return { kind: state };
  if (status === undefined) return { kind: "unfinished", job };
  if (error !== undefined) {
    const headers = job.retryAfter === undefined ? {} : { "retry-after": String(job.retryAfter) };
    return {
      kind: "ended",
      job,
      response: { status, requestId, body: Buffer.from(error), headers },
    };
  }
  if (kept instanceof Buffer && charge) {
    const response = replayed({ status, requestId, body: kept, billing: charge });
    return { kind: "ended", job, response: { ...response, replayed: false } };
  }
  const key = job.idempotencyKey;
  const apart =
    kept === "apart"
      ? await retryStore(() => calls.lookUp({ accountId, mode, key }, { room: admitBytes }))
      : undefined;
  if (apart?.state !== "final" || apart.requestId !== requestId)
    throw new GatewayError("not_found", "The result of this job was removed");
  return { kind: "ended", job, response: { ...replayed(apart), replayed: false } };
}

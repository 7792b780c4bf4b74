import { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/operation.ts";
import type { Request, Response } from "../call.ts";
import { closeBody, openBody, unchanged } from "../envelope.ts";
import { nameAddress } from "../webhooks/jobs.ts";
import type { Jobs } from "./jobs.ts";
import type { Preference } from "./prefer.ts";
import { resultOf } from "./result.ts";
import { retryStore } from "../stores.ts";
import { type ViewedJob, jobView } from "./job-view.ts";

/** Seconds after which polling a job again makes sense. */
export const lookAgainSeconds = 1;

async function endWithin(
  jobs: Jobs,
  requestId: string,
  { caller, gone, admitBytes }: Request,
  withinMs: number,
): Promise<Response | undefined> {
  const ended = withinMs > 0 ? await jobs.ends.wait(requestId, withinMs, gone) : undefined;
  if (!ended || ended.response) return ended?.response;
  const result = await resultOf(jobs, requestId, caller, admitBytes);
  return result.kind === "ended" ? result.response : undefined;
}

/** An accepted job is carried out, so an outage must not refuse a caller who may have no key to find it by. */
async function unlessOutage<T>(step: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof GatewayError && error.type === "upstream_unavailable") return otherwise;
    throw error;
  }
}

/** Runs a call as a job: returns its answer if it ends within the wait, else 202. */
export async function preferred(
  jobs: Jobs,
  op: Operation,
  request: Request,
  { waitSeconds, applied }: Preference,
  /** The URL that receives the job's end. */
  webhookUrl?: string,
): Promise<Response> {
  await nameAddress(jobs.services.webhooks, request, webhookUrl);
  const accepted = await jobs.accept(op, request);
  if (accepted.kind === "answer") return accepted.response;
  const { requestId, repeated, balance } = accepted;
  const { accountId, mode } = request.caller;
  const preferenceHeaders: Record<string, string> =
    applied === undefined ? {} : { "preference-applied": applied };
  const ended = endWithin(jobs, requestId, request, waitSeconds * 1000);
  const response = await (repeated ? ended : unlessOutage(ended, undefined));
  if (response)
    return {
      ...response,
      replayed: repeated,
      headers: { ...preferenceHeaders, ...response.headers },
    };
  const find = () => retryStore(() => jobs.store.find(requestId, accountId, mode));
  let job: ViewedJob | undefined;
  if (accepted.repeated) job = await find();
  else {
    const { createdAt } = accepted;
    job = { requestId, operation: op.id, state: "queued", createdAt };
    if (waitSeconds > 0) job = await unlessOutage<ViewedJob | undefined>(find(), job);
  }
  if (!job) throw new GatewayError("not_found", "The job was removed");
  const data = Buffer.from(
    JSON.stringify(jobView(job, {}, jobs.services.dispatcher.stateOf(op.pool))),
  );
  return {
    status: 202,
    requestId,
    body: closeBody(openBody(requestId, data, undefined), unchanged(balance)),
    replayed: repeated,
    headers: {
      ...preferenceHeaders,
      location: `/jobs/${requestId}`,
      "retry-after": String(lookAgainSeconds),
    },
  };
}

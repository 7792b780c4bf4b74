import { paginationOf } from "../contract/cursor.ts";
import type { Pagination } from "../contract/envelope.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Success } from "../runtime/queue.ts";
import { creditsFor, type Operation } from "../contract/operation.ts";
import { monotonicNow } from "../runtime/monotonic.ts";
import { inlineBodyLimitBytes } from "../db/calls.ts";
import type { FinalReplay, Settled, Settlement } from "../db/call-types.ts";
import { answerLimitMs } from "../db/client.ts";
import type { JobSettled } from "../db/job-calls.ts";
import { packed } from "../db/packed.ts";
import type { JobState } from "../db/schema.ts";
import type { Call, Response, Services } from "./call.ts";
import { closeBody, errorBody, openBody } from "./envelope.ts";
import { jsonType } from "./reply.ts";
import { bestEffort, retryStore, unavailable } from "./stores.ts";
import type { Waited } from "./queue/waiters.ts";

/**
 * Settles or voids the hold and renders the answer, for first calls, concurrent retries and retries after a
 * crash.
 */
export async function finish(
  call: Call,
  jobId: string,
  waited: Waited,
  services: Services,
): Promise<Response> {
  if (waited.kind === "outcome" && waited.outcome.ok) {
    return charge(call, jobId, waited.outcome, waited.data, services);
  }
  const error = errorOf(waited);
  if (error.type === "not_found") {
    // It is answered and stored, not thrown, and counts among the errors all the same.
    call.request.timeline?.failed(error);
    services.metrics.count("gateway_errors_total", { type: error.type });
    return keepNotFound(call, jobId, error, services);
  }
  const freed = free(call, jobId, error, services).then((isFree) => {
    // A retry will run again, so a late result of this job is of no use.
    if (isFree && waited.kind === "deadline") services.dispatcher.forget(jobId);
  });
  await (waited.kind === "deadline" ? bestEffort(freed) : freed);
  throw error;
}

export function errorOf(waited: Waited): GatewayError {
  if (waited.kind === "outcome" && !waited.outcome.ok) {
    const { type, message, status, issues, retry_after } = waited.outcome;
    return new GatewayError(type, message, {
      status,
      issues,
      retryAfter: retry_after,
    });
  }
  if (waited.kind === "lost") return unavailable("The work was lost; send the call again");
  return new GatewayError("upstream_unavailable", "No answer before the deadline of the call", {
    status: 504,
    retryAfter: 5,
  });
}

/** The pagination of an answer, with a cursor bound to the call. */
export function pageOf(
  call: Call,
  { pagination }: Pick<Success, "pagination">,
  { cursorSecret, dispatcher }: Pick<Services, "cursorSecret" | "dispatcher">,
): Pagination | undefined {
  return (
    pagination &&
    paginationOf(cursorSecret, call.binding, pagination, dispatcher.storeTime(call.deadline))
  );
}

/** Credits for the delivered records; less where the account's own credentials paid for all of them. */
export function chargeOf(
  op: Operation,
  outcome: Pick<Success, "records" | "price_percent">,
): number {
  const credits = creditsFor(op, outcome.records);
  const percent = Math.min(100, Math.max(0, outcome.price_percent ?? 100));
  return Math.ceil((credits * percent) / 100);
}

async function charge(
  call: Call,
  jobId: string,
  outcome: Success,
  data: Buffer,
  services: Services,
): Promise<Response> {
  const body = openBody(jobId, data, pageOf(call, outcome, services));
  const settled = await settle(
    call,
    jobId,
    {
      status: 200,
      records: outcome.records,
      credits: chargeOf(call.op, outcome),
      truncated: outcome.truncated,
    },
    body,
    services,
  );
  const { credits, records, balance, truncated } = settled;
  services.metrics.count(
    "gateway_credits_charged_total",
    { mode: call.request.caller.mode },
    credits,
  );
  call.request.timeline?.charged(credits, records, truncated);
  // A concurrent retry settled first, perhaps in another release: its bytes are the answer.
  const first = await storedFirst(call, jobId, settled.kind, services);
  if (first) return { ...replayed(first), replayed: false, ...endedAs(settled) };
  return {
    status: 200,
    requestId: jobId,
    ...endedAs(settled),
    body: closeBody(body, {
      credits_charged: credits,
      records_charged: records,
      balance_remaining: balance,
      truncated_due_to_balance: truncated,
    }),
  };
}

/** The stored answer of the key when another process settled this job first. */
async function storedFirst(
  { request }: Call,
  jobId: string,
  kind: "settled" | "already",
  services: Services,
): Promise<FinalReplay | undefined> {
  const { caller, idempotencyKey: key } = request;
  if (kind === "settled" || key === undefined) return undefined;
  const { accountId, mode } = caller;
  // If the look-up fails, render the same settlement again.
  const stored = await services.calls.lookUp({ accountId, mode, key }).catch(() => undefined);
  return stored?.state === "final" && stored.requestId === jobId ? stored : undefined;
}

/** A 404 is kept for replays like a success, at no charge. */
async function keepNotFound(
  call: Call,
  jobId: string,
  error: GatewayError,
  services: Services,
): Promise<Response> {
  const body = errorBody(error, jobId);
  const result = { status: 404, records: 0, credits: 0, truncated: false };
  const settled = await settle(call, jobId, result, body, services);
  const first = await storedFirst(call, jobId, settled.kind, services);
  if (first) return { ...replayed(first), replayed: false, ...endedAs(settled) };
  return { status: 404, requestId: jobId, body, ...endedAs(settled) };
}

const endedAs = (settled: Settled | JobSettled): { ended?: JobState } =>
  "state" in settled && settled.state ? { ended: settled.state } : {};

/** A result that arrives at the deadline itself is settled for at least this long, in milliseconds. */
const leastSettleMs = 4000;
/** Charging stops this long before the caller gets an answer without a charge. */
const settleMarginMs = 500;

/** A caller without a key left before the charge, so the call is not charged. */
class CallerLeft extends Error {}

async function settle(
  call: Call,
  jobId: string,
  result: { status: number; records: number; credits: number; truncated: boolean },
  whole: Buffer,
  services: Services,
) {
  const { request } = call;
  const keyed = request.idempotencyKey !== undefined;
  const body = call.background ? await packed(whole) : whole;
  // The work is done: while the database is away, the answer waits as long as the caller does.
  const until = Math.max(call.deadline, monotonicNow() + leastSettleMs);
  const apart = keyed && body.length > inlineBodyLimitBytes;
  let expired = 0;
  const step = async (): Promise<Settled | JobSettled> => {
    if (!keyed && request.gone.aborted) throw new CallerLeft();
    if (apart) await services.calls.storeBody(jobId, body);
    const settlement: Settlement = {
      requestId: jobId,
      accountId: request.caller.accountId,
      credits: result.credits,
      records: result.records,
      truncated: result.truncated,
      status: result.status,
      durationMs: monotonicNow() - request.arrivedAt,
      stored: keyed ? { contentType: jsonType, body: apart ? "apart" : body } : undefined,
      // Nothing waits for this statement after that time; a later one decides.
      notAfter: Math.min(until - settleMarginMs, monotonicNow() + answerLimitMs),
    };
    const { background } = call;
    const settled = background
      ? await services.calls.settleJob({ ...settlement, startedAt: background.startedAt })
      : await services.calls.settle(settlement);
    // A single late answer may only mean a slow database or a new clock, so wait for a second one.
    expired += settled.kind === "expired" ? 1 : 0;
    if (expired === 1 && monotonicNow() < until - settleMarginMs) return step();
    return settled;
  };
  try {
    const settled = await retryStore(step, { until, patienceMs: Infinity });
    if (settled.kind !== "expired") return settled;
    // A hold disappears before its deadline only if the database crashed before it reached the disk.
    throw errorOf({ kind: monotonicNow() < call.deadline ? "lost" : "deadline" });
  } catch (error) {
    if (!(error instanceof CallerLeft)) throw error;
    const gone = errorOf({ kind: "gone" });
    await free(call, jobId, gone, services, until);
    throw gone;
  }
}

/**
 * Gives the hold back and frees the key, retrying until `until` (Unix milliseconds). Returns false when that
 * fails: the hold then expires by itself.
 */
export async function free(
  call: Call,
  jobId: string,
  error: GatewayError,
  services: Services,
  until = 0,
): Promise<boolean> {
  // The statement that ends the job also gives its hold back.
  if (call.background) return false;
  const release = () =>
    services.calls.release({
      requestId: jobId,
      accountId: call.request.caller.accountId,
      status: error.status,
      errorType: error.type,
      durationMs: monotonicNow() - call.request.arrivedAt,
    });
  return retryStore(release, { until, patienceMs: Infinity }).then(
    () => true,
    (cause: unknown) => {
      services.log("warn", "hold left to expire", { request_id: jobId, error: String(cause) });
      return false;
    },
  );
}

/** An earlier answer, byte for byte. */
export function replayed(
  replay: Pick<FinalReplay, "status" | "body" | "billing" | "requestId">,
): Response {
  const { status, body, billing, requestId } = replay;
  const whole =
    status === 200
      ? closeBody(body, {
          credits_charged: billing.credits,
          records_charged: billing.records,
          balance_remaining: billing.balance,
          truncated_due_to_balance: billing.truncated,
        })
      : body;
  return { status, body: whole, requestId, replayed: true };
}

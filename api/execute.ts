import { createHash } from "node:crypto";
import { canonicalJson } from "../contract/canonical.ts";
import { type CursorBinding, openCursor, signCursor } from "../contract/cursor.ts";
import { GatewayError, invalid } from "../contract/errors.ts";
import type { CursorPayload, JobData, Mode, Success } from "../contract/job.ts";
import type { Metrics } from "../contract/metrics.ts";
import { type Operation, creditsFor, mostRecords } from "../contract/operation.ts";
import type { Scenario } from "../contract/scenario.ts";
import {
  type CallStore,
  type FinalReplay,
  type RunningReplay,
  inlineBodyLimitBytes,
} from "../db/calls.ts";
import type { Caller } from "./auth.ts";
import { checkRoom } from "./backpressure.ts";
import type { Dispatcher } from "./dispatch.ts";
import { closeBody, errorBody, openBody } from "./envelope.ts";
import { type FaultPoint } from "./config.ts";
import { type RawInput, decodeInput } from "./input.ts";
import { type Acquired, acquire, release } from "./limits.ts";
import { playAtEdge } from "./scenario.ts";
import { fromStore, unavailable } from "./stores.ts";
import type { Waited } from "./waiters.ts";

/** One HTTP request to a data operation, read but not yet understood. */
export interface Request {
  requestId: string;
  caller: Caller;
  method: string;
  /** As sent, without the query. */
  path: string;
  raw: RawInput;
  version: string;
  idempotencyKey: string | undefined;
  scenario: Scenario | undefined;
  /** Unix time in milliseconds. */
  arrivedAt: number;
  /** Aborts when the connection closes before the answer is written. */
  gone: AbortSignal;
  /** Set once the call has been measured against its key's limits; told on errors as well. */
  limits?: Acquired;
}

/** An HTTP answer. `requestId` differs from the request's own on a replay. */
export interface Response {
  status: number;
  body: Buffer;
  requestId: string;
  replayed?: boolean;
}

export interface Services {
  calls: CallStore;
  dispatcher: Dispatcher;
  metrics: Metrics;
  cursorSecret: string;
  /** Calls being carried out, also those whose caller has left. */
  running: Set<Promise<unknown>>;
  log(level: "warn" | "error", message: string, fields: Record<string, unknown>): void;
  /** Ends the process when this point is the one the operator named; for tests of crashes. */
  faultPoint(point: FaultPoint): void;
}

/** A call that has been understood. */
interface Call {
  op: Operation;
  input: Record<string, unknown>;
  cursor: CursorPayload | undefined;
  binding: CursorBinding;
  deadline: number;
  most: number;
  fingerprint: string | undefined;
  request: Request;
}

const json = "application/json; charset=utf-8";

/** The life of one call, from the decoded request to the bytes of its answer. */
export async function execute(
  op: Operation,
  request: Request,
  services: Services,
): Promise<Response> {
  const call = understand(op, request, services.cursorSecret);
  const replay = await earlier(call, services);
  if (replay?.state === "final") return replayed(replay);
  if (replay?.state === "running") return join(call, replay, services);

  await admit(call, services);
  try {
    if (request.scenario) playAtEdge(request.scenario, op);
    const reserved = await reserve(call, services);
    if (reserved.kind === "taken") {
      return reserved.state === "final" ? replayed(reserved) : await join(call, reserved, services);
    }
    services.faultPoint("after_reserve");
    const job = jobOf(call, Math.min(call.most, reserved.amount));
    const waited = await dispatch(call, request.requestId, job, services);
    return await finish(call, request.requestId, waited, services);
  } finally {
    await release(services.dispatcher.redis, request.caller.keyId, request.requestId);
  }
}

function understand(op: Operation, request: Request, cursorSecret: string): Call {
  const input = decodeInput(op, request.raw) as Record<string, unknown>;
  const binding = { operation: op.id, version: request.version, input };
  let cursor: CursorPayload | undefined;
  if (op.paginated && typeof input.cursor === "string") {
    cursor = openCursor(cursorSecret, binding, input.cursor, request.arrivedAt);
    if (!cursor) {
      const where = op.method === "POST" ? "body" : "query";
      throw invalid(
        where,
        "cursor",
        "invalid_cursor",
        "cursor: is altered, stale or belongs to another call",
      );
    }
  }
  const most = request.scenario === "truncated" ? 1 : mostRecords(op, input);
  return {
    op,
    input,
    cursor,
    binding,
    deadline: request.arrivedAt + op.deadlineMs(input),
    most,
    fingerprint: request.idempotencyKey === undefined ? undefined : fingerprintOf(request),
    request,
  };
}

/** What a key is bound to: the same key with another of these is refused. */
function fingerprintOf(request: Request): string {
  const query = [...request.raw.query.entries()].sort();
  return createHash("sha256")
    .update(
      canonicalJson([
        request.method,
        request.path,
        query,
        request.raw.body ?? null,
        request.version,
        request.scenario ?? null,
      ]),
    )
    .digest("base64url");
}

async function earlier(call: Call, services: Services) {
  const { caller, idempotencyKey } = call.request;
  if (idempotencyKey === undefined) return undefined;
  const found = await fromStore(() =>
    services.calls.lookUp({ accountId: caller.accountId, mode: caller.mode, key: idempotencyKey }),
  );
  if (found && found.fingerprint !== call.fingerprint) throw keyReused();
  if (found) {
    const kind = found.state === "final" ? "replayed" : "joined";
    services.metrics.count("gateway_idempotent_answers_total", { kind });
  }
  return found;
}

function keyReused(): GatewayError {
  const message = "Idempotency-Key: was used for another request";
  return invalid("header", "Idempotency-Key", "key_reused", message, { status: 422 });
}

/** The key's rate and concurrency, and room in the queue; takes a place that must be given back. */
async function admit(call: Call, services: Services): Promise<void> {
  const { caller, requestId } = call.request;
  const { dispatcher } = services;
  const acquired = await fromStore(() =>
    acquire(
      dispatcher.redis,
      { requestId, keyId: caller.keyId, pool: call.op.pool, lastsMs: call.deadline - Date.now() },
      caller,
    ),
  );
  call.request.limits = acquired;
  if (acquired.kind !== "ok") {
    const message =
      acquired.kind === "rate"
        ? `More than ${caller.ratePerSecond} calls a second`
        : `More than ${caller.maxInFlight} calls at once`;
    throw new GatewayError("rate_limited", message, {
      retryAfter: Math.max(1, Math.ceil(acquired.waitMs / 1000)),
    });
  }
  try {
    checkRoom(dispatcher.stateOf(call.op.pool), acquired.waiting, call.deadline - Date.now());
  } catch (error) {
    services.metrics.count("gateway_queue_refused_total", { pool: call.op.pool });
    await release(dispatcher.redis, caller.keyId, requestId);
    throw error;
  }
}

async function reserve(call: Call, services: Services) {
  const { op, request, fingerprint } = call;
  const { caller, requestId, idempotencyKey } = request;
  const reserved = await fromStore(() =>
    services.calls.reserve({
      requestId,
      accountId: caller.accountId,
      mode: caller.mode,
      keyId: caller.keyId,
      operation: op.id,
      minimum: op.minimum,
      most: creditsFor(op, call.most),
      deadline: call.deadline,
      ...(idempotencyKey !== undefined && fingerprint !== undefined
        ? { idempotency: { key: idempotencyKey, fingerprint } }
        : {}),
    }),
  );
  if (reserved.kind === "insufficient") throw insufficient(op, reserved.balance);
  if (reserved.kind === "taken" && reserved.fingerprint !== fingerprint) throw keyReused();
  return reserved;
}

function insufficient(op: Operation, balance: number): GatewayError {
  return new GatewayError("insufficient_credits", "The balance does not cover this call", {
    billing: { balance_remaining: balance, credits_required: Math.max(op.minimum, 1) },
  });
}

function jobOf(call: Call, maxRecords: number): Omit<JobData, "reply"> {
  const { caller, scenario } = call.request;
  return {
    operation: call.op.id,
    input: call.input,
    mode: caller.mode,
    ...(scenario ? { scenario } : {}),
    tenant: tenantOf(caller.accountId, caller.mode),
    max_records: maxRecords,
    ...(call.cursor ? { cursor: call.cursor } : {}),
    deadline: call.deadline,
  };
}

function tenantOf(accountId: number, mode: Mode): string {
  return createHash("sha256").update(`${accountId}:${mode}`).digest("hex").slice(0, 16);
}

/** Adds the job and waits. A call without a key ends with its caller; one with a key goes on. */
async function dispatch(
  call: Call,
  jobId: string,
  job: Omit<JobData, "reply">,
  services: Services,
): Promise<Waited> {
  const { dispatcher } = services;
  const { pool } = call.op;
  const keyed = call.request.idempotencyKey !== undefined;
  const waiting = dispatcher.waiters.wait({
    jobId,
    pool,
    deadline: call.deadline,
    ...(keyed ? {} : { gone: call.request.gone }),
  });
  try {
    await dispatcher.add(jobId, pool, job);
  } catch (error) {
    services.log("warn", "job not added", { request_id: jobId, error: (error as Error).message });
    // The add may have arrived although its answer did not.
    await dispatcher.cancel(jobId, pool);
    await free(call, jobId, unavailable(), services);
    throw unavailable();
  }
  services.faultPoint("after_enqueue");
  const waited = await waiting;
  if (waited.kind === "deadline" || waited.kind === "gone") await dispatcher.cancel(jobId, pool);
  return waited;
}

/** Settles or voids, and renders. The same for the first call, its twins and a retry after a crash. */
async function finish(
  call: Call,
  jobId: string,
  waited: Waited,
  services: Services,
): Promise<Response> {
  if (waited.kind === "outcome") services.faultPoint("after_result");
  if (waited.kind === "outcome" && waited.outcome.ok) {
    return charge(call, jobId, waited.outcome, waited.data, services);
  }
  const error = errorOf(waited);
  if (error.type === "not_found") return keepNotFound(call, jobId, error, services);
  await free(call, jobId, error, services);
  throw error;
}

function errorOf(waited: Waited): GatewayError {
  if (waited.kind === "outcome" && !waited.outcome.ok) {
    const { type, message, status, issues, retry_after } = waited.outcome;
    return new GatewayError(type, message, {
      ...(status === undefined ? {} : { status }),
      ...(issues ? { issues } : {}),
      ...(retry_after === undefined ? {} : { retryAfter: retry_after }),
    });
  }
  if (waited.kind === "lost") return unavailable("The work was lost; send the call again");
  return new GatewayError("upstream_unavailable", "No answer before the deadline of the call", {
    status: 504,
    retryAfter: 5,
  });
}

async function charge(
  call: Call,
  jobId: string,
  outcome: Success,
  data: Buffer,
  services: Services,
): Promise<Response> {
  const { pagination } = outcome;
  const next = pagination?.next;
  const body = openBody(
    jobId,
    data,
    pagination && {
      has_more: pagination.has_more,
      ...(next === undefined
        ? {}
        : { next_cursor: signCursor(services.cursorSecret, call.binding, next, call.deadline) }),
    },
  );
  const settled = await settle(
    call,
    jobId,
    { status: 200, records: outcome.records, truncated: outcome.truncated },
    body,
    services,
  );
  const { credits, records, balance, truncated } = settled;
  services.metrics.count(
    "gateway_credits_charged_total",
    { mode: call.request.caller.mode },
    credits,
  );
  services.faultPoint("after_settle");
  return {
    status: 200,
    requestId: jobId,
    body: closeBody(body, {
      credits_charged: credits,
      records_charged: records,
      balance_remaining: balance,
      truncated_due_to_balance: truncated,
    }),
  };
}

/** A 404 is kept for replays like a success, at no charge. */
async function keepNotFound(
  call: Call,
  jobId: string,
  error: GatewayError,
  services: Services,
): Promise<Response> {
  const body = errorBody(error, jobId);
  await settle(call, jobId, { status: 404, records: 0, truncated: false }, body, services);
  return { status: 404, requestId: jobId, body };
}

async function settle(
  call: Call,
  jobId: string,
  result: { status: number; records: number; truncated: boolean },
  body: Buffer,
  services: Services,
) {
  const { request, op } = call;
  const keyed = request.idempotencyKey !== undefined;
  const settled = await fromStore(
    async () => {
      const apart = keyed && body.length > inlineBodyLimitBytes;
      if (apart) await services.calls.storeBody(jobId, body);
      return services.calls.settle({
        requestId: jobId,
        credits: result.status === 200 ? creditsFor(op, result.records) : 0,
        records: result.records,
        truncated: result.truncated,
        status: result.status,
        durationMs: Date.now() - request.arrivedAt,
        ...(keyed ? { stored: { contentType: json, body: apart ? "apart" : body } } : {}),
      });
    },
    { until: call.deadline },
  );
  if (settled.kind === "expired") throw errorOf({ kind: "deadline" });
  return settled;
}

/** Gives the hold back and frees the key. Where that fails, the hold expires by itself. */
async function free(
  call: Call,
  jobId: string,
  error: GatewayError,
  services: Services,
): Promise<void> {
  await fromStore(() =>
    services.calls.release({
      requestId: jobId,
      status: error.status,
      errorType: error.type,
      durationMs: Date.now() - call.request.arrivedAt,
    }),
  ).catch((cause: unknown) =>
    services.log("warn", "hold left to expire", { request_id: jobId, error: String(cause) }),
  );
}

/**
 * A second request with the same key while the first one runs, here or in another process, or after
 * the process that ran it died: the job is added again under its own id, which is nothing where it
 * still exists, and both end in the same settle.
 */
async function join(call: Call, running: RunningReplay, services: Services): Promise<Response> {
  const { dispatcher } = services;
  const { pool } = call.op;
  const jobId = running.requestId;
  const waiting = dispatcher.waiters.wait({
    jobId,
    pool,
    deadline: Math.min(running.deadline, call.deadline),
    eager: true,
    gone: call.request.gone,
  });
  const joined = { ...call, deadline: running.deadline };
  const late = Date.now() >= running.deadline;
  if (!late) {
    const job = jobOf(joined, Math.min(call.most, running.maxRecords));
    await fromStore(() => dispatcher.add(jobId, pool, job));
  }
  const waited = await waiting;
  if (late && waited.kind === "deadline") {
    // Nobody finished it in its time: the key is freed and this call is the first again.
    await free(joined, jobId, errorOf(waited), services);
    return execute(call.op, call.request, services);
  }
  const stillRuns = waited.kind === "deadline" && call.deadline < running.deadline;
  if (stillRuns || waited.kind === "gone") {
    throw new GatewayError("rate_limited", "The first call with this Idempotency-Key still runs", {
      retryAfter: 1,
    });
  }
  if (waited.kind === "deadline") await dispatcher.cancel(jobId, pool);
  const response = await finish(joined, jobId, waited, services);
  // Whoever settled first wrote what every other answer must equal to the byte.
  const kept = await earlier(call, services);
  return kept?.state === "final" ? replayed(kept) : { ...response, replayed: true };
}

function replayed(replay: FinalReplay): Response {
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

import { createHash } from "node:crypto";
import { canonicalJson } from "../contract/canonical.ts";
import { openCursor } from "../contract/cursor.ts";
import { GatewayError, invalid } from "../contract/errors.ts";
import { type CursorPayload, type JobData, type Mode, formatVersion } from "../contract/job.ts";
import { type Operation, creditsFor, mostRecords } from "../contract/operation.ts";
import type { FinalReplay, Replay, RunningReplay } from "../db/calls.ts";
import { queueFull, roomIn } from "./backpressure.ts";
import type { Call, Request, Response, Services } from "./call.ts";
import { cursorNameIn, decodeInput } from "./input.ts";
import { playAtEdge } from "./scenario.ts";
import { errorOf, finish, free, replayed } from "./settle.ts";
import { aside, fromStore, unavailable } from "./stores.ts";
import type { Place } from "./limits.ts";
import type { Waited } from "./waiters.ts";

/** The life of one call, from the decoded request to the bytes of its answer. */
export async function execute(
  op: Operation,
  request: Request,
  services: Services,
): Promise<Response> {
  const { story } = request;
  story?.enter("validate");
  const call = understand(op, request, services.cursorSecret);
  const claimed = await claim(call, services);
  if (claimed.kind === "final") {
    story?.answeredBy("replayed", claimed.replay.requestId);
    return replayed(claimed.replay);
  }
  if (claimed.kind === "running") return join(call, claimed.replay, services);
  services.faultPoint("after_reserve");
  const job = jobOf(call, Math.min(call.most, claimed.amount));
  const waited = await dispatch(call, request.requestId, job, services).catch(async (error) => {
    await giveBack(call, services);
    throw error;
  });
  // The work is over: its place is free while it is charged, and before the caller hears of it.
  const given = giveBack(call, services);
  story?.enter("settle");
  try {
    const response = await finish(call, request.requestId, waited, services);
    services.dispatcher.forget(request.requestId);
    return response;
  } catch (error) {
    // With a key the result waits for the caller to ask again; without one nobody can.
    if (request.idempotencyKey === undefined) services.dispatcher.forget(request.requestId);
    throw error;
  } finally {
    await given;
  }
}

/** What a call has once it may run, or whose answer it gets instead. */
type Claimed =
  | { kind: "held"; amount: number }
  | { kind: "running"; replay: RunningReplay }
  | { kind: "final"; replay: FinalReplay };

const found = (replay: Replay): Claimed =>
  replay.state === "final" ? { kind: "final", replay } : { kind: "running", replay };

/** Replays or joins an earlier call; else takes a place within the limits and sets credits aside. */
async function claim(call: Call, services: Services): Promise<Claimed> {
  const replay = await earlier(call, services);
  if (replay) return found(replay);
  return oneTwinAtATime(call, services, async (waited) => {
    // Behind a twin there is most likely an owner now; it is joined, which takes no place.
    const owner = waited ? await earlier(call, services) : undefined;
    return owner ? found(owner) : begin(call, services);
  });
}

async function begin(call: Call, services: Services): Promise<Claimed> {
  await admit(call, services);
  try {
    if (call.request.scenario) playAtEdge(call.request.scenario, call.op);
    const reserved = await reserve(call, services);
    if (reserved.kind === "held") return reserved;
    await giveBack(call, services);
    return found(reserved);
  } catch (error) {
    await giveBack(call, services);
    throw error;
  }
}

/**
 * Of the twins in this process one takes the step; those that waited for it follow together when it
 * succeeded, and one by one while it fails. They are told that they waited.
 */
async function oneTwinAtATime(
  { request }: Call,
  { claims }: Services,
  step: (waited: boolean) => Promise<Claimed>,
): Promise<Claimed> {
  const { caller, idempotencyKey } = request;
  if (idempotencyKey === undefined) return step(false);
  const scope = `${caller.accountId}:${caller.mode}:${idempotencyKey}`;
  let waited = false;
  for (let first = claims.get(scope); first; first = claims.get(scope)) {
    waited = true;
    if (await first) return step(waited);
  }
  const mine = step(waited);
  const succeeded = mine.then(
    () => true,
    () => false,
  );
  claims.set(scope, succeeded);
  try {
    return await mine;
  } finally {
    claims.delete(scope);
  }
}

function placeOf({ op, request }: Call): Place {
  const { accountId, mode } = request.caller;
  return { requestId: request.requestId, accountId, mode, pool: op.pool };
}

async function giveBack(call: Call, services: Services): Promise<void> {
  await aside(services.dispatcher.gate.release(placeOf(call)));
}

function understand(op: Operation, request: Request, cursorSecret: string): Call {
  const input = decodeInput(op, request.raw) as Record<string, unknown>;
  const { version, caller } = request;
  const { accountId, mode } = caller;
  const binding = { accountId, operation: op.id, version, mode, input };
  let cursor: CursorPayload | undefined;
  if (op.paginated && typeof input.cursor === "string") {
    cursor = openCursor(cursorSecret, binding, input.cursor, request.arrivedAt);
    if (!cursor) {
      const where = op.method === "POST" ? "body" : "query";
      const name = cursorNameIn(op, request.raw);
      const message = `${name}: is altered, stale or belongs to another call`;
      throw invalid(where, name, "invalid_cursor", message);
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
  const query = [...request.raw.query.entries()].map((pair) => pair.join("=")).toSorted();
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

/** What the key remembers. */
async function kept({ request }: Call, services: Services, whenFree?: (keptBytes: number) => void) {
  const { caller, idempotencyKey } = request;
  if (idempotencyKey === undefined) return undefined;
  const { accountId, mode } = caller;
  return fromStore(() => services.calls.lookUp({ accountId, mode, key: idempotencyKey }, whenFree));
}

/** An earlier call with the same key; throws when it was another call. */
async function earlier(call: Call, services: Services) {
  if (call.request.idempotencyKey !== undefined) {
    call.request.story?.keyed();
    call.request.story?.enter("look_up");
  }
  const found = await kept(call, services, (bytes) => {
    if (bytes < services.keptBytesLimit) return;
    const message =
      "The kept answers of earlier keys fill their space; call without a key or later";
    throw new GatewayError("rate_limited", message, { retryAfter: 60 });
  });
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
  call.request.story?.enter("limits");
  const { caller } = call.request;
  const { pool } = call.op;
  const { dispatcher } = services;
  if (dispatcher.nearlyFull) throw unavailable();
  const state = dispatcher.stateOf(pool);
  const bounds = { slots: state.slots, room: roomIn(state, call.deadline - Date.now()) };
  // Asked again after a cut connection: the place is the same one, the rate at worst counts twice.
  const acquired = await fromStore(() => dispatcher.gate.acquire(placeOf(call), caller, bounds), {
    until: call.deadline,
    limitMs: 2200,
  }).catch((error: unknown) => {
    // A Redis that was frozen may still grant what nobody waits for any more.
    void giveBack(call, services);
    throw error;
  });
  call.request.limits = acquired;
  if (acquired.kind !== "ok") {
    services.metrics.count("gateway_calls_held_back_total", { pool, reason: acquired.kind });
  }
  switch (acquired.kind) {
    case "ok":
      return;
    case "queue":
      services.metrics.count("gateway_queue_refused_total", { pool });
      throw queueFull(state, acquired.waiting);
    case "rate":
      throw new GatewayError("rate_limited", `More than ${caller.ratePerSecond} calls a second`, {
        retryAfter: Math.max(1, Math.ceil(acquired.waitMs / 1000)),
      });
    case "concurrency":
      throw new GatewayError("rate_limited", `More than ${caller.maxInFlight} calls at once`, {
        retryAfter: 1,
      });
  }
}

async function reserve(call: Call, services: Services) {
  const { op, request, fingerprint } = call;
  const { caller, requestId, idempotencyKey } = request;
  request.story?.enter("reserve");
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
  if (reserved.kind === "held") request.story?.held(reserved.amount);
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
    v: formatVersion,
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
  const { story } = call.request;
  story?.enter("enqueue");
  const waiting = dispatcher.waiters.wait({
    jobId,
    pool,
    deadline: call.deadline,
    ...(keyed ? {} : { gone: call.request.gone }),
  });
  try {
    await dispatcher.add(jobId, pool, job, call.request.limits?.priority);
  } catch (error) {
    services.log("warn", "job not added", { request_id: jobId, error: (error as Error).message });
    // The add may have arrived although its answer did not.
    void dispatcher.cancel(jobId, pool);
    await aside(free(call, jobId, unavailable(), services));
    throw unavailable();
  }
  services.faultPoint("after_enqueue");
  story?.enter("wait");
  const waited = await waiting;
  story?.waited(waited);
  if (waited.kind === "deadline" || waited.kind === "gone") void dispatcher.cancel(jobId, pool);
  return waited;
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
  const { story } = call.request;
  story?.answeredBy("joined", jobId);
  story?.enter("wait");
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
    await fromStore(() => dispatcher.addAgain(jobId, pool, job));
  }
  const waited = await waiting;
  story?.waited(waited);
  story?.enter("settle");
  if (late && waited.kind === "deadline") {
    // Nobody finished it in its time: the key is freed and this call is the first again.
    await free(joined, jobId, errorOf(waited), services);
    story?.alone();
    return execute(call.op, call.request, services);
  }
  const stillRuns = waited.kind === "deadline" && call.deadline < running.deadline;
  if (stillRuns || waited.kind === "gone") {
    throw new GatewayError("rate_limited", "The first call with this Idempotency-Key still runs", {
      retryAfter: 1,
    });
  }
  if (waited.kind === "deadline") void dispatcher.cancel(jobId, pool);
  const settled = await kept(call, services);
  if (settled?.state === "final" && settled.requestId === jobId) return replayed(settled);
  const response = await finish(joined, jobId, waited, services);
  // Whoever settled first wrote what every other answer must equal to the byte.
  const stored = await kept(call, services);
  const same = stored?.state === "final" && stored.requestId === jobId;
  return same ? replayed(stored) : { ...response, replayed: true };
}

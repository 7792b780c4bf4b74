import { neededFor } from "../contract/pricing.ts";
import { GatewayError, invalid } from "../contract/errors.ts";
import { type Operation, creditsFor } from "../contract/operation.ts";
import { monotonicNow } from "../runtime/monotonic.ts";
import type { FinalReplay, Replay, RunningReplay } from "../db/call-types.ts";
import { backgroundQueueCapacity, queueFull, queueCapacityOf } from "./admission/backpressure.ts";
import { overBudget } from "./admission/budgets.ts";
import { ownerName, unauthorized } from "./auth.ts";
import type { Call, Services } from "./call.ts";
import type { PoolState } from "./queue/pool-states.ts";
import type { Slot } from "./admission/call-limiter.ts";
import { reserveInTime } from "./hold.ts";
import { playAtEdge } from "./scenario.ts";
import { handIn } from "./jobs/hand-in.ts";
import { bestEffort, retryStore, unavailable } from "./stores.ts";

/** A call's right to run, or the earlier call that answers it. */
export type Claimed =
  /** `createdAt`: of a job, Unix time in milliseconds. */
  | { kind: "held"; amount: number; balance: number; createdAt?: number | undefined }
  | { kind: "running"; replay: RunningReplay }
  | { kind: "final"; replay: FinalReplay };

const found = (replay: Replay): Claimed =>
  replay.state === "final" ? { kind: "final", replay } : { kind: "running", replay };

/** Replays or joins an earlier call; otherwise takes a slot within the limits and reserves credits. */
export async function claim(call: Call, services: Services): Promise<Claimed> {
  const replay = await earlier(call, services);
  if (replay) return found(replay);
  return singleFlight(call, services, async (waited) => {
    // The retry that went first has most likely claimed the key; joining it takes no slot.
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
    await releaseSlot(call, services);
    return found(reserved);
  } catch (error) {
    await releaseSlot(call, services);
    throw error;
  }
}

/**
 * Single flight per key in this process: one of several concurrent retries runs the step. The others follow
 * together when it succeeded, and one by one while it fails; `waited` is true for them.
 */
async function singleFlight(
  { request }: Call,
  { claims }: Services,
  step: (waited: boolean) => Promise<Claimed>,
): Promise<Claimed> {
  const { caller, idempotencyKey } = request;
  if (idempotencyKey === undefined) return step(false);
  const scope = `${ownerName(caller)}:${idempotencyKey}`;
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

export function slotOf({ op, request, background }: Call): Slot {
  const { accountId, mode } = request.caller;
  const { requestId } = request;
  return { requestId, accountId, mode, pool: op.pool, background: background !== undefined };
}

export async function releaseSlot(call: Call, services: Services): Promise<void> {
  await bestEffort(services.dispatcher.limiter.release(slotOf(call)));
}

/** The earlier call that the key names, if any. */
export async function keptReplay(
  { request }: Call,
  services: Services,
  whenFree?: (keptBytes: number) => void,
): Promise<Replay | undefined> {
  const { caller, idempotencyKey } = request;
  if (idempotencyKey === undefined) return undefined;
  const { accountId, mode } = caller;
  const scope = { accountId, mode, key: idempotencyKey };
  const options = { room: request.admitBytes, whenFree };
  return retryStore(() => services.calls.lookUp(scope, options));
}

/** An earlier call with the same key; throws when it was another call. */
async function earlier(call: Call, services: Services) {
  if (call.background?.isNew) return undefined;
  if (call.request.idempotencyKey !== undefined) {
    call.request.timeline?.keyed();
    call.request.timeline?.enter("look_up");
  }
  const found = await keptReplay(call, services, (bytes) => {
    if (bytes >= services.keptBytesLimit) throw spaceFull(call);
  });
  if (found && found.fingerprint !== call.fingerprint) throw keyReused();
  if (found) {
    const kind = found.state === "final" ? "replayed" : "joined";
    services.metrics.count("gateway_idempotent_answers_total", { kind });
  }
  return found;
}

function spaceFull(call: Call): GatewayError {
  const message = call.background
    ? "The stored results of earlier jobs and keys take all of the account's space; call again later"
    : "The stored answers of earlier keys take all of the account's space; call without a key, or later";
  return new GatewayError("rate_limited", message, { retryAfter: 60 });
}

export function keyReused(): GatewayError {
  const message = "Idempotency-Key: was used for another request";
  return invalid("header", "Idempotency-Key", "key_reused", message, { status: 422 });
}

/** Asks the limits for a slot. */
async function acquire(call: Call, services: Services, state: PoolState) {
  const { limiter } = services.dispatcher;
  const queueCapacity = call.background
    ? backgroundQueueCapacity
    : queueCapacityOf(state, call.deadline - monotonicNow());
  const bounds = { slots: state.slots, queueCapacity };
  // A repetition after a cut connection gets the same slot; at worst the rate counts it twice.
  return retryStore(() => limiter.acquire(slotOf(call), call.request.caller, bounds), {
    until: call.deadline,
    // Whoever hands in a job is answered soon; a cut connection is back by then.
    ...(call.background ? { patienceMs: 500 } : {}),
    limitMs: 2200,
  }).catch((error: unknown) => {
    // A Redis that was frozen may still grant a slot after this process gave up.
    void releaseSlot(call, services);
    throw error;
  });
}

/** Applies rate, concurrency and queue limits, and takes a slot that must be released. */
async function admit(call: Call, services: Services): Promise<void> {
  call.request.timeline?.enter("limits");
  const { caller } = call.request;
  const { pool } = call.op;
  const { dispatcher } = services;
  if (dispatcher.nearlyFull) throw unavailable();
  await services.controls?.checkWork(call.op);
  let state = dispatcher.stateOf(pool);
  let acquired = await acquire(call, services, state);
  if (acquired.kind === "queue" && state.workers === 0) {
    state = await dispatcher.knownStateOf(pool);
    if (state.workers > 0) acquired = await acquire(call, services, state);
  }
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
  request.timeline?.enter("reserve");
  const reservation = {
    requestId,
    accountId: caller.accountId,
    mode: caller.mode,
    keyId: caller.keyId,
    operation: op.id,
    minimum: op.minimum,
    most: creditsFor(op, call.most),
    deadline: call.deadline,
    idempotency:
      idempotencyKey !== undefined && fingerprint !== undefined
        ? { key: idempotencyKey, fingerprint }
        : undefined,
  };
  const { background } = call;
  const reserved = await retryStore(() =>
    background
      ? handIn({ ...reservation, ...background }, services, request.admitBytes)
      : reserveInTime(reservation, call, services),
  );
  if (reserved.kind === "late") throw unavailable();
  if (reserved.kind === "revoked") throw unauthorized();
  if (reserved.kind === "full") throw spaceFull(call);
  if (reserved.kind === "insufficient") {
    const { balance } = reserved;
    const needed = neededFor(op);
    if (balance < needed) throw insufficient(op, balance);
    const { budgets } = await retryStore(() => services.budgets.standing(caller));
    throw overBudget(budgets, balance, needed);
  }
  if (reserved.kind === "taken" && reserved.fingerprint !== fingerprint) throw keyReused();
  if (reserved.kind === "held") request.timeline?.held(reserved.amount);
  return reserved;
}

function insufficient(op: Operation, balance: number): GatewayError {
  return new GatewayError("insufficient_credits", "The balance does not cover this call", {
    billing: { balance_remaining: balance, credits_required: neededFor(op) },
  });
}

import type { Pool } from "../../contract/operation.ts";
import type { TraceContext } from "../../runtime/trace.ts";
import type { OpenBatch } from "../../db/batches.ts";
import { ownerName } from "../auth.ts";

/** The weight of the latest item in the mean run time, one in so many. */
const latestShare = 8;

/** The state of a batch in this process's scheduler. */
export interface BatchState {
  batch: OpenBatch;
  trace: Promise<TraceContext | undefined>;
  /** Items in flight here, by pool. */
  inFlight: Map<Pool, number>;
  /** Mean run time of its items by pool, in milliseconds. */
  ran: Map<Pool, number>;
  /** Pools that had no item left at the last query. */
  dry: Set<Pool>;
  /** Number of the last item that this process has started, by pool. */
  started: Map<Pool, number>;
  /** Pools whose next item waits for credits that others hold. */
  waits: Set<Pool>;
  stopped: AbortController;
  lastServed: number;
}

export const newBatchState = (batch: OpenBatch, trace: BatchState["trace"]): BatchState => ({
  batch,
  trace,
  inFlight: new Map(),
  ran: new Map(),
  dry: new Set(),
  started: new Map(),
  waits: new Set(),
  stopped: new AbortController(),
  lastServed: 0,
});

/** Takes over a fresh reading of the batch: credits or items it waited for may have come. */
export function renew(state: BatchState, batch: OpenBatch): void {
  state.batch = batch;
  state.waits.clear();
  fromTheFirst(state);
  if (batch.queued > 0) state.dry.clear();
  if (batch.state === "cancelling") state.stopped.abort();
  // The batch had ended and was retried.
  else if (state.stopped.signal.aborted) state.stopped = new AbortController();
}

/**
 * Makes the next start look from the first item again: an item that was put back has a lower number than the
 * last one started. A start in flight writes its number to the old map, which is no longer read.
 */
export function fromTheFirst(state: BatchState): void {
  state.started = new Map();
}

export const hasNext = ({ batch, dry, waits }: BatchState, pool: Pool): boolean =>
  batch.state === "running" &&
  batch.beganAt !== null &&
  batch.pools.includes(pool) &&
  !dry.has(pool) &&
  !waits.has(pool);

export const isIdle = ({ inFlight }: BatchState): boolean =>
  [...inFlight.values()].every((count) => count === 0);

export function noteRun({ ran }: BatchState, pool: Pool, ms: number): void {
  const mean = ran.get(pool) ?? ms;
  ran.set(pool, mean + (ms - mean) / latestShare);
}

/**
 * Fair scheduling: the account with items for this pool and the fewest in flight comes next, and likewise its
 * batches; `accounts` is how many have items, at least 1.
 */
export function nextOf(
  all: Iterable<BatchState>,
  pool: Pool,
): { next: BatchState | undefined; accounts: number } {
  const every = [...all];
  const candidates = every.filter((state) => hasNext(state, pool));
  const ofAccount = new Map<string, number>();
  const account = ({ batch }: BatchState) => ownerName(batch);
  for (const state of candidates) ofAccount.set(account(state), 0);
  for (const state of every) {
    const name = account(state);
    const counted = ofAccount.get(name);
    if (counted !== undefined) ofAccount.set(name, counted + (state.inFlight.get(pool) ?? 0));
  }
  const order = (a: BatchState, b: BatchState) =>
    (ofAccount.get(account(a)) as number) - (ofAccount.get(account(b)) as number) ||
    (a.inFlight.get(pool) ?? 0) - (b.inFlight.get(pool) ?? 0) ||
    a.lastServed - b.lastServed;
  return { next: candidates.sort(order)[0], accounts: Math.max(1, ofAccount.size) };
}

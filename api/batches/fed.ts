import type { Pool } from "../../contract/operation.ts";
import type { TraceContext } from "../../contract/trace.ts";
import type { OpenBatch } from "../../db/batches.ts";
import { ownerName } from "../auth.ts";

/** The latest items of a batch count most in the time they take, one in so many. */
const latestShare = 8;

/** A batch as this process carries it out. */
export interface Fed {
  batch: OpenBatch;
  trace: Promise<TraceContext | undefined>;
  /** Items of a pool that this process carries out. */
  inFlight: Map<Pool, number>;
  /** Mean time that its items took in a pool, in milliseconds. */
  ran: Map<Pool, number>;
  /** Pools that had no item left when last asked. */
  dry: Set<Pool>;
  /** Number of the last item that this process has started in a pool. */
  started: Map<Pool, number>;
  /** Pools whose next item waits for credits that others hold. */
  waits: Set<Pool>;
  stopped: AbortController;
  lastServed: number;
}

export const newFed = (batch: OpenBatch, trace: Fed["trace"]): Fed => ({
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

/** As it was read again: what it waited for may have come. */
export function renew(fed: Fed, batch: OpenBatch): void {
  fed.batch = batch;
  fed.waits.clear();
  fromTheFirst(fed);
  if (batch.queued > 0) fed.dry.clear();
  if (batch.state === "cancelling") fed.stopped.abort();
  // It ended and was begun again.
  else if (fed.stopped.signal.aborted) fed.stopped = new AbortController();
}

/**
 * Looks at all that waits again: what was put back has a lower number than the last one that was started. A
 * start that is under way says nothing of that, and keeps its number in a map that is no longer asked.
 */
export function fromTheFirst(fed: Fed): void {
  fed.started = new Map();
}

export const hasNext = ({ batch, dry, waits }: Fed, pool: Pool): boolean =>
  batch.state === "running" && batch.pools.includes(pool) && !dry.has(pool) && !waits.has(pool);

export const isIdle = ({ inFlight }: Fed): boolean =>
  [...inFlight.values()].every((count) => count === 0);

export function noteRun({ ran }: Fed, pool: Pool, ms: number): void {
  const mean = ran.get(pool) ?? ms;
  ran.set(pool, mean + (ms - mean) / latestShare);
}

/**
 * Of the accounts that have items for a pool the one with the fewest in flight comes next, and so of its
 * batches; `accounts` is how many have some, at least 1.
 */
export function nextOf(
  all: Iterable<Fed>,
  pool: Pool,
): { next: Fed | undefined; accounts: number } {
  const every = [...all];
  const candidates = every.filter((fed) => hasNext(fed, pool));
  const ofAccount = new Map<string, number>();
  const account = ({ batch }: Fed) => ownerName(batch);
  for (const fed of candidates) ofAccount.set(account(fed), 0);
  for (const fed of every) {
    const name = account(fed);
    const counted = ofAccount.get(name);
    if (counted !== undefined) ofAccount.set(name, counted + (fed.inFlight.get(pool) ?? 0));
  }
  const order = (a: Fed, b: Fed) =>
    (ofAccount.get(account(a)) as number) - (ofAccount.get(account(b)) as number) ||
    (a.inFlight.get(pool) ?? 0) - (b.inFlight.get(pool) ?? 0) ||
    a.lastServed - b.lastServed;
  return { next: candidates.sort(order)[0], accounts: Math.max(1, ofAccount.size) };
}

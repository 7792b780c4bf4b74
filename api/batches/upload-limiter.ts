import { GatewayError } from "../../contract/errors.ts";
import { type Caller, ownerName } from "../auth.ts";

/** Bodies of one account and mode that are read at once. */
const mostReading = 4;
/** A body that costs nothing keeps its slot this many milliseconds per item and per kilobyte. */
const keptMs = 2;

/** The amount read of a body. */
export interface Seen {
  items: number;
  bytes: number;
  /** The body became a batch, whose calls are charged. */
  isTaken: boolean;
}

/**
 * By account and mode: the time since which each slot is free, in milliseconds; `Infinity` while it is taken.
 */
const slots = new Map<string, number[]>();

/**
 * Concurrency limit for bodies. Reading takes the processor 10 to 100 µs an item, and a body that is refused,
 * priced only or sent again is free: ten thousand items count as one call of the rate. So such a body keeps its
 * slot a multiple of the time it took.
 */
export async function limitUploads<T>(
  caller: Pick<Caller, "accountId" | "mode">,
  step: (seen: Seen) => Promise<T>,
  now: () => number = performance.now.bind(performance),
): Promise<T> {
  const scope = ownerName(caller);
  const taken = (slots.get(scope) ?? []).filter((until) => until > now());
  if (taken.length >= mostReading) {
    const left = Math.min(...taken) - now();
    const message = `More than ${mostReading} batches are being sent`;
    const retryAfter = Number.isFinite(left) ? Math.max(1, Math.ceil(left / 1000)) : 1;
    throw new GatewayError("rate_limited", message, { retryAfter });
  }
  slots.set(scope, [...taken, Infinity]);
  const seen: Seen = { items: 0, bytes: 0, isTaken: false };
  try {
    return await step(seen);
  } finally {
    const left = [...(slots.get(scope) ?? [])];
    left.splice(left.indexOf(Infinity), 1);
    if (!seen.isTaken) left.push(now() + keptMs * (seen.items + seen.bytes / 1024));
    const waiting = left.filter((until) => until > now());
    if (waiting.length > 0) slots.set(scope, waiting);
    else slots.delete(scope);
    if (slots.size > mostScopes) forget(now());
  }
}

/** Free slots are forgotten beyond this number of accounts. */
const mostScopes = 10_000;

function forget(now: number): void {
  for (const [scope, taken] of slots) if (taken.every((until) => until <= now)) slots.delete(scope);
}

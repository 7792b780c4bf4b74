import type { CallStore } from "../../db/calls.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { type Doubts, decidedWithinMs } from "../doubts.ts";
import { unavailable } from "../stores.ts";

export interface Stores {
  doubts: Doubts;
  calls: Pick<CallStore, "clock">;
}

/**
 * Makes a change whose caller must receive the answer, because the answer has a secret. `send` may be repeated, and
 * has no effect from `notAfter` on, Unix time in milliseconds on the clock of the database. When the outcome is not
 * known in time the caller is refused, and `withdraw` undoes the change in the background; it returns false where
 * there is nothing to undo.
 */
export async function withdrawnUnlessKnown<T>(
  endpoint: string,
  { doubts, calls }: Stores,
  {
    send,
    withdraw,
  }: {
    send: (notAfter: number) => Promise<T>;
    withdraw: () => Promise<boolean>;
  },
): Promise<T> {
  const about = { webhook_endpoint: endpoint };
  const notAfter = monotonicNow() + decidedWithinMs;
  const there = calls.clock.toDatabaseExactly(notAfter);
  const known = await doubts.outcome(() => send(there), about);
  if (known) return known.value;
  void doubts.undo(withdraw, notAfter, about);
  throw unavailable();
}

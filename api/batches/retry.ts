import { answerLimitMs } from "../../db/client.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { Caller } from "../auth.ts";
import { unavailable } from "../stores.ts";
import type { Batches } from "./batches.ts";

const notKnown =
  "Whether the failed items run again is not known yet; send the request again with the same Idempotency-Key, or look at the batch";

/**
 * Puts the failed items of a batch back, once for each `retryId`; undefined where the account has no such batch.
 * Throws when nothing was put back, or the outcome is not known in time.
 */
export async function retryFailed(
  { store, services }: Batches,
  caller: Caller,
  publicId: string,
  retryId: string,
): Promise<number | "cancelled" | undefined> {
  const notAfter = monotonicNow() + answerLimitMs;
  const retried = await services.doubts.outcome(
    () => store.retry(caller, publicId, { retryId, notAfter }),
    { batch_id: publicId },
  );
  if (retried === undefined) throw unavailable(notKnown);
  if (retried.value === "late") throw unavailable();
  return retried.value;
}

import { answerLimitMs } from "../../db/client.ts";
import type { Caller } from "../auth.ts";
import { decidedWithinMs } from "../doubts.ts";
import { bestEffort, unavailable } from "../stores.ts";
import type { Batches } from "./batches.ts";

/** The parts of a batch being received that are needed to find its outcome. */
export interface Incoming {
  publicId: string;
  caller: Caller;
  /** The caller can find the batch by its key. */
  keyed: boolean;
  /** Time after which the batch cannot begin, on this process's steady clock; absent once it has begun. */
  notAfter?: number;
}

/** Discards a refused batch; its caller gets the refusal without waiting long. */
export async function discard(batches: Batches, incoming: Incoming): Promise<void> {
  await bestEffort(settled(batches, incoming), answerLimitMs);
}

/**
 * Whether a statement without an answer has accepted the batch; discards it otherwise. Throws when the outcome
 * is not known in time: with a key the caller finds the batch later, without one it is cancelled.
 */
export async function wasAccepted(batches: Batches, incoming: Incoming): Promise<boolean> {
  const found = settled(batches, incoming);
  const fate = await bestEffort(found, decidedWithinMs);
  if (fate !== undefined) return fate === "accepted";
  if (incoming.keyed)
    throw unavailable(
      "Whether the batch was accepted is not known yet; send it again with its key",
    );
  void found.then((late) => (late === "accepted" ? cancelled(batches, incoming) : undefined));
  throw unavailable(
    `Whether the batch was accepted is not known yet. It is being cancelled, and items that ran until then are charged: look at GET /batches/${incoming.publicId} before you send it again`,
  );
}

function settled({ store, services }: Batches, { publicId, caller, notAfter }: Incoming) {
  const ask = async () => {
    const fate = await store.discard(caller, publicId, notAfter);
    return fate === "open" ? undefined : fate;
  };
  return services.doubts.retryUntilKnown(ask, { batch_id: publicId });
}

function cancelled({ store, services }: Batches, { publicId, caller }: Incoming) {
  const cancel = async () => (await store.cancel(caller, publicId)) ?? -1;
  return services.doubts.retryUntilKnown(cancel, { batch_id: publicId });
}

import { answerLimitMs } from "../../db/client.ts";
import type { Caller } from "../auth.ts";
import { bestEffort, unavailable } from "../stores.ts";
import type { Batches } from "./batches.ts";

/** A batch on its way in, as far as it takes to find out what became of it. */
export interface Incoming {
  publicId: string;
  caller: Caller;
  /** Its caller has a key to ask for it again. */
  keyed: boolean;
  /** From when on it cannot begin any more, on this process's steady clock; not told where it has begun. */
  notAfter?: number;
}

/** A caller waits this long to be told whether their batch was accepted. */
const decidedWithinMs = 10_000;

/** Discards what is not a batch and was refused; its caller hears of that without waiting for long. */
export async function discard(batches: Batches, incoming: Incoming): Promise<void> {
  await bestEffort(settled(batches, incoming), answerLimitMs);
}

/**
 * Whether a batch was accepted by a statement that was not answered; discards it otherwise. Throws where
 * that does not become known in time: with a key the caller then finds it, and without one it is cancelled.
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
  throw unavailable();
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

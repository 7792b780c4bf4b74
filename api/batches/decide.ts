import { answerLimitMs } from "../../db/client.ts";
import type { Caller } from "../auth.ts";
import { decidedWithinMs } from "../doubts.ts";
import { bestEffort, unavailable } from "../stores.ts";
import type { Batches } from "./batches.ts";
import { noteRefusal } from "./refusals.ts";

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
 * is not known in time: with a key the caller finds the batch later, without one it is taken back.
 */
export async function wasAccepted(batches: Batches, incoming: Incoming): Promise<boolean> {
  const { keyed } = incoming;
  const found = settled(batches, incoming);
  const remove = keyed ? () => undefined : noteRefusal(batches.services, incoming.publicId);
  const fate = await bestEffort(found, decidedWithinMs);
  if (fate !== undefined) {
    remove();
    return fate === "accepted";
  }
  if (keyed)
    throw unavailable(
      "Whether the batch was accepted is not known yet; send it again with its key",
    );
  void found.then(async (late) => {
    if (late === "accepted") await withdrawn(batches, incoming);
    if (late !== undefined) remove();
  });
  throw unavailable("The batch was not accepted in time and is not carried out; send it again");
}

/** Lets the items of an accepted batch start. Without a key they wait for this, so that a refusal can hold. */
export async function start(
  { store, services }: Batches,
  { id, incoming: { keyed, publicId } }: { id: number; incoming: Incoming },
): Promise<void> {
  if (!keyed) await services.doubts.retryUntilKnown(() => store.start(id), { batch_id: publicId });
}

function settled({ store, services }: Batches, { publicId, caller, notAfter }: Incoming) {
  const ask = async () => {
    const fate = await store.discard(caller, publicId, notAfter);
    return fate === "open" ? undefined : fate;
  };
  return services.doubts.retryUntilKnown(ask, { batch_id: publicId });
}

/** Another process has started the batch only where Redis has lost the note; the batch is cancelled then. */
async function withdrawn({ store, services }: Batches, { publicId, caller }: Incoming) {
  const about = { batch_id: publicId };
  const fate = await services.doubts.retryUntilKnown(() => store.withdraw(caller, publicId), about);
  if (fate !== "accepted") return;
  const cancel = async () => (await store.cancel(caller, publicId)) ?? -1;
  await services.doubts.retryUntilKnown(cancel, about);
}

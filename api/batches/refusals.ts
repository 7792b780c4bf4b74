import type { BatchStore, OpenBatch } from "../../db/batches.ts";
import { queuePrefix } from "../../runtime/redis/keys.ts";
import type { Services } from "../call.ts";

/** Refusals of batches without a key that the database may have accepted, for whoever takes over. */

const refusedKey = (publicId: string) => `${queuePrefix}:refused-batch:${publicId}`;
const refusedMs = 24 * 3600_000;

/** Notes that the caller may be refused; returns what removes the note. */
export function noteRefusal(
  { dispatcher, doubts }: Pick<Services, "dispatcher" | "doubts">,
  publicId: string,
): () => void {
  const { redis } = dispatcher;
  const key = refusedKey(publicId);
  const about = { batch_id: publicId };
  let isKnown = false;
  const set = async () => isKnown || (await redis.set(key, 1, "PX", refusedMs));
  const noted = doubts.retryUntilKnown(set, about);
  return () => {
    isKnown = true;
    void noted.then(() => doubts.retryUntilKnown(() => redis.del(key), about));
  };
}

/** Starts the items of an accepted batch whose receiver is gone, or takes it back where its caller was refused. */
export async function startLeft(
  batch: OpenBatch,
  {
    batches,
    services: { dispatcher, doubts, log },
  }: { batches: BatchStore; services: Pick<Services, "dispatcher" | "doubts" | "log"> },
): Promise<void> {
  const { id, publicId } = batch;
  if (doubts.has(publicId)) return;
  try {
    if ((await dispatcher.redis.exists(refusedKey(publicId))) === 0) await batches.start(id);
    else await batches.withdraw(batch, publicId);
  } catch (error) {
    // The next look finds the batch again.
    log("warn", "batch not started yet", { batch_id: publicId, error: String(error) });
  }
}

import { type Actor, noteChange } from "../../db/changes.ts";
import { BatchStore } from "../../db/batches.ts";
import type { Database } from "../../db/client.ts";
import { JobStore } from "../../db/jobs.ts";
import { listBatches, listJobs } from "../../db/work-list.ts";

/** Cancels a batch or a job with the reason of an operator, and notes it in the log of changes. */

/** `undefined` is the answer of a change that was made, a text the objection to it. */
export type Answer = string | undefined;

export async function cancelBatch(db: Database, id: string, actor: Actor): Promise<Answer> {
  const store = new BatchStore(db);
  const owner = await store.ownerOf(id);
  const [before] = await listBatches(db, { id, limit: 1 });
  if (!owner || !before) return "the batch is gone";
  if (before.state !== "running")
    return before.state === "ended" ? "the batch has ended" : "the batch is cancelled already";
  await store.cancel(owner, id);
  const [after] = await listBatches(db, { id, limit: 1 });
  // Its last item can end in between.
  if (after?.state === "ended") return "the batch has ended";
  const { accountId } = owner;
  const noted = { state: "cancelled", charged: after?.charged ?? before.charged };
  await noteChange(db, actor, { kind: "batch", target: id, accountId, after: noted });
  return undefined;
}

export async function cancelJob(db: Database, id: string, actor: Actor): Promise<Answer> {
  const store = new JobStore(db);
  const holder = await store.holder(id);
  const [before] = await listJobs(db, { id, limit: 1 });
  if (!holder || !before) return "the job is gone";
  if (before.state === "cancelled") return "the job is cancelled already";
  const { accountId, mode } = holder;
  const [found] = await store.cancel([id], accountId, mode);
  if (!found) return "the job is gone";
  if (found.state !== "cancelled") return `the job had ended: it ${found.state}`;
  await noteChange(db, actor, {
    kind: "job",
    target: id,
    accountId,
    after: { state: "cancelled" },
  });
  return undefined;
}

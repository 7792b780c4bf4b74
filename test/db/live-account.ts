import { addCredits, createAccount } from "../../db/accounts.ts";
import type { NewBatch } from "../../db/batch-intake.ts";
import { BatchStore } from "../../db/batches.ts";
import { CallStore } from "../../db/calls.ts";
import { JobStore } from "../../db/jobs.ts";
import { testDatabase } from "../database.ts";

/** A database with one account, its credits in mode live, and the stores that move them. */
export async function liveAccount(credits: number) {
  const db = await testDatabase();
  const accountId = await createAccount(db, "account");
  await addCredits(db, accountId, "live", credits, "top-up");
  return {
    db,
    accountId,
    calls: new CallStore(db),
    jobs: new JobStore(db),
    batches: new BatchStore(db),
  };
}

/** A batch that the process "this" receives. */
export const newBatch = (
  batch: Pick<NewBatch, "publicId" | "accountId" | "idempotencyKey" | "notAfter">,
): NewBatch => ({
  mode: "live",
  keyId: "first",
  version: "2026-09-01",
  scenario: undefined,
  owner: "this",
  ...batch,
});

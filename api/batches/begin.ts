import { randomUUID } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { openBatchesLimit } from "../../contract/batches.ts";
import { GatewayError } from "../../contract/errors.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { webhookHeader } from "../../contract/webhook.ts";
import type { KnownBatch } from "../../db/batch-intake.ts";
import { answerLimitMs } from "../../db/client.ts";
import type { Caller } from "../auth.ts";
import { keyReused } from "../claim.ts";
import { readWebhookUrl } from "../headers.ts";
import { retryStore } from "../stores.ts";
import type { Batches } from "./batches.ts";
import { type Incoming, discard } from "./decide.ts";
import type { Common } from "./item.ts";

/** Admits a batch and begins it in the database, before its first item. */

/** Returns the credits of the account; throws when it may not begin a batch. */
export async function admit(caller: Caller, batches: Batches): Promise<number> {
  const { open, kept, available } = await retryStore(() => batches.store.load(caller));
  if (open >= openBatchesLimit) {
    const message = `More than ${openBatchesLimit} batches have not ended`;
    throw new GatewayError("rate_limited", message, { retryAfter: 10 });
  }
  if (kept >= batches.keptBytesLimit) {
    const message =
      "The stored answers of earlier calls take all of the account's space; submit the batch later";
    throw new GatewayError("rate_limited", message, { retryAfter: 60 });
  }
  if (available < 1) {
    throw new GatewayError("insufficient_credits", "The balance covers no call", {
      billing: { balance_remaining: available, credits_required: 1 },
    });
  }
  return available;
}

export interface Begun {
  id: number;
  incoming: Incoming;
  /** The webhook address of the header. */
  address: string | undefined;
}

/** Begins a batch; returns the earlier batch if one has the key. */
export async function begin(
  request: FastifyRequest,
  { key, common: { caller, scenario } }: { key: string | undefined; common: Common },
  batches: Batches,
): Promise<Begun | KnownBatch> {
  const publicId = `batch_${randomUUID().replaceAll("-", "")}`;
  const address = readWebhookUrl(request.raw);
  if (address !== undefined) {
    await batches.webhooks.name(caller, publicId, address, { in: "header", path: webhookHeader });
  }
  const incoming: Incoming = { publicId, caller, keyed: key !== undefined };
  const notAfter = monotonicNow() + answerLimitMs;
  const made = await retryStore(() =>
    batches.store.create({
      publicId,
      accountId: caller.accountId,
      mode: caller.mode,
      keyId: caller.keyId,
      version: request.version,
      scenario,
      idempotencyKey: key,
      owner: batches.owner,
      notAfter,
    }),
  ).catch((error: unknown) => {
    void discard(batches, { ...incoming, notAfter });
    throw error;
  });
  if (made === "of a call") throw keyReused();
  return "id" in made ? { id: made.id, incoming, address } : made;
}

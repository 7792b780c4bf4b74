import { GatewayError } from "../../contract/errors.ts";
import type { ItemEnd, StartedItem } from "../../db/batch-items.ts";
import type { OpenBatch } from "../../db/batches.ts";
import type { Call } from "../call.ts";
import { errorBody } from "../envelope.ts";

/** How items end that have no answer of an upstream. */

/** The default end: a success without details. */
export const endOf = ({ batchId, number, requestId }: StartedItem): ItemEnd => ({
  batchId,
  number,
  requestId,
  outcome: "settle",
  status: 200,
  credits: 0,
  records: 0,
  truncated: false,
  durationMs: 0,
  body: Buffer.alloc(0),
  parts: 0,
  kept: 0,
});

/** A 404 is settled at no charge, as for any call. */
export function failed(item: StartedItem, error: GatewayError): ItemEnd {
  const body = errorBody(error, item.requestId);
  return {
    ...endOf(item),
    outcome: error.type === "not_found" ? "settle" : "fail",
    status: error.status,
    errorType: error.type,
    body,
    kept: body.length,
  };
}

export function insufficient(batch: OpenBatch, item: StartedItem, { op }: Call): GatewayError {
  const needed = Math.max(op.minimum, 1);
  const covered = item.available >= needed;
  const message = !covered
    ? "The balance does not cover this call"
    : batch.maxCredits === null
      ? "A budget of the account or the key does not cover this call; /account tells of them"
      : "max_credits of the batch, or a budget, does not cover this call";
  return new GatewayError("insufficient_credits", message, {
    billing: { balance_remaining: item.available, credits_required: needed },
  });
}

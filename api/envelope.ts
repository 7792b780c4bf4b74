import type { Billing, Pagination } from "../contract/envelope.ts";
import type { GatewayError } from "../contract/errors.ts";

/**
 * A success up to its billing block. Replays keep this part, so that one function renders the first answer and
 * every replay.
 */
export function openBody(
  requestId: string,
  data: Buffer,
  pagination: Pagination | undefined,
): Buffer {
  const tail = pagination ? `,"pagination":${JSON.stringify(pagination)}` : "";
  return Buffer.concat([
    Buffer.from(`{"request_id":${JSON.stringify(requestId)},"data":`),
    data,
    Buffer.from(tail),
  ]);
}

/** The success envelope: an open body closed by its billing block. */
export function closeBody(open: Buffer, billing: Billing): Buffer {
  return Buffer.concat([open, Buffer.from(`,"billing":${JSON.stringify(billing)}}`)]);
}

/** The error envelope. */
export function errorBody(error: GatewayError, requestId: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      error: {
        type: error.type,
        message: error.message,
        request_id: requestId,
        issues: error.type === "validation_error" ? error.issues : undefined,
        billing: error.billing,
      },
    }),
  );
}

/** The billing block of an answer that costs nothing. */
export function unchanged(balance: number): Billing {
  return {
    credits_charged: 0,
    records_charged: 0,
    balance_remaining: balance,
    truncated_due_to_balance: false,
  };
}

import { invalid } from "../../contract/errors.ts";
import { webhookHeader } from "../../contract/webhook.ts";
import type { WebhookData } from "../../contract/webhook-payloads.ts";
import { batched } from "../../db/batch.ts";
import type { EndListener } from "../jobs/jobs.ts";
import type { Webhooks } from "./webhooks.ts";

/** What jobs have to do with webhooks. */

const place = { in: "header", path: webhookHeader } as const;

/** A call whose caller waits for its answer is not told of its end. */
export function refuseWithoutJob(asked: string | undefined, isJob: boolean): void {
  if (asked === undefined || isJob) return;
  const message = `${webhookHeader}: is for calls with Prefer: respond-async`;
  throw invalid("header", webhookHeader, "not_a_job", message);
}

/** Remembers the address before the job can end. */
export async function nameAddress(
  webhooks: Webhooks,
  call: { requestId: string; caller: Parameters<Webhooks["name"]>[0] },
  asked: string | undefined,
): Promise<void> {
  if (asked !== undefined) await webhooks.name(call.caller, call.requestId, asked, place);
}

/** Tells of every job that is not an item of a batch. */
export function tellJobEnds(webhooks: Webhooks): EndListener {
  // Those that end while others are told go together.
  const emit = batched({
    run: async (events: Parameters<Webhooks["emit"]>[0][number][]) => {
      await webhooks.emit(events);
      return events;
    },
  });
  return async ({ requestId, accountId, mode, operation, batch, state }) => {
    if (batch) return;
    const data: WebhookData<"job.ended"> = { request_id: requestId, operation, mode, state };
    const subject = `${requestId}/${state}`;
    await emit({ accountId, mode, type: "job.ended", subject, data, addressOf: requestId });
  };
}

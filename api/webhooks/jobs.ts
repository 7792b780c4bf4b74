import { invalid } from "../../contract/errors.ts";
import { webhookHeader } from "../../contract/webhook.ts";
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

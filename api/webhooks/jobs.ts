import { invalid } from "../../contract/errors.ts";
import { webhookHeader } from "../../contract/webhook.ts";
import type { Webhooks } from "./webhooks.ts";

/** Webhook URLs of single jobs. */

const location = { in: "header", path: webhookHeader } as const;

/** Refuses a webhook URL without a job: a caller who waits gets the answer itself. */
export function refuseWithoutJob(url: string | undefined, isJob: boolean): void {
  if (url === undefined || isJob) return;
  const message = `${webhookHeader}: is for calls with Prefer: respond-async`;
  throw invalid("header", webhookHeader, "not_a_job", message);
}

/** Stores the URL; must run before the job can end. */
export async function nameAddress(
  webhooks: Webhooks,
  call: { requestId: string; caller: Parameters<Webhooks["name"]>[0] },
  url: string | undefined,
): Promise<void> {
  if (url !== undefined) await webhooks.name(call.caller, call.requestId, url, location);
}

import { GatewayError, invalid } from "../../contract/errors.ts";
import { directId } from "../../contract/webhook-endpoints.ts";
import type { Database } from "../../db/client.ts";
import {
  type WebhookEndpoint,
  directEndpoint,
  webhookEndpoints,
} from "../../db/webhook-endpoints.ts";
import type { Caller } from "../auth.ts";
import type { Services } from "../call.ts";
import { retryStore } from "../stores.ts";

/** Dependencies of the handlers of `/webhooks`. */
export interface WebhookParts extends Pick<
  Services,
  "webhooks" | "cursorSecret" | "dispatcher" | "doubts" | "calls"
> {
  db: Database;
}

/** The endpoint of an id; the id `direct` names the endpoint without an address. */
export async function findEndpoint(
  db: Database,
  caller: Caller,
  id: string,
): Promise<WebhookEndpoint> {
  const row = id === directId ? await retryStore(() => directEndpoint(db, caller)) : id;
  if (row === undefined) throw unknown("webhook endpoint");
  const [found] = await retryStore(() => webhookEndpoints(db, caller, row));
  // The endpoint without an address is found under `direct` only.
  if (!found || (found.url === null) !== (id === directId)) throw unknown("webhook endpoint");
  return found;
}

export const unknown = (what: string) => new GatewayError("not_found", `There is no such ${what}`);

export function refuseDirect(id: string): void {
  if (id !== directId) return;
  const message = "id: direct cannot be changed or removed; leave out the webhook_url of jobs";
  throw invalid("path", "id", "not_changeable", message);
}

export function refuseOff(endpoint: WebhookEndpoint): void {
  if (endpoint.offSince === null) return;
  const message = "id: the endpoint is switched off; PATCH it with enabled: true first";
  throw invalid("path", "id", "switched_off", message);
}

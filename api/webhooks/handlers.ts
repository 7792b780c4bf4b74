import { randomUUID } from "node:crypto";
import { GatewayError, invalid } from "../../contract/errors.ts";
import { directId, type webhooksEndpoints } from "../../contract/webhook-endpoints.ts";
import { testEvent } from "../../contract/webhook.ts";
import type { Database } from "../../db/client.ts";
import {
  changeWebhookEndpoint,
  directEndpoint,
  removeWebhookEndpoint,
  webhookEndpoints,
} from "../../db/webhook-endpoints.ts";
import { webhookLog } from "../../db/webhook-log.ts";
import { eventIdOf, mostPending } from "../../db/webhooks.ts";
import type { Caller } from "../auth.ts";
import type { Handlers } from "../endpoints.ts";
import { retryStore } from "../stores.ts";
import { deliveriesHandlers } from "./deliveries.ts";
import { type WebhookParts, findEndpoint, refuseDirect, refuseOff, unknown } from "./endpoints.ts";
import { deliveryView, endpointView } from "./endpoint-view.ts";
import { refusedRegistration } from "./webhooks.ts";

const hourMs = 3600_000;
const nowhere = { url: null, description: "", events: [] };

export const webhooksHandlers = {
  ...deliveriesHandlers,

  async "gateway.webhooks.list"({ caller }, { db }) {
    const found = await retryStore(() => webhookEndpoints(db, caller));
    return { data: found.map(endpointView) };
  },

  async "gateway.webhooks.create"({ input, caller }, { db, webhooks }) {
    const url = await webhooks.check(input.url, { in: "body", path: "url" });
    const { id, secret } = await registering(() => webhooks.add(caller, { ...input, url }));
    return { data: { ...(await shown(db, caller, id)), secret } };
  },

  async "gateway.webhooks.get"({ input, caller }, { db }) {
    return { data: await shown(db, caller, input.id) };
  },

  async "gateway.webhooks.change"({ input: { id, ...change }, caller }, { db, webhooks }) {
    refuseDirect(id);
    await findEndpoint(db, caller, id);
    if (change.url !== undefined)
      change.url = await webhooks.check(change.url, { in: "body", path: "url" });
    await registering(() => retryStore(() => changeWebhookEndpoint(db, caller, id, change)));
    return { data: await shown(db, caller, id) };
  },

  async "gateway.webhooks.remove"({ input: { id }, caller }, { db }) {
    refuseDirect(id);
    if (!(await retryStore(() => removeWebhookEndpoint(db, caller, id))))
      throw unknown("webhook endpoint");
    return { data: { id, removed: true } };
  },

  async "gateway.webhooks.rotate_secret"({ input, caller }, parts) {
    const { id, overlap_hours } = input;
    const secret = await rotated(caller, id, overlap_hours * hourMs, parts);
    return { data: { ...(await shown(parts.db, caller, id)), secret } };
  },

  async "gateway.webhooks.test"({ input: { id }, caller }, { db, webhooks }) {
    if (id === directId) {
      const message = "id: direct has no address of its own; send a job with a webhook_url";
      throw invalid("path", "id", "no_address", message);
    }
    const endpoint = await findEndpoint(db, caller, id);
    refuseOff(endpoint);
    const event = {
      accountId: caller.accountId,
      mode: caller.mode,
      type: testEvent,
      subject: randomUUID(),
      data: { endpoint_id: id },
      endpoint: id,
    };
    await retryStore(() => webhooks.emit([event]));
    const only = { endpoint: id, event: eventIdOf(event), limit: 1 };
    const [delivery] = await retryStore(() => webhookLog(db, caller, only));
    if (!delivery) {
      const message = `${mostPending} deliveries wait already`;
      throw new GatewayError("rate_limited", message, { retryAfter: 60 });
    }
    return { data: deliveryView(delivery) };
  },
} satisfies Handlers<typeof webhooksEndpoints, WebhookParts>;

const shown = async (db: Database, caller: Caller, id: string) =>
  endpointView(await findEndpoint(db, caller, id));

/** Rotates the secret of an endpoint. The first rotation of `direct` creates that endpoint. */
async function rotated(
  caller: Caller,
  id: string,
  overlapMs: number,
  { db, webhooks }: Pick<WebhookParts, "db" | "webhooks">,
): Promise<string> {
  if (id === directId && (await retryStore(() => directEndpoint(db, caller))) === undefined) {
    // If another request has created it meanwhile, rotate its secret below.
    const made = await webhooks.add(caller, nowhere).catch(() => undefined);
    if (made) return made.secret;
  }
  const endpoint = await findEndpoint(db, caller, id);
  const secret = await webhooks.rotate(caller, endpoint.id, overlapMs);
  if (secret === undefined) throw unknown("webhook endpoint");
  return secret;
}

async function registering<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw refusedRegistration(error);
  }
}

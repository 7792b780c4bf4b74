import { randomUUID } from "node:crypto";
import { GatewayError, invalid } from "../../contract/errors.ts";
import { directId, type webhooksEndpoints } from "../../contract/webhook-endpoints.ts";
import { testEvent } from "../../contract/webhook.ts";
import type { Database } from "../../db/client.ts";
import { DatabaseError } from "../../db/errors.ts";
import { type OwnWrite, claimWrite, releaseWrite } from "../../db/own-writes.ts";
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
import { answerTo, keyed, writeOf } from "../own-writes.ts";
import { retryStore, unavailable } from "../stores.ts";
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

  async "gateway.webhooks.create"({ input, caller, request }, parts) {
    const { webhooks } = parts;
    const write = writeOf(request);
    const url = await webhooks.check(input.url, { in: "body", path: "url" });
    const { endpoint, secret, earlier } = await registering(() =>
      keyed(() => webhooks.add(caller, { ...input, url }, parts, write)),
    );
    return { data: { ...endpointView(endpoint), secret }, ...answerTo(earlier) };
  },

  async "gateway.webhooks.get"({ input, caller }, { db }) {
    return { data: await shown(db, caller, input.id) };
  },

  async "gateway.webhooks.change"({ input: { id, ...change }, caller }, parts) {
    const { db, webhooks, doubts } = parts;
    refuseDirect(id);
    await findEndpoint(db, caller, id);
    if (change.url !== undefined)
      change.url = await webhooks.check(change.url, { in: "body", path: "url" });
    const changed = await registering(() =>
      doubts.outcome(() => changeWebhookEndpoint(db, caller, id, change), { webhook_endpoint: id }),
    );
    if (!changed) throw unavailable();
    return { data: await shown(db, caller, id) };
  },

  async "gateway.webhooks.remove"({ input: { id }, caller }, { db, doubts }) {
    refuseDirect(id);
    let isRepeated = false;
    const remove = async () => {
      const mayBeRemoved = isRepeated;
      isRepeated = true;
      return (await removeWebhookEndpoint(db, caller, id)) || mayBeRemoved;
    };
    const removed = await doubts.outcome(remove, { webhook_endpoint: id });
    if (!removed) throw unavailable();
    if (!removed.value) throw unknown("webhook endpoint");
    return { data: { id, removed: true } };
  },

  async "gateway.webhooks.rotate_secret"({ input, caller, request }, parts) {
    const { id, overlap_hours } = input;
    const write = writeOf(request);
    const overlapMs = overlap_hours * hourMs;
    const made = await keyed(() => rotated({ caller, id, overlapMs, write }, parts));
    const data = { ...endpointView(made.endpoint), secret: made.secret };
    return { data, ...answerTo(made.earlier) };
  },

  async "gateway.webhooks.test"({ input: { id }, caller, request }, { db, webhooks }) {
    if (id === directId) {
      const message = "id: direct has no address of its own; send a job with a webhook_url";
      throw invalid("path", "id", "no_address", message);
    }
    const endpoint = await findEndpoint(db, caller, id);
    refuseOff(endpoint);
    const write = writeOf(request);
    const claim = write && { ...write, subject: randomUUID() };
    const claimed = claim && (await keyed(() => retryStore(() => claimWrite(db, caller, claim))));
    const earlier = claimed?.requestId === request.id ? undefined : claimed;
    const event = {
      accountId: caller.accountId,
      mode: caller.mode,
      type: testEvent,
      subject: earlier?.subject ?? claim?.subject ?? randomUUID(),
      data: { endpoint_id: id },
      endpoint: id,
    };
    await retryStore(() => webhooks.emit([event]));
    const only = { endpoint: id, event: eventIdOf(event), limit: 1 };
    const [delivery] = await retryStore(() => webhookLog(db, caller, only));
    if (!delivery) {
      if (write) await retryStore(() => releaseWrite(db, caller, write));
      const message = `${mostPending} deliveries wait already`;
      throw new GatewayError("rate_limited", message, { retryAfter: 60 });
    }
    return { data: deliveryView(delivery), ...answerTo(earlier) };
  },
} satisfies Handlers<typeof webhooksEndpoints, WebhookParts>;

const shown = async (db: Database, caller: Caller, id: string) =>
  endpointView(await findEndpoint(db, caller, id));

/** Rotates the secret of an endpoint. The first rotation of `direct` creates that endpoint. */
async function rotated(
  asked: { caller: Caller; id: string; overlapMs: number; write: OwnWrite | undefined },
  parts: WebhookParts,
) {
  const { caller, id, overlapMs, write } = asked;
  const { db, webhooks } = parts;
  if (id === directId && (await retryStore(() => directEndpoint(db, caller))) === undefined) {
    // If another request has created it meanwhile, rotate its secret below.
    const made = await webhooks.add(caller, nowhere, parts, write).catch((error: unknown) => {
      if (!(error instanceof DatabaseError) || error.code === "key_reused") throw error;
      return undefined;
    });
    if (made) return made;
  }
  const endpoint = await findEndpoint(db, caller, id);
  const changed = await webhooks.rotate(caller, endpoint.id, overlapMs, parts, write);
  if (changed === undefined) throw unknown("webhook endpoint");
  return changed;
}

async function registering<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw refusedRegistration(error);
  }
}

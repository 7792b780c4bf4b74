import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type CursorBinding, openCursor, pageTold } from "../../contract/cursor.ts";
import { GatewayError, invalid } from "../../contract/errors.ts";
import { nothingInput } from "../../contract/own.ts";
import { testEvent } from "../../contract/webhook.ts";
import {
  addEndpointInput,
  changeEndpointInput,
  deliveriesInput,
  directId,
  endpointInput,
  replayInput,
  rotateInput,
} from "../../contract/webhook-endpoints.ts";
import type { Database } from "../../db/client.ts";
import {
  type WebhookEndpoint,
  changeWebhookEndpoint,
  directEndpoint,
  removeWebhookEndpoint,
  webhookEndpoints,
} from "../../db/webhook-endpoints.ts";
import { replayWebhook, webhookLog } from "../../db/webhook-log.ts";
import { eventIdOf, mostPending } from "../../db/webhooks.ts";
import { callerOf } from "../callers.ts";
import type { Caller } from "../auth.ts";
import type { Services } from "../call.ts";
import { ownInput, sendOwn } from "../own.ts";
import { fromStore } from "../stores.ts";
import { shownDelivery, shownEndpoint } from "./shown.ts";
import { refusedRegistration } from "./webhooks.ts";

/** Path of each endpoint, and the methods it takes. */
export const webhookPaths: ReadonlyMap<string, string[]> = new Map([
  ["/webhooks", ["GET", "POST"]],
  ["/webhooks/{id}", ["GET", "PATCH", "DELETE"]],
  ["/webhooks/{id}/rotate-secret", ["POST"]],
  ["/webhooks/{id}/test", ["POST"]],
  ["/webhooks/{id}/deliveries", ["GET"]],
  ["/webhooks/{id}/deliveries/{delivery}/replay", ["POST"]],
]);

const hourMs = 3600_000;
const nowhere = { url: null, description: "", events: [] };

/** Registers `/webhooks` and what is below it. */
export function addWebhooks(
  app: FastifyInstance,
  db: Database,
  {
    webhooks,
    cursorSecret,
    dispatcher,
  }: Pick<Services, "webhooks" | "cursorSecret" | "dispatcher">,
): void {
  const unknown = (what: string) => new GatewayError("not_found", `There is no such ${what}`);

  /** The id behind the one that the caller uses. */
  async function rowOf(caller: Caller, id: string): Promise<string> {
    if (id !== directId) return id;
    const found = await fromStore(() => directEndpoint(db, caller));
    if (found === undefined) throw unknown("webhook endpoint");
    return found;
  }

  async function find(caller: Caller, id: string): Promise<WebhookEndpoint> {
    const row = await rowOf(caller, id);
    const [found] = await fromStore(() => webhookEndpoints(db, caller, row));
    // What stands for `direct` has one name only.
    if (!found || (found.url === null) !== (id === directId)) throw unknown("webhook endpoint");
    return found;
  }

  function refuseDirect(id: string): void {
    if (id !== directId) return;
    const message = "id: direct cannot be changed or removed; leave out the webhook_url of jobs";
    throw invalid("path", "id", "not_changeable", message);
  }

  function refuseOff(endpoint: WebhookEndpoint): void {
    if (endpoint.offSince === null) return;
    const message = "id: the endpoint is switched off; PATCH it with enabled: true first";
    throw invalid("path", "id", "switched_off", message);
  }

  async function registering<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      throw refusedRegistration(error);
    }
  }

  app.get("/webhooks", async (request, reply) => {
    const caller = callerOf(request);
    ownInput(request, "/webhooks", nothingInput);
    const found = await fromStore(() => webhookEndpoints(db, caller));
    return sendOwn(db, request, reply, { data: found.map(shownEndpoint) });
  });

  app.post("/webhooks", async (request, reply) => {
    const caller = callerOf(request);
    const wanted = ownInput(request, "/webhooks", addEndpointInput);
    const url = await webhooks.check(wanted.url, { in: "body", path: "url" });
    const { id, secret } = await registering(() => webhooks.add(caller, { ...wanted, url }));
    const data = { ...shownEndpoint(await find(caller, id)), secret };
    return sendOwn(db, request, reply, { status: 201, data });
  });

  app.get("/webhooks/:id", async (request, reply) => {
    const caller = callerOf(request);
    const { id } = ownInput(request, "/webhooks/{id}", endpointInput);
    const data = shownEndpoint(await find(caller, id));
    return sendOwn(db, request, reply, { data });
  });

  app.patch("/webhooks/:id", async (request, reply) => {
    const caller = callerOf(request);
    const { id, ...change } = ownInput(request, "/webhooks/{id}", changeEndpointInput);
    refuseDirect(id);
    await find(caller, id);
    if (change.url !== undefined)
      change.url = await webhooks.check(change.url, { in: "body", path: "url" });
    await registering(() => fromStore(() => changeWebhookEndpoint(db, caller, id, change)));
    return sendOwn(db, request, reply, { data: shownEndpoint(await find(caller, id)) });
  });

  app.delete("/webhooks/:id", async (request, reply) => {
    const caller = callerOf(request);
    const { id } = ownInput(request, "/webhooks/{id}", endpointInput);
    refuseDirect(id);
    if (!(await fromStore(() => removeWebhookEndpoint(db, caller, id))))
      throw unknown("webhook endpoint");
    return sendOwn(db, request, reply, { data: { id, removed: true } });
  });

  app.post("/webhooks/:id/rotate-secret", async (request, reply) => {
    const caller = callerOf(request);
    const path = "/webhooks/{id}/rotate-secret";
    const { id, overlap_hours } = ownInput(request, path, rotateInput);
    const secret = await rotated(caller, id, overlap_hours * hourMs);
    const data = { ...shownEndpoint(await find(caller, id)), secret };
    return sendOwn(db, request, reply, { data });
  });

  /** The first rotation of `direct` makes it. */
  async function rotated(caller: Caller, id: string, overlapMs: number): Promise<string> {
    if (id === directId && (await fromStore(() => directEndpoint(db, caller))) === undefined) {
      // Where somebody else was faster, theirs is rotated.
      const made = await webhooks.add(caller, nowhere).catch(() => undefined);
      if (made) return made.secret;
    }
    const secret = await webhooks.rotate(caller, (await find(caller, id)).id, overlapMs);
    if (secret === undefined) throw unknown("webhook endpoint");
    return secret;
  }

  app.post("/webhooks/:id/test", async (request, reply) => {
    const caller = callerOf(request);
    const { id } = ownInput(request, "/webhooks/{id}/test", endpointInput);
    if (id === directId) {
      const message = "id: direct has no address of its own; send a job with a webhook_url";
      throw invalid("path", "id", "no_address", message);
    }
    const endpoint = await find(caller, id);
    refuseOff(endpoint);
    const event = {
      accountId: caller.accountId,
      mode: caller.mode,
      type: testEvent,
      subject: randomUUID(),
      data: { endpoint_id: id },
      endpoint: id,
    };
    await fromStore(() => webhooks.emit([event]));
    const only = { endpoint: id, event: eventIdOf(event), limit: 1 };
    const [delivery] = await fromStore(() => webhookLog(db, caller, only));
    if (!delivery) {
      const message = `${mostPending} deliveries wait already`;
      throw new GatewayError("rate_limited", message, { retryAfter: 60 });
    }
    return sendOwn(db, request, reply, { status: 202, data: shownDelivery(delivery) });
  });

  app.get("/webhooks/:id/deliveries", async (request, reply) => {
    const caller = callerOf(request);
    const input = ownInput(request, "/webhooks/{id}/deliveries", deliveriesInput);
    const endpoint = await find(caller, input.id);
    const binding = bindingOf(request, caller, input);
    const after = input.cursor === undefined ? undefined : opened(binding, input.cursor);
    const { limit, state } = input;
    const found = await fromStore(() =>
      webhookLog(db, caller, {
        endpoint: endpoint.id,
        limit: limit + 1,
        ...(state ? { state } : {}),
        ...(after ? { after } : {}),
      }),
    );
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const more = found.length > limit && last;
    const next = more ? { next: { place: last.place, id: last.id } } : {};
    const pagination = pageTold(
      cursorSecret,
      binding,
      { has_more: Boolean(more), ...next },
      dispatcher.storeNow(),
    );
    return sendOwn(db, request, reply, { data: page.map(shownDelivery), pagination });
  });

  function bindingOf(request: FastifyRequest, caller: Caller, input: object): CursorBinding {
    const { accountId, mode } = caller;
    const { version } = request;
    const operation = "gateway.webhooks.deliveries";
    return { accountId, mode, version, operation, input: { ...input } };
  }

  function opened(binding: CursorBinding, cursor: string): { place: string; id: string } {
    const found = openCursor(cursorSecret, binding, cursor, dispatcher.storeNow());
    if (found) return found as { place: string; id: string };
    const message = "cursor: is altered, stale or belongs to another call";
    throw invalid("query", "cursor", "invalid_cursor", message);
  }

  app.post("/webhooks/:id/deliveries/:delivery/replay", async (request, reply) => {
    const caller = callerOf(request);
    const path = "/webhooks/{id}/deliveries/{delivery}/replay";
    const { id, delivery } = ownInput(request, path, replayInput);
    const endpoint = await find(caller, id);
    refuseOff(endpoint);
    if (!(await fromStore(() => replayWebhook(db, caller, endpoint.id, delivery))))
      throw unknown("delivery");
    const [shown] = await fromStore(() =>
      webhookLog(db, caller, { endpoint: endpoint.id, id: delivery, limit: 1 }),
    );
    if (!shown) throw unknown("delivery");
    return sendOwn(db, request, reply, { status: 202, data: shownDelivery(shown) });
  });
}

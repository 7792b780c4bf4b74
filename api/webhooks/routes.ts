import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { GatewayError, invalid } from "../../contract/errors.ts";
import { nothing } from "../../contract/endpoint.ts";
import { testEvent } from "../../contract/webhook.ts";
import {
  addEndpointInput,
  changeEndpointInput,
  directId,
  endpointInput,
  rotateInput,
} from "../../contract/webhook-endpoints.ts";
import type { Database } from "../../db/client.ts";
import {
  changeWebhookEndpoint,
  directEndpoint,
  removeWebhookEndpoint,
  webhookEndpoints,
} from "../../db/webhook-endpoints.ts";
import { webhookLog } from "../../db/webhook-log.ts";
import { eventIdOf, mostPending } from "../../db/webhooks.ts";
import { callerOf } from "../callers.ts";
import type { Caller } from "../auth.ts";
import type { Services } from "../call.ts";
import { ownInput, sendOwn } from "../own.ts";
import { fromStore } from "../stores.ts";
import { addDeliveries } from "./deliveries.ts";
import { findEndpoint, refuseDirect, refuseOff, unknown } from "./endpoints.ts";
import { shownDelivery, shownEndpoint } from "./shown.ts";
import { refusedRegistration } from "./webhooks.ts";

const hourMs = 3600_000;
const nowhere = { url: null, description: "", events: [] };

/** Registers `/webhooks` and what is below it. */
export function addWebhooks(
  app: FastifyInstance,
  db: Database,
  services: Pick<Services, "webhooks" | "cursorSecret" | "dispatcher">,
): void {
  const { webhooks } = services;
  app.get("/webhooks", async (request, reply) => {
    const caller = callerOf(request);
    ownInput(request, "/webhooks", nothing);
    const found = await fromStore(() => webhookEndpoints(db, caller));
    return sendOwn(db, request, reply, { data: found.map(shownEndpoint) });
  });

  app.post("/webhooks", async (request, reply) => {
    const caller = callerOf(request);
    const wanted = ownInput(request, "/webhooks", addEndpointInput);
    const url = await webhooks.check(wanted.url, { in: "body", path: "url" });
    const { id, secret } = await registering(() => webhooks.add(caller, { ...wanted, url }));
    const data = { ...shownEndpoint(await findEndpoint(db, caller, id)), secret };
    return sendOwn(db, request, reply, { status: 201, data });
  });

  app.get("/webhooks/:id", async (request, reply) => {
    const caller = callerOf(request);
    const { id } = ownInput(request, "/webhooks/{id}", endpointInput);
    const data = shownEndpoint(await findEndpoint(db, caller, id));
    return sendOwn(db, request, reply, { data });
  });

  app.patch("/webhooks/:id", async (request, reply) => {
    const caller = callerOf(request);
    const { id, ...change } = ownInput(request, "/webhooks/{id}", changeEndpointInput);
    refuseDirect(id);
    await findEndpoint(db, caller, id);
    if (change.url !== undefined)
      change.url = await webhooks.check(change.url, { in: "body", path: "url" });
    await registering(() => fromStore(() => changeWebhookEndpoint(db, caller, id, change)));
    return sendOwn(db, request, reply, { data: shownEndpoint(await findEndpoint(db, caller, id)) });
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
    const data = { ...shownEndpoint(await findEndpoint(db, caller, id)), secret };
    return sendOwn(db, request, reply, { data });
  });

  app.post("/webhooks/:id/test", async (request, reply) => {
    const caller = callerOf(request);
    const { id } = ownInput(request, "/webhooks/{id}/test", endpointInput);
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
    await fromStore(() => webhooks.emit([event]));
    const only = { endpoint: id, event: eventIdOf(event), limit: 1 };
    const [delivery] = await fromStore(() => webhookLog(db, caller, only));
    if (!delivery) {
      const message = `${mostPending} deliveries wait already`;
      throw new GatewayError("rate_limited", message, { retryAfter: 60 });
    }
    return sendOwn(db, request, reply, { status: 202, data: shownDelivery(delivery) });
  });

  addDeliveries(app, db, services);

  /** The first rotation of `direct` makes it. */
  async function rotated(caller: Caller, id: string, overlapMs: number): Promise<string> {
    if (id === directId && (await fromStore(() => directEndpoint(db, caller))) === undefined) {
      // Where somebody else was faster, theirs is rotated.
      const made = await webhooks.add(caller, nowhere).catch(() => undefined);
      if (made) return made.secret;
    }
    const secret = await webhooks.rotate(
      caller,
      (await findEndpoint(db, caller, id)).id,
      overlapMs,
    );
    if (secret === undefined) throw unknown("webhook endpoint");
    return secret;
  }
}

async function registering<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw refusedRegistration(error);
  }
}

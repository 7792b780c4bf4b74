import type { FastifyInstance } from "fastify";
import { deliveriesInput, replayInput } from "../../contract/webhook-endpoints.ts";
import type { Database } from "../../db/client.ts";
import { replayWebhook, webhookLog } from "../../db/webhook-log.ts";
import type { Services } from "../call.ts";
import { callerOf } from "../callers.ts";
import { ownInput, pageAsked, sendOwn } from "../own.ts";
import { fromStore } from "../stores.ts";
import { findEndpoint, refuseOff, unknown } from "./endpoints.ts";
import { shownDelivery } from "./shown.ts";

/** What became of the events of an endpoint, and sending one of them again. */
export function addDeliveries(
  app: FastifyInstance,
  db: Database,
  { cursorSecret, dispatcher }: Pick<Services, "cursorSecret" | "dispatcher">,
): void {
  app.get("/webhooks/:id/deliveries", async (request, reply) => {
    const caller = callerOf(request);
    const input = ownInput(request, "/webhooks/{id}/deliveries", deliveriesInput);
    const endpoint = await findEndpoint(db, caller, input.id);
    const asked = pageAsked<{ place: string; id: string }>(
      request,
      { operation: "gateway.webhooks.deliveries", input, cursor: input.cursor },
      { secret: cursorSecret, now: dispatcher.storeNow() },
    );
    const { after } = asked;
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
    const last = found.length > limit ? page.at(-1) : undefined;
    const pagination = asked.told(last && { place: last.place, id: last.id });
    return sendOwn(db, request, reply, { data: page.map(shownDelivery), pagination });
  });

  app.post("/webhooks/:id/deliveries/:delivery/replay", async (request, reply) => {
    const caller = callerOf(request);
    const path = "/webhooks/{id}/deliveries/{delivery}/replay";
    const { id, delivery } = ownInput(request, path, replayInput);
    const endpoint = await findEndpoint(db, caller, id);
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

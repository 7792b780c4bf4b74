import type { FastifyInstance, FastifyRequest } from "fastify";
import { type CursorBinding, openCursor, pageTold } from "../../contract/cursor.ts";
import { invalid } from "../../contract/errors.ts";
import { deliveriesInput, replayInput } from "../../contract/webhook-endpoints.ts";
import type { Database } from "../../db/client.ts";
import { replayWebhook, webhookLog } from "../../db/webhook-log.ts";
import type { Caller } from "../auth.ts";
import type { Services } from "../call.ts";
import { callerOf } from "../callers.ts";
import { ownInput, sendOwn } from "../own.ts";
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

  function opened(binding: CursorBinding, cursor: string): { place: string; id: string } {
    const found = openCursor(cursorSecret, binding, cursor, dispatcher.storeNow());
    if (found) return found as { place: string; id: string };
    const message = "cursor: is altered, stale or belongs to another call";
    throw invalid("query", "cursor", "invalid_cursor", message);
  }
}

function bindingOf(request: FastifyRequest, caller: Caller, input: object): CursorBinding {
  const { accountId, mode } = caller;
  const { version } = request;
  const operation = "gateway.webhooks.deliveries";
  return { accountId, mode, version, operation, input: { ...input } };
}

import type { webhooksEndpoints } from "../../contract/webhook-endpoints.ts";
import { replayWebhook, webhookLog } from "../../db/webhook-log.ts";
import type { Handlers } from "../endpoints.ts";
import { pageAsked } from "../paging.ts";
import { answerTo, keyed, writeOf } from "../own-writes.ts";
import { retryStore } from "../stores.ts";
import { type WebhookParts, findEndpoint, refuseOff, unknown } from "./endpoints.ts";
import { deliveryView } from "./endpoint-view.ts";

type Names = "gateway.webhooks.deliveries" | "gateway.webhooks.replay";

/** The delivery log of an endpoint, and replaying one of its deliveries. */
export const deliveriesHandlers = {
  async "gateway.webhooks.deliveries"({ input, caller, request }, parts) {
    const { db, cursorSecret, dispatcher } = parts;
    const endpoint = await findEndpoint(db, caller, input.id);
    const { after, pagination } = pageAsked<{ place: string; id: string }>(
      { caller, request },
      { name: "gateway.webhooks.deliveries", input, cursor: input.cursor },
      { secret: cursorSecret, now: dispatcher.storeNow() },
    );
    const { limit, state } = input;
    const found = await retryStore(() =>
      webhookLog(db, caller, { endpoint: endpoint.id, limit: limit + 1, state, after }),
    );
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      data: page.map(deliveryView),
      pagination: pagination(last && { place: last.place, id: last.id }),
    };
  },

  async "gateway.webhooks.replay"({ input: { id, delivery }, caller, request }, { db }) {
    const write = writeOf(request);
    const endpoint = await findEndpoint(db, caller, id);
    refuseOff(endpoint);
    const replayed = await keyed(() =>
      retryStore(() => replayWebhook(db, caller, { endpoint: endpoint.id, delivery, write })),
    );
    if (!replayed) throw unknown("delivery");
    const [shown] = await retryStore(() =>
      webhookLog(db, caller, { endpoint: endpoint.id, id: delivery, limit: 1 }),
    );
    if (!shown) throw unknown("delivery");
    const earlier = typeof replayed === "object" ? replayed : undefined;
    return { data: deliveryView(shown), ...answerTo(earlier) };
  },
} satisfies Pick<Handlers<typeof webhooksEndpoints, WebhookParts>, Names>;

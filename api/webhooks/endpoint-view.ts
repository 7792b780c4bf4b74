import type * as z from "zod";
import {
  type deliveryData,
  directId,
  type endpointData,
} from "../../contract/webhook-endpoints.ts";
import type { WebhookEndpoint } from "../../db/webhook-endpoints.ts";
import type { LoggedDelivery } from "../../db/webhook-log.ts";

/** Renders endpoints and deliveries for callers. */

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

export function endpointView(endpoint: WebhookEndpoint): z.output<typeof endpointData> {
  const { offSince, offReason } = endpoint;
  return {
    id: endpoint.url === null ? directId : endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.events,
    off: offSince && offReason ? { since: offSince.toISOString(), reason: offReason } : null,
    failing_since: iso(endpoint.failingSince),
    pending: endpoint.pending,
    dropped_events: endpoint.dropped,
    former_secret_until: iso(endpoint.formerUntil),
    created_at: endpoint.createdAt.toISOString(),
  };
}

export function deliveryView(delivery: LoggedDelivery): z.output<typeof deliveryData> {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    url: delivery.url,
    state: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: iso(delivery.dueAt),
    created_at: delivery.createdAt.toISOString(),
    ended_at: iso(delivery.endedAt),
    answers: delivery.answers as z.output<typeof deliveryData>["answers"],
  };
}

import * as z from "zod";
import { endpoint, nothing } from "./endpoint.ts";
import { id } from "./fields.ts";
import { webhookEvents, webhookFaults } from "./webhook.ts";

/** Requests and answers of `/webhooks`. */

/** Id of the built-in endpoint for URLs named by single jobs and batches. */
export const directId = "direct";

const endpointId = id(
  /^(?:whe_[0-9a-f]{32}|direct)$/,
  "Endpoint",
  "whe_ and 32 hexadecimal digits, or direct for the addresses that single jobs and batches name",
);
const deliveryId = id(/^whd_[0-9a-f]{32}$/, "Delivery", "whd_ and 32 hexadecimal digits");

const eventNames = Object.keys(webhookEvents) as [keyof typeof webhookEvents];
const kinds = Object.entries(webhookEvents)
  .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
  .join(". ");

/** The API checks the URL, since it knows the allowed destinations. */
const url = z.string().trim().min(1).max(2048).describe("Where events are sent: an https URL");
const events = z
  .array(z.enum(eventNames))
  .min(1)
  .max(eventNames.length)
  .overwrite((names) => [...new Set(names)])
  .describe(`Kinds of events that are sent. ${kinds}`);
const description = z
  .string()
  .trim()
  .max(200)
  .describe("Your own note to recognise the endpoint by");

const addEndpointInput = z.strictObject({
  url,
  events,
  description: description.default(""),
});

const endpointInput = z.strictObject({ id: endpointId });

const changeEndpointInput = z.strictObject({
  id: endpointId,
  url: url.optional(),
  events: events.optional(),
  description: description.optional(),
  enabled: z
    .boolean()
    .optional()
    .describe(
      "`false` switches the endpoint off and ends its waiting deliveries; `true` switches it on again",
    ),
});

/** In hours; at most a week. */
const overlap = { default: 24, most: 168 };

const rotateInput = z.strictObject({
  id: endpointId,
  overlap_hours: z
    .number()
    .min(0)
    .max(overlap.most)
    .default(overlap.default)
    .describe("Hours for which the former secret also signs"),
});

export const deliveryStates = ["pending", "sending", "delivered", "failed"] as const;

const deliveriesInput = z.strictObject({
  id: endpointId,
  state: z.enum(deliveryStates).optional().describe("Only deliveries in this state"),
  cursor: z
    .string()
    .min(1)
    .max(8192)
    .optional()
    .describe("`pagination.next_cursor` of the page before"),
  limit: z.int().min(1).max(100).default(20).describe("Most deliveries to return"),
});

const replayInput = z.strictObject({ id: endpointId, delivery: deliveryId });

export const alertInput = z.strictObject({
  balance_alert_below: z
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .nullable()
    .describe("Credits in the key's mode below which `balance.low` is sent; `null`: never"),
});

const moment = (about: string) =>
  z.string().meta({ format: "date-time" }).describe(`${about}, ISO 8601 in UTC`);

/** Also part of an endpoint that is switched off in `/account`. */
const off = z.object({
  since: moment("When the endpoint was switched off"),
  reason: z
    .enum(["owner", "failing", "gone"])
    .describe(
      "`owner`: by you; `failing`: after three days of failures only; `gone`: it answered 410",
    ),
});

export const endpointData = z
  .object({
    id: z.string(),
    url: z.string().nullable().describe("`null` for `direct`"),
    description: z.string(),
    events: z.array(z.string()).describe("Kinds of events that are sent"),
    off: off.nullable().describe("Set while the endpoint is switched off"),
    failing_since: moment("First failure since the last delivery").nullable(),
    pending: z.int().min(0).describe("Deliveries that wait or are under way"),
    dropped_events: z.int().min(0).describe("Events dropped because 10,000 were already waiting"),
    former_secret_until: moment("End of the time in which two secrets sign").nullable(),
    created_at: moment("When the endpoint was registered"),
  })
  .meta({ id: "WebhookEndpoint" });

const secretData = endpointData.extend({
  secret: z
    .string()
    .describe(
      "Secret that verifies signatures. Shown now, to a repetition with the same Idempotency-Key, and never again",
    ),
});

export const deliveryData = z
  .object({
    id: z.string(),
    event_id: z.string().describe("`webhook-id` of the event"),
    event_type: z.string(),
    url: z.string(),
    state: z.enum(deliveryStates),
    attempts: z.int().min(0),
    next_attempt_at: moment("Time of the next attempt, while the delivery waits").nullable(),
    created_at: moment("When the event occurred"),
    ended_at: moment("When the delivery succeeded or was given up").nullable(),
    answers: z
      .array(
        z.object({
          attempt: z.int().min(1),
          at: moment("When the attempt was made"),
          duration_ms: z.int().min(0),
          status: z.int().optional().describe("Status of the answer"),
          fault: z.enum(webhookFaults).optional().describe("Why there was no answer"),
          body: z.string().optional().describe("Beginning of the answer's body, without secrets"),
        }),
      )
      .describe("How the last five attempts ended, oldest first"),
  })
  .meta({ id: "WebhookDelivery" });

const removedData = z.object({ id: z.string(), removed: z.literal(true) });

/** Part of `/account`. */
export const endpointsOffData = z
  .array(off.extend({ id: z.string(), url: z.string() }))
  .describe("Webhook endpoints that are switched off");

const done = { success: "Done" } as const;

export const webhooksEndpoints = [
  endpoint({
    ...done,
    id: "gateway.webhooks.list",
    method: "GET",
    path: "/webhooks",
    summary: "The endpoints registered for the key's mode",
    input: nothing,
    data: z.array(endpointData),
  }),
  endpoint({
    ...done,
    id: "gateway.webhooks.create",
    method: "POST",
    path: "/webhooks",
    summary: "Registers an address for kinds of events",
    headers: ["Idempotency-Key"],
    input: addEndpointInput,
    data: secretData,
    status: 201,
  }),
  endpoint({
    ...done,
    id: "gateway.webhooks.get",
    method: "GET",
    path: "/webhooks/{id}",
    summary: "One endpoint",
    input: endpointInput,
    data: endpointData,
  }),
  endpoint({
    ...done,
    id: "gateway.webhooks.change",
    method: "PATCH",
    path: "/webhooks/{id}",
    summary: "Changes an endpoint, switches it off or on",
    input: changeEndpointInput,
    data: endpointData,
  }),
  endpoint({
    ...done,
    id: "gateway.webhooks.remove",
    method: "DELETE",
    path: "/webhooks/{id}",
    summary: "Removes an endpoint with its log and whatever waits for it",
    input: endpointInput,
    data: removedData,
  }),
  endpoint({
    ...done,
    id: "gateway.webhooks.rotate_secret",
    method: "POST",
    path: "/webhooks/{id}/rotate-secret",
    summary: "A new secret; the former one signs as well for a while",
    headers: ["Idempotency-Key"],
    input: rotateInput,
    data: secretData,
  }),
  endpoint({
    ...done,
    id: "gateway.webhooks.test",
    method: "POST",
    path: "/webhooks/{id}/test",
    summary: "Sends `webhook.test` to this endpoint",
    headers: ["Idempotency-Key"],
    input: endpointInput,
    data: deliveryData,
    status: 202,
  }),
  endpoint({
    ...done,
    id: "gateway.webhooks.deliveries",
    method: "GET",
    path: "/webhooks/{id}/deliveries",
    summary: "What became of its events in the last seven days, newest first",
    input: deliveriesInput,
    data: z.array(deliveryData),
    paged: true,
  }),
  endpoint({
    ...done,
    id: "gateway.webhooks.replay",
    method: "POST",
    path: "/webhooks/{id}/deliveries/{delivery}/replay",
    summary: "Sends an event once more, under the same id",
    headers: ["Idempotency-Key"],
    input: replayInput,
    data: deliveryData,
    status: 202,
  }),
] as const;

import { webhookPayloads } from "../../contract/webhook-payloads.ts";
import type { Json } from "./json.ts";
import type { Schemas } from "./schemas.ts";

const sentHeaders = {
  "webhook-id":
    "Id of the event; the same in every attempt and replay, so that receivers recognise repetitions",
  "webhook-timestamp": "Time at which this attempt was signed, in Unix seconds",
  "webhook-signature":
    "`v1,` and the base64 of an HMAC-SHA-256 over id, timestamp and body, joined by dots; one for each valid secret, separated by spaces",
};

/** The webhooks that the gateway sends to registered endpoints. */
export function webhooksSent(schemas: Schemas): Json {
  return Object.fromEntries(
    webhookPayloads.map(({ type, meaning, schema }) => [
      type,
      {
        post: {
          operationId: `sent.${type}`,
          tags: ["gateway"],
          summary: meaning,
          security: [],
          description:
            "Signed as Standard Webhooks prescribe. Delivered at least once: retried for 24 hours until the receiver answers 2xx.",
          parameters: Object.entries(sentHeaders).map(([name, description]) => ({
            name,
            in: "header",
            required: true,
            description,
            schema: { type: "string" },
          })),
          requestBody: {
            required: true,
            content: { "application/json": { schema: schemas.output(schema) } },
          },
          responses: {
            "2XX": { description: "Delivered" },
            "410": { description: "Gone for good: switches the endpoint off" },
            default: { description: "Not delivered; tried again later" },
          },
        },
      },
    ]),
  );
}

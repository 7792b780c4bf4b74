import * as z from "zod";
import {
  addEndpointInput,
  changeEndpointInput,
  deliveriesInput,
  deliveryData,
  endpointData,
  endpointInput,
  removedData,
  replayInput,
  rotateInput,
  secretData,
} from "../../contract/webhook-endpoints.ts";
import { webhookPayloads } from "../../contract/webhook-payloads.ts";
import { errorRefs } from "../openapi/errors.ts";
import { type Json, jsonAnswer } from "../openapi/json.ts";
import type { Schemas } from "../openapi/schemas.ts";

/** The paths below `/webhooks`. */
export function webhookOpenApi(schemas: Schemas): { [path: string]: Json } {
  type Fields = { [name: string]: Json };
  /** Fields of `input` that are `inPath` or asked for by GET are parameters, the others the body. */
  function own(
    name: string,
    summary: string,
    told: { status?: string; answer: Json; input?: z.ZodObject; inPath?: string[]; body?: boolean },
  ): Json {
    const { status = "200", inPath = [], body = false } = told;
    const { properties = {}, required = [] } = (told.input ? schemas.asked(told.input) : {}) as {
      properties?: Fields;
      required?: string[];
    };
    const entries = Object.entries(properties);
    const inBody = body ? entries.filter(([field]) => !inPath.includes(field)) : [];
    const needed = required.filter((field) => inBody.some(([name]) => name === field));
    const parameters = entries
      .filter((entry) => !inBody.includes(entry))
      .map(([field, { description, ...schema }]) => ({
        name: field,
        in: inPath.includes(field) ? "path" : "query",
        required: inPath.includes(field),
        ...(description ? { description } : {}),
        schema,
      }));
    const schema = {
      type: "object",
      properties: Object.fromEntries(inBody),
      ...(needed.length > 0 ? { required: needed } : {}),
      additionalProperties: false,
    };
    return {
      operationId: `gateway.webhooks.${name}`,
      tags: ["gateway"],
      summary,
      ...(parameters.length > 0 ? { parameters } : {}),
      ...(body
        ? {
            requestBody: {
              required: needed.length > 0,
              content: { "application/json": { schema } },
            },
          }
        : {}),
      responses: { [status]: jsonAnswer("Done", told.answer), ...errorRefs() },
    };
  }

  const endpoint = schemas.envelope(endpointData);
  const withSecret = schemas.envelope(secretData);
  const delivery = schemas.envelope(deliveryData);
  const page = schemas.envelope(z.array(deliveryData), { paged: true });
  const inPath = ["id"];
  return {
    "/webhooks": {
      get: own("list", "The endpoints registered for the key's mode", {
        answer: schemas.envelope(z.array(endpointData)),
      }),
      post: own("create", "Registers an address for kinds of events", {
        status: "201",
        answer: withSecret,
        input: addEndpointInput,
        body: true,
      }),
    },
    "/webhooks/{id}": {
      get: own("get", "One endpoint", { answer: endpoint, input: endpointInput, inPath }),
      patch: own("change", "Changes an endpoint, switches it off or on", {
        answer: endpoint,
        input: changeEndpointInput,
        inPath,
        body: true,
      }),
      delete: own("remove", "Removes an endpoint with its log and whatever waits for it", {
        answer: schemas.envelope(removedData),
        input: endpointInput,
        inPath,
      }),
    },
    "/webhooks/{id}/rotate-secret": {
      post: own("rotate_secret", "A new secret; the former one signs as well for a while", {
        answer: withSecret,
        input: rotateInput,
        inPath,
        body: true,
      }),
    },
    "/webhooks/{id}/test": {
      post: own("test", "Sends `webhook.test` to this endpoint", {
        status: "202",
        answer: delivery,
        input: endpointInput,
        inPath,
      }),
    },
    "/webhooks/{id}/deliveries": {
      get: own("deliveries", "What became of its events in the last seven days, newest first", {
        answer: page,
        input: deliveriesInput,
        inPath,
      }),
    },
    "/webhooks/{id}/deliveries/{delivery}/replay": {
      post: own("replay", "Sends an event once more, under the same id", {
        status: "202",
        answer: delivery,
        input: replayInput,
        inPath: ["id", "delivery"],
      }),
    },
  };
}

const sentHeaders = {
  "webhook-id":
    "Id of the event; the same in every attempt and replay, so a repetition is known by it",
  "webhook-timestamp": "When this attempt was signed, in unix seconds",
  "webhook-signature":
    "`v1,` and the base64 of an HMAC-SHA-256 over id, timestamp and body, joined by dots; one for each valid secret, separated by spaces",
};

/** What the gateway sends to those who registered. */
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
            "Signed as Standard Webhooks prescribe. Delivered at least once: tried again for 24 hours until it is answered 2xx.",
          parameters: Object.entries(sentHeaders).map(([name, description]) => ({
            name,
            in: "header",
            required: true,
            description,
            schema: { type: "string" },
          })),
          requestBody: {
            required: true,
            content: { "application/json": { schema: schemas.answered(schema) } },
          },
          responses: {
            "2XX": { description: "Taken" },
            "410": { description: "Gone for good: the endpoint is switched off" },
            default: { description: "Not taken; tried again later" },
          },
        },
      },
    ]),
  );
}

import * as z from "zod";
import {
  batchAccepted,
  batchData,
  batchItem,
  batchLine,
  batchListInput,
  batchOptions,
  batchResultsInput,
} from "../../contract/batches.ts";
import { errorRefs } from "../openapi/errors.ts";
import { type Json, jsonAnswer, ref } from "../openapi/json.ts";
import type { Schemas } from "../openapi/schemas.ts";

/** The paths below `/batches`. */
export function batchesOpenApi(schemas: Schemas): { [path: string]: Json } {
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  const query = (schema: z.ZodType) =>
    Object.entries((schemas.asked(schema).properties ?? {}) as { [name: string]: Json })
      .filter(([name]) => name !== "id")
      .map(([name, { description, ...rest }]) => ({
        name,
        in: "query",
        description,
        schema: rest,
      }));
  const own = (operationId: string, summary: string, description: string, responses: Json) => ({
    operationId,
    tags: ["gateway"],
    summary,
    description,
    responses: { ...responses, ...errorRefs() },
  });
  const options = schemas.asked(batchOptions) as { properties: Json };
  return {
    "/batches": {
      post: {
        ...own(
          "gateway.batches.create",
          "Hands in up to 10,000 calls of any operations",
          "They are carried out in the background; each is charged like a call of its own.",
          {
            "202": {
              ...jsonAnswer("Accepted", schemas.envelope(batchAccepted)),
              headers: {
                Location: { description: "Path of the batch", schema: { type: "string" } },
              },
            },
          },
        ),
        parameters: [
          ...query(batchOptions).map(({ schema, ...parameter }) => ({
            ...parameter,
            description: `With NDJSON only; a member of the object in JSON. ${String(parameter.description)}`,
            schema,
          })),
          ref("parameters", "Idempotency-Key"),
          ref("parameters", "Svc-Webhook-Url"),
          ref("parameters", "Svc-Version"),
          ref("parameters", "Svc-Test-Scenario"),
          ref("parameters", "Svc-Fields"),
          ref("parameters", "Svc-Dry-Run"),
        ],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["items"],
                additionalProperties: false,
                properties: {
                  items: {
                    type: "array",
                    minItems: 1,
                    maxItems: 10_000,
                    items: schemas.asked(batchItem),
                  },
                  ...options.properties,
                },
              },
              example: {
                items: [
                  {
                    custom_id: "first",
                    operation: "browser.markdown",
                    input: { url: "https://example.com/" },
                  },
                ],
              },
            },
            "application/x-ndjson": { schema: schemas.asked(batchItem) },
          },
        },
      },
      get: {
        ...own("gateway.batches.list", "The account's batches, the newest first", "", {
          "200": jsonAnswer("OK", schemas.envelope(z.array(batchData), { paged: true })),
        }),
        parameters: query(batchListInput),
      },
    },
    "/batches/{id}": {
      get: {
        ...own("gateway.batches.get", "How far a batch is", "Never the results; at most 1 KB.", {
          "200": jsonAnswer("OK", schemas.envelope(batchData)),
        }),
        parameters: [id],
      },
      delete: {
        ...own(
          "gateway.batches.cancel",
          "Cancels a batch",
          "Nothing new starts and nothing more is charged; what has ended stays.",
          { "200": jsonAnswer("OK", schemas.envelope(batchData)) },
        ),
        parameters: [id],
      },
    },
    "/batches/{id}/retry": {
      post: {
        ...own(
          "gateway.batches.retry",
          "Carries the failed items out again",
          "Each as a new call, whose line comes behind those that are there.",
          { "202": jsonAnswer("Accepted", schemas.envelope(batchData)) },
        ),
        parameters: [id],
      },
    },
    "/batches/{id}/results": {
      get: {
        ...own(
          "gateway.batches.results",
          "The results in order of completion, a line each",
          "Kept for 24 hours after the end of the batch.",
          {
            "200": {
              description: "OK",
              content: { "application/x-ndjson": { schema: schemas.answered(batchLine) } },
            },
          },
        ),
        parameters: [id, ...query(batchResultsInput)],
      },
    },
  };
}

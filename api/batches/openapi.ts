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
import { pagination } from "../../contract/envelope.ts";

type Json = { [key: string]: unknown };

/** What of the document is needed to describe these paths. */
export interface Describing {
  made: (schema: z.ZodType) => Json;
  asked: (schema: z.ZodType) => Json;
  wrapped: (data: z.ZodType) => Json;
  errors: () => Json;
}

/** The paths below `/batches`. */
export function batchesOpenApi({ made, asked, wrapped, errors }: Describing): {
  [path: string]: Json;
} {
  const shared = (name: string) => ({ $ref: `#/components/parameters/${name}` });
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  const json = (description: string, schema: Json) => ({
    description,
    content: { "application/json": { schema } },
  });
  const query = (schema: z.ZodType) =>
    Object.entries((asked(schema).properties ?? {}) as { [name: string]: Json })
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
    responses: { ...responses, ...errors() },
  });
  const list = wrapped(z.array(batchData)) as { required: string[]; properties: Json };
  const options = asked(batchOptions) as { properties: Json };
  return {
    "/batches": {
      post: {
        ...own(
          "gateway.batches.create",
          "Hands in up to 10,000 calls of any operations",
          "They are carried out in the background; each is charged like a call of its own.",
          {
            "202": {
              ...json("Accepted", wrapped(batchAccepted)),
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
          shared("Idempotency-Key"),
          shared("Svc-Webhook-Url"),
          shared("Svc-Version"),
          shared("Svc-Test-Scenario"),
          shared("Svc-Fields"),
          shared("Svc-Dry-Run"),
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
                  items: { type: "array", minItems: 1, maxItems: 10_000, items: asked(batchItem) },
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
            "application/x-ndjson": { schema: asked(batchItem) },
          },
        },
      },
      get: {
        ...own("gateway.batches.list", "The account's batches, the newest first", "", {
          "200": json("OK", {
            ...list,
            required: [...list.required, "pagination"],
            properties: { ...list.properties, pagination: made(pagination) },
          }),
        }),
        parameters: query(batchListInput),
      },
    },
    "/batches/{id}": {
      get: {
        ...own("gateway.batches.get", "How far a batch is", "Never the results; at most 1 KB.", {
          "200": json("OK", wrapped(batchData)),
        }),
        parameters: [id],
      },
      delete: {
        ...own(
          "gateway.batches.cancel",
          "Cancels a batch",
          "Nothing new starts and nothing more is charged; what has ended stays.",
          { "200": json("OK", wrapped(batchData)) },
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
          { "202": json("Accepted", wrapped(batchData)) },
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
              content: { "application/x-ndjson": { schema: made(batchLine) } },
            },
          },
        ),
        parameters: [id, ...query(batchResultsInput)],
      },
    },
  };
}

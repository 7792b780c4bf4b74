import * as z from "zod";
import { longestField, mostFields } from "./field-selection.ts";
import { endpoint } from "./endpoint.ts";
import { errorEnvelope, issue } from "./envelope.ts";
import { errorTypes } from "./errors.ts";
import { id } from "./fields.ts";

/** Contract of `/batches`: many calls are submitted at once and run in the background. */

export const mostItems = 10_000;
/** Limit of the body of `POST /batches`. */
export const batchBytesLimit = 64 * 1024 * 1024;
export const customIdLimit = 128;
/** Most unfinished batches of one account and mode. */
export const openBatchesLimit = 100;

export const batchId = id(
  /^batch_[0-9a-f]{32}$/,
  "Id of a batch",
  "batch_ and 32 hexadecimal digits",
);

export const batchItem = z
  .strictObject({
    custom_id: z
      .string()
      .min(1)
      .max(customIdLimit)
      .regex(/^\P{Cc}*$/u, { message: "must have no control characters" })
      .describe("The caller's own name of the item, once in a batch; no control characters"),
    operation: z.string().describe("Id of an operation, as in `GET /operations`"),
    input: z
      .record(z.string(), z.unknown())
      .describe("All parameters of the operation, those of its path and query included"),
  })
  .meta({ id: "BatchItem" });

/** Options stand beside the items in a JSON body, and in the query with an NDJSON body. */
export const batchOptions = z.strictObject({
  validation: z
    .enum(["all_or_nothing", "skip_invalid"])
    .default("all_or_nothing")
    .describe(
      "Effect of an invalid item: refuse the whole batch, or accept the batch without the item",
    ),
  max_credits: z
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("The most that all items together may cost"),
  fields: z
    .string()
    .min(1)
    .max(longestField * mostFields)
    .optional()
    .describe(
      "Only these members of each record, of every operation in the batch: `id,author.name`; in place of the header Svc-Fields",
    ),
  webhook_url: z
    .string()
    .min(1)
    .max(2048)
    .optional()
    .describe(
      "URL that is called when the batch has ended; in place of the header Svc-Webhook-Url",
    ),
});

export type BatchOptions = z.output<typeof batchOptions>;

export const batchStates = ["queued", "running", "cancelling", "cancelled", "ended"] as const;

const count = z.int().min(0);
const moment = z.string().describe("ISO 8601, in UTC");

export const batchData = z
  .object({
    id: batchId,
    state: z.enum(batchStates),
    created_at: moment,
    ended_at: moment.nullable(),
    expires_at: moment.nullable().describe("When the results are removed"),
    items: z.object({
      total: count,
      queued: count,
      running: count,
      succeeded: count,
      failed: count,
      cancelled: count,
    }),
    credits: z.object({
      max: count.nullable(),
      held: count.describe("Held for running items"),
      charged: count,
    }),
    estimated_end_at: moment.nullable().describe("Null while there is no estimate"),
    error: z
      .object({ type: z.enum(errorTypes), message: z.string() })
      .optional()
      .describe("Why the batch was cancelled, unless by a call: its key was revoked"),
  })
  .meta({ id: "Batch" });

export type BatchData = z.output<typeof batchData>;

const itemIssue = issue
  .extend({
    line: z.int().min(1).describe("Line of the body on which the item begins"),
    custom_id: z.string().optional(),
  })
  .meta({ id: "BatchIssue" });

/** Answer of `POST /batches`. */
const batchAccepted = batchData
  .extend({
    skipped: z
      .object({
        count,
        lines: z.array(z.int()).describe("Lines of the items that were left out of the batch"),
        issues: z.array(itemIssue).describe("The first 50"),
      })
      .optional()
      .describe("With `skip_invalid` only"),
  })
  .meta({ id: "BatchAccepted" });

/** An error of `POST /batches`: an issue of an item says where the item stands. */
const batchError = z
  .object({
    error: errorEnvelope.shape.error.extend({
      issues: z
        .array(z.union([itemIssue, issue]))
        .min(1)
        .optional()
        .describe("Present exactly when type is validation_error"),
    }),
  })
  .meta({ id: "BatchErrorEnvelope" });

/** One line of the results: the envelope of the call, with the item's `custom_id`. */
export const batchLine = z
  .object({
    custom_id: z.string(),
    status: z.int().describe("The HTTP status that the call would have had"),
    sequence: z.int().min(1).describe("Position in order of completion; `after` resumes behind it"),
    request_id: z.string().optional(),
    data: z.unknown().optional(),
    pagination: z.unknown().optional(),
    billing: z.unknown().optional(),
    error: z.unknown().optional(),
  })
  .meta({ id: "BatchResultLine" });

const batchListInput = z.strictObject({
  limit: z.int().min(1).max(100).default(20).describe("Most batches to return"),
  cursor: z.string().max(500).optional().describe("`next_cursor` of the page before"),
  state: z.enum(batchStates).optional().describe("Only batches in this state"),
});

const oneBatchInput = z.strictObject({ id: batchId });

const batchResultsInput = z.strictObject({
  id: batchId,
  after: z
    .int()
    .min(0)
    .default(0)
    .describe("`sequence` of the last line that was read; the answer starts behind it"),
  follow: z
    .boolean()
    .default(false)
    .describe(
      "Keep the answer open until the batch has ended; an empty line is sent every five seconds",
    ),
});

export const batchesEndpoints = [
  endpoint({
    id: "gateway.batches.create",
    method: "POST",
    path: "/batches",
    summary: "Hands in up to 10,000 calls of any operations",
    description: "They are carried out in the background; each is charged like a call of its own.",
    items: {
      item: batchItem,
      most: mostItems,
      options: batchOptions,
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
    headers: [
      "Idempotency-Key",
      "Svc-Webhook-Url",
      "Svc-Version",
      "Svc-Test-Scenario",
      "Svc-Fields",
      "Svc-Dry-Run",
    ],
    data: batchAccepted,
    status: 202,
    success: "Accepted",
    answerHeaders: { Location: "Path of the batch" },
    others: { 400: { description: "validation_error or invalid_id", data: batchError } },
  }),
  endpoint({
    id: "gateway.batches.list",
    method: "GET",
    path: "/batches",
    summary: "The account's batches, the newest first",
    description: "",
    input: batchListInput,
    data: z.array(batchData),
    paged: true,
  }),
  endpoint({
    id: "gateway.batches.get",
    method: "GET",
    path: "/batches/{id}",
    summary: "How far a batch is",
    description: "Never the results; at most 1 KB.",
    input: oneBatchInput,
    data: batchData,
  }),
  endpoint({
    id: "gateway.batches.cancel",
    method: "DELETE",
    path: "/batches/{id}",
    summary: "Cancels a batch",
    description: "Nothing new starts and nothing more is charged; what has ended stays.",
    input: oneBatchInput,
    data: batchData,
  }),
  endpoint({
    id: "gateway.batches.retry",
    method: "POST",
    path: "/batches/{id}/retry",
    summary: "Carries the failed items out again",
    description:
      "Each as a new call, whose line comes behind those that are there. A repeated request with the same Idempotency-Key changes nothing.",
    input: oneBatchInput,
    headers: ["Idempotency-Key"],
    data: batchData,
    status: 202,
    success: "Accepted",
    answerHeaders: { Location: "Path of the batch" },
  }),
  endpoint({
    id: "gateway.batches.results",
    method: "GET",
    path: "/batches/{id}/results",
    summary: "The results in order of completion, a line each",
    description: "Kept for 24 hours after the end of the batch.",
    input: batchResultsInput,
    data: batchLine,
    bare: "application/x-ndjson",
  }),
] as const;

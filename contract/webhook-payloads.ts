import * as z from "zod";
import { budgetShape } from "./budget.ts";
import { type WebhookEventType, webhookEvents } from "./webhook.ts";

/** Payloads of events: ids and states, never results or keys. */

const mode = z.enum(["live", "test"]).describe("Mode of the key that made the call");
const requestId = z.string().describe("Id of the call");
const batchId = z.string().describe("Id of the batch");

const data = {
  "job.ended": z.object({
    request_id: requestId,
    operation: z.string(),
    mode,
    state: z.enum(["succeeded", "failed", "cancelled"]),
  }),
  "batch.ended": z.object({
    batch_id: batchId,
    mode,
    state: z.enum(["ended", "cancelled"]),
  }),
  "batch.item_failed": z.object({
    batch_id: batchId,
    custom_id: z.string().describe("Your own name of the item"),
    request_id: requestId.optional(),
    mode,
  }),
  "balance.low": z.object({
    mode,
    balance: z.int().min(0).describe("Credits at that moment"),
    threshold: z.int().min(1).describe("`balance_alert_below` of the account"),
  }),
  "budget.threshold": z.object({
    mode,
    ...budgetShape,
    charged: z.int().min(0).describe("Spent in this period, at that moment"),
  }),
} satisfies Record<WebhookEventType, z.ZodType>;

/** The body of each event. */
export const webhookPayloads = Object.entries(webhookEvents).map(([type, meaning]) => ({
  type,
  meaning,
  schema: z.object({
    type: z.literal(type),
    timestamp: z
      .string()
      .meta({ format: "date-time" })
      .describe("When the event occurred, ISO 8601 in UTC"),
    data: data[type as WebhookEventType],
  }),
}));

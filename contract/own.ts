import * as z from "zod";
import { budgetData } from "./budget.ts";
import { day } from "./fields.ts";
import { endpointsOffData } from "./webhook-endpoints.ts";

/** `data` of the gateway's own endpoints, inside the success envelope. */

export const accountData = z
  .object({
    account: z.string().describe("Name of the account"),
    mode: z.enum(["live", "test"]).describe("Mode of the key"),
    key_id: z.string().describe("Public part of the key"),
    balance: z.int().min(0).describe("Credits available in this mode"),
    balance_alert_below: z
      .int()
      .nullable()
      .describe("`balance.low` is sent when the balance falls below this; set it by PATCH"),
    limits: z.object({
      requests_per_second: z.int().min(1),
      requests_in_flight: z.int().min(1),
    }),
    budgets: z
      .array(budgetData)
      .describe("Budgets of the account and this key; empty where none is set"),
    webhooks_off: endpointsOffData,
  })
  .meta({ id: "Account" });

export const catalogueData = z.array(
  z
    .object({
      id: z.string(),
      area: z.string(),
      method: z.enum(["GET", "POST"]),
      path: z.string(),
      summary: z.string().describe("Description in one line"),
      paginated: z.boolean(),
      credits_per_record: z.int(),
      minimum_credits: z.int(),
    })
    .meta({ id: "CatalogueEntry" }),
);

/** Query of endpoints without parameters. */
export const nothingInput = z.strictObject({});

/** Query of `/openapi.json`. */
export const documentInput = (areas: readonly string[]) =>
  z.strictObject({ area: z.enum(areas).optional().describe("Only the operations of this area") });

/** Query of `/account/usage`. */
export const usageInput = z
  .strictObject({
    from: day("First day in UTC; 30 days ago when absent").optional(),
    to: day("Last day in UTC; today when absent").optional(),
    format: z.enum(["json", "csv"]).default("json"),
  })
  .refine((input) => !input.from || !input.to || input.from <= input.to, {
    path: ["to"],
    message: "must not be before from",
  });

export const usageData = z.array(
  z
    .object({
      day: z.string().describe("Calendar day in UTC"),
      area: z.string(),
      operation: z.string(),
      calls: z.int().min(0),
      errors: z.int().min(0).describe("Calls that ended with an error"),
      credits: z.int().min(0),
      records: z.int().min(0),
    })
    .meta({ id: "UsageDay" }),
);

export const liveData = z.object({ status: z.literal("live") });

export const readyData = z.object({
  status: z.enum(["ready", "draining", "not ready"]),
  database: z.boolean(),
  redis: z.boolean(),
  workers: z.record(z.string(), z.int()).describe("Worker processes by pool"),
  clock_skew_seconds: z
    .number()
    .describe("How far the clock of this process is ahead of the clock of Redis"),
  warning: z
    .string()
    .optional()
    .describe("Set when the clock of this process is more than 5 s off; calls still work"),
});

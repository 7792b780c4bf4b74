import * as z from "zod";
import { budgetData } from "./budget.ts";
import { endpoint, nothing } from "./endpoint.ts";
import { day } from "./fields.ts";
import { alertInput, endpointsOffData } from "./webhook-endpoints.ts";

/** Endpoints about the account of a key, and the list of operations. */

const accountData = z
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
      asynchronous: z
        .literal(true)
        .optional()
        .describe(
          "The call starts work that has requests of its own; jobs and batches do not take it",
        ),
      credits_per_record: z.int(),
      minimum_credits: z.int(),
      available: z
        .boolean()
        .optional()
        .describe(
          "Whether calls with a live key are answered here: a worker and a credential for the source are there, and nothing is switched off. Credentials of an account's own do not count; absent while it is not known",
        ),
      evidence: z
        .object({
          summary: z
            .string()
            .describe(
              "`verified live on <date>`, `recorded answers: <number>`, `documents only`, or `tested on real pages`",
            ),
          verified_at: z
            .string()
            .nullable()
            .describe("When the operation last worked at its live upstream in this installation"),
          recorded_answers: z
            .int()
            .min(0)
            .describe("Recorded answers on which the mapping was tried"),
        })
        .describe("How sure the operation is"),
    })
    .meta({ id: "CatalogueEntry" }),
);

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

const usageData = z.array(
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

export const accountEndpoints = [
  endpoint({
    id: "gateway.account",
    method: "GET",
    path: "/account",
    summary: "Balance, limits and mode of the caller's key",
    input: nothing,
    data: accountData,
  }),
  endpoint({
    id: "gateway.account.change",
    method: "PATCH",
    path: "/account",
    summary: "Changes settings of the account",
    input: alertInput,
    data: accountData,
  }),
  endpoint({
    id: "gateway.usage",
    method: "GET",
    path: "/account/usage",
    summary: "Calls by day, area and operation",
    input: usageInput,
    data: usageData,
    alsoAs: "text/csv",
  }),
  endpoint({
    id: "gateway.operations",
    method: "GET",
    path: "/operations",
    summary: "Every operation with its price, availability and evidence",
    input: nothing,
    data: catalogueData,
  }),
] as const;

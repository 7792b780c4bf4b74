import * as z from "zod";

/** Budgets: the most that an account, or one of its keys, may spend in a period. */

export const budgetPeriods = ["day", "week", "month"] as const;

/** Fields of a budget that every answer and event shows. */
export const budgetShape = {
  of: z.enum(["account", "key"]).describe("All keys of the account and mode together, or one key"),
  key_id: z.string().optional().describe("Public part of the key, where the budget is for one key"),
  period: z.enum(budgetPeriods).describe("Period in UTC; a week begins on Monday"),
  credits: z.int().min(0).describe("Most credits that may be spent in a period"),
  alert_percent: z.int().describe("Share at which `budget.threshold` is sent"),
  renews_at: z
    .string()
    .meta({ format: "date-time" })
    .describe("When the next period begins, ISO 8601 in UTC"),
};

/** Part of `/account` and of the answer to a dry run. */
export const budgetData = z
  .object({
    ...budgetShape,
    charged: z.int().min(0).describe("Spent in this period"),
    held: z.int().min(0).describe("Held for running calls"),
    left: z.int().min(0).describe("Credits that calls may still spend"),
  })
  .meta({ id: "Budget" });

export type BudgetData = z.output<typeof budgetData>;

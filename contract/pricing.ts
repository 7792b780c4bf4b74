import * as z from "zod";
import { budgetData } from "./budget.ts";
import { type Operation, creditsFor } from "./operation.ts";

/** Prices, and the answer to `Svc-Dry-Run: true`: the cost of a call without running it. */

export const dryRunHeader = "Svc-Dry-Run";
export const maxCreditsHeader = "Svc-Max-Credits";

const credits = z.int().min(0);

export const dryRunData = z
  .object({
    dry_run: z.literal(true),
    credits: z
      .object({
        least: credits.describe("Least cost of a success"),
        most: credits.describe("Most that a success costs"),
      })
      .describe("Errors cost nothing"),
    why: z.string().describe("How the price comes about"),
    covered: z
      .object({
        least: z.boolean().describe("The call would begin now"),
        most: z.boolean().describe("The answer would not be cut for lack of credits"),
        by: credits.describe(
          "Credits available to this call now, from the balance and every budget",
        ),
      })
      .describe("Whether the available credits would pay for the call now"),
    budgets: z.array(budgetData).describe("Budgets of the account and of this key"),
  })
  .meta({ id: "DryRun" });

export type DryRunData = z.output<typeof dryRunData>;

export interface Price {
  least: number;
  most: number;
}

/** Price of a successful call that returns at most `mostRecords` records. */
export function priceOf(op: Pick<Operation, "records" | "minimum">, mostRecords: number): Price {
  const leastRecords = op.records.kind === "one" && !op.records.isNone ? 1 : 0;
  return { least: creditsFor(op, leastRecords), most: creditsFor(op, mostRecords) };
}

/** Credits that must be available for a call to begin. */
export const neededFor = (op: Pick<Operation, "minimum">): number => Math.max(op.minimum, 1);

/** The price of any call of an operation, in words. */
export function priceOfEach(op: Pick<Operation, "records" | "minimum">): string {
  const { records, minimum } = op;
  if (records.kind === "one") {
    return records.isNone ? "1 credit, an empty answer is free" : priceInNumbers(priceOf(op, 1));
  }
  const each = records.billable ? "record with is_billable true" : "record";
  return `1 credit per ${each}${minimum > 0 ? `, at least ${minimum} per call` : ""}`;
}

/** `1 credit`, `10 to 40 credits`. */
export function priceInNumbers({ least, most }: Price): string {
  return `${least === most ? "" : `${least} to `}${most} ${most === 1 ? "credit" : "credits"}`;
}

/** The price of one call in words. */
export function priceInWords(
  op: Pick<Operation, "records" | "minimum">,
  mostRecords: number,
): string {
  if (op.records.kind === "one") {
    const none = op.records.isNone ? "; an empty answer costs nothing" : "";
    return `The answer is one record, which costs 1 credit${none}`;
  }
  const billable = op.records.billable ? "record with is_billable true" : "record returned";
  const none = op.minimum > 0 ? `at least ${op.minimum} for the call` : "none costs nothing";
  return `1 credit for each ${billable}, of which there are at most ${mostRecords}; ${none}`;
}

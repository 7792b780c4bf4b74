import type { BudgetData } from "../../contract/budget.ts";
import { GatewayError } from "../../contract/errors.ts";
import { type Budget, type BudgetStore, leftOf } from "../../db/budgets.ts";
import type { Caller } from "../auth.ts";
import { bestEffort } from "../stores.ts";

/** Renders budgets for callers. */

const momentOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const secondsUntil = ({ renewsInMs }: Budget) => Math.max(1, Math.ceil(renewsInMs / 1000));

export function budgetView(budget: Budget): BudgetData {
  const { keyId, period, credits, charged, held, alertPercent, renewsAt } = budget;
  return {
    of: keyId === undefined ? "account" : "key",
    key_id: keyId,
    period,
    credits,
    alert_percent: alertPercent,
    renews_at: momentOf(renewsAt),
    charged,
    held,
    left: leftOf(budget),
  };
}

/** The error for a call that the balance covers but a budget does not: names the budget and when it renews. */
export function overBudget(
  budgets: readonly Budget[],
  balance: number,
  needed: number,
): GatewayError {
  const billing = { balance_remaining: balance, credits_required: needed };
  // The caller must wait for the last of the spent budgets; if none is spent, for running calls to settle.
  const spent = budgets.filter(({ credits, charged }) => credits - charged < needed);
  const [over] = (
    spent.length > 0 ? spent : budgets.filter((one) => leftOf(one) < needed)
  ).toSorted((a, b) => b.renewsAt - a.renewsAt);
  if (!over) {
    const message = "A budget did not cover this call at that moment; send it again";
    return new GatewayError("insufficient_credits", message, { billing, retryAfter: 1 });
  }
  const { keyId, period, credits, renewsAt } = over;
  const whose = keyId === undefined ? "the account" : `the key ${keyId}`;
  const name = `The budget of ${whose}, ${credits} credits a ${period},`;
  const message =
    spent.length > 0
      ? `${name} does not cover this call; it renews at ${momentOf(renewsAt)}`
      : `${name} is set aside for calls that run`;
  return new GatewayError("insufficient_credits", message, {
    billing,
    retryAfter: spent.length > 0 ? secondsUntil(over) : 1,
  });
}

/**
 * The header that reports what the caller's budgets leave; empty without budgets, or when the database does not
 * answer in a moment.
 */
export async function budgetHeaders(
  caller: Caller,
  budgets: BudgetStore,
): Promise<Record<string, string>> {
  if (!caller.budgeted) return {};
  let found: readonly Budget[] = [];
  await bestEffort(budgets.standing(caller).then((standing) => (found = standing.budgets)));
  if (found.length === 0) return {};
  const items = found.map((one) => {
    const whose = one.keyId === undefined ? "account" : "key";
    return `"${whose}-${one.period}";q=${one.credits};r=${leftOf(one)};t=${secondsUntil(one)}`;
  });
  return { "svc-budget": items.join(", ") };
}

import type { Canary } from "../../db/canaries.ts";
import { type Step, inOrder, knownCost } from "./plan.ts";

/** The choice of the daily calls: each route of each upstream once, the cheapest operations first. */

/** Dollars that a call counts whose price nobody publishes, until its upstream reports a cost. */
const assumedDollars = 0.01;

export const defaultBudget = 0.1;

/** Dollars that a daily call counts in the budget before it is made. */
export const dailyCost = (step: Step): number => knownCost(step, 1, assumedDollars);

const routesOf = ({ sample }: Step): readonly string[] => [...(sample?.routes ?? [])];

/**
 * The steps to take today. Routes that were called today are left out. Those that were not called for longest come
 * first, so that a budget that is too small for all reaches all over several days.
 */
export function dailySteps(
  steps: readonly Step[],
  kept: readonly Pick<Canary, "day" | "routes">[],
  today: string,
): Step[] {
  const lastDay = new Map<string, string>();
  for (const { day, routes } of kept)
    for (const route of routes) if (day > (lastDay.get(route) ?? "")) lastDay.set(route, day);
  const open = (step: Step) => routesOf(step).filter((route) => lastDay.get(route) !== today);
  const oldest = (step: Step) =>
    open(step)
      .map((route) => lastDay.get(route) ?? "")
      .toSorted()[0] ?? today;
  const possible = steps.filter((step) => step.chosen && !step.not && open(step).length > 0);
  const order = possible.toSorted(
    (a, b) =>
      oldest(a).localeCompare(oldest(b)) ||
      dailyCost(a) - dailyCost(b) ||
      open(b).length - open(a).length,
  );
  const covered = new Set<string>();
  const taken = order.filter((step) => {
    const fresh = open(step).filter((route) => !covered.has(route));
    for (const route of fresh) covered.add(route);
    return fresh.length > 0;
  });
  return withSources(taken, steps);
}

/** With the operations of whose answers the inputs are made, before them. */
function withSources(taken: readonly Step[], steps: readonly Step[]): Step[] {
  const byOperation = new Map(steps.map((step) => [step.op, step]));
  const all = inOrder(taken.map(({ op }) => op));
  return all.flatMap((op) => byOperation.get(op) ?? []);
}

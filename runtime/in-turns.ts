import { setImmediate as turn } from "node:timers/promises";

/** Steps that are taken one behind another: a millisecond or so of the work that an item of a batch takes. */
const atATurn = 8;

/** Takes a step for each, with whatever else this process is asked in between. */
export async function inTurns<T>(
  list: readonly T[],
  step: (one: T, index: number) => void,
): Promise<void> {
  for (const [index, one] of list.entries()) {
    if (index > 0 && index % atATurn === 0) await turn();
    step(one, index);
  }
}

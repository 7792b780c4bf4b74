import { setImmediate as nextLoop } from "node:timers/promises";

/** Steps between two yields: about a millisecond of work for items of a batch. */
const groupSize = 8;

/** Runs a step for each entry and yields to the event loop between groups, so that other requests run. */
export async function forEachYielding<T>(
  list: readonly T[],
  step: (one: T, index: number) => void,
): Promise<void> {
  for (const [index, one] of list.entries()) {
    if (index > 0 && index % groupSize === 0) await nextLoop();
    step(one, index);
  }
}

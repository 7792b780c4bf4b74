import { full } from "./faults/full.ts";
import { choices } from "./random.ts";

/**
 * One in `of` of a list, every `of`-th from a place that the seed chooses, so that each part of the list is met.
 * `npm run test:faults` takes them all.
 */
export function share<T>(name: string, all: Iterable<T>, of: number): T[] {
  const list = [...all];
  if (full) return list;
  const first = choices(`share of ${name}`)(of);
  return list.filter((_, index) => index % of === first);
}

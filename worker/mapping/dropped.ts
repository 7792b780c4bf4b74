import { AsyncLocalStorage } from "node:async_hooks";

/** Rows that did not fit and were left out, by the field that was missing. */
export type Dropped = Map<string, number>;

const counted = new AsyncLocalStorage<Dropped>();

/**
 * Runs `work` and counts in `dropped` every row that it leaves out. Mapping functions are pure and have
 * no call, so an AsyncLocalStorage carries the count.
 */
export function countDropped<T>(dropped: Dropped, work: () => Promise<T>): Promise<T> {
  return counted.run(dropped, work);
}

/** Counts one row that was left out for lack of `field`. */
export function dropRow(field: string): void {
  const dropped = counted.getStore();
  dropped?.set(field, (dropped.get(field) ?? 0) + 1);
}

import pLimit from "p-limit";

/** Runs `work` on every entry with concurrency limit `most`; outcomes have the order of the entries. */
export function inParallel<Entry, Result>(
  most: number,
  entries: readonly Entry[],
  work: (entry: Entry) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const limit = pLimit(most);
  return Promise.allSettled(entries.map((entry) => limit(work, entry)));
}

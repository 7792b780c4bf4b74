/** Runs `work` on every entry with concurrency limit `most`; outcomes have the order of the entries. */
export async function inParallel<Entry, Result>(
  most: number,
  entries: readonly Entry[],
  work: (entry: Entry) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const outcomes: PromiseSettledResult<Result>[] = [];
  let next = 0;
  async function runner(): Promise<void> {
    while (next < entries.length) {
      const index = next;
      next += 1;
      [outcomes[index]] = (await Promise.allSettled([work(entries[index] as Entry)])) as [
        PromiseSettledResult<Result>,
      ];
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, entries.length) }, runner));
  return outcomes;
}

/** Runs `work` on every entry, at most `most` at a time; outcomes come in the order of the entries. */
export async function inParallel<Entry, Result>(
  most: number,
  entries: readonly Entry[],
  work: (entry: Entry) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const outcomes: PromiseSettledResult<Result>[] = [];
  let next = 0;
  async function lane(): Promise<void> {
    while (next < entries.length) {
      const index = next;
      next += 1;
      [outcomes[index]] = (await Promise.allSettled([work(entries[index] as Entry)])) as [
        PromiseSettledResult<Result>,
      ];
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, entries.length) }, lane));
  return outcomes;
}

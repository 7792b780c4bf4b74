/** The first entry of each identity; one without an identity is like no other. */
export function firstOfEach<T>(
  entries: readonly T[],
  identityOf: (entry: T) => string | undefined,
): T[] {
  const seen = new Set<string>();
  return entries.filter((entry) => {
    const identity = identityOf(entry);
    return identity === undefined || (!seen.has(identity) && seen.add(identity));
  });
}

/** Member that holds the records where the data of an answer is no list itself. */
export const recordsMember = "results";

/** The records of a list operation's data; undefined where the data is a single record. */
export function recordsIn(data: unknown): readonly unknown[] | undefined {
  if (Array.isArray(data)) return data as unknown[];
  const { [recordsMember]: rows } = (data ?? {}) as { [recordsMember]?: unknown };
  return Array.isArray(rows) ? (rows as unknown[]) : undefined;
}

/** Where the data of an answer is no list itself, this member holds its records. */
export const recordsMember = "results";

/** The records of an answer's data, as every list operation has them; undefined where it is one thing. */
export function recordsIn(data: unknown): readonly unknown[] | undefined {
  if (Array.isArray(data)) return data as unknown[];
  const { [recordsMember]: rows } = (data ?? {}) as { [recordsMember]?: unknown };
  return Array.isArray(rows) ? (rows as unknown[]) : undefined;
}

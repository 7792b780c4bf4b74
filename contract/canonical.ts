/** JSON with sorted keys: the same text for equal values. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const holder = value as Record<string, unknown>;
  const members = Object.keys(holder)
    .filter((key) => holder[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(holder[key])}`);
  return `{${members.join(",")}}`;
}

import type { Exchange } from "./capture.ts";

/** Entries of a list that are kept in any case, and scalar entries in all. */
const always = 4;
const mostScalars = 8;

/** The replies with long lists cut to entries that differ in shape. */
export function trimmed(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.map((exchange) => ({
    ...exchange,
    reply: { ...exchange.reply, body: trim(exchange.reply.body) },
  }));
}

function trim(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, trim(inner)]));
  }
  const seen = new Set<string>();
  let scalars = 0;
  return value
    .filter((entry, index) => {
      if (typeof entry !== "object") return (scalars += 1) <= mostScalars;
      const fresh = shapeOf(entry, "").filter((path) => !seen.has(path));
      for (const path of fresh) seen.add(path);
      return index < always || fresh.length > 0;
    })
    .map(trim);
}

/** Paths in an entry with the kind of what is there; switches count by value. */
function shapeOf(value: unknown, path: string): string[] {
  if (typeof value === "boolean") return [`${path} ${value}`];
  if (typeof value !== "object" || value === null) return [`${path} ${typeof value}`];
  const here = `${path}${Array.isArray(value) ? "[]" : "{}"}`;
  return [
    here,
    ...Object.entries(value).flatMap(([name, inner]) =>
      shapeOf(inner, Array.isArray(value) ? here : `${here}.${name}`),
    ),
  ];
}

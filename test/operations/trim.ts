import type { Exchange } from "./capture.ts";
import { type Node, nodesOf, opened, withValue } from "./nodes.ts";

/** Minimum of kept list entries, and the limit of kept scalar entries. */
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

/** Paths in an entry with the kind of each value; switches count by value. */
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

/** Entries that a list keeps, enough to distinguish rows. */
const fewest = 3;
const mostAttempts = 60;

/**
 * The replies without entries that `isEnough` does not need; outer lists first, from their ends.
 */
export async function reduced(
  exchanges: readonly Exchange[],
  isEnough: (fewer: readonly Exchange[]) => Promise<boolean>,
): Promise<readonly Exchange[]> {
  let kept = exchanges;
  let attempts = 0;
  const lists = nodesOf(exchanges).filter(
    ({ value, entries }) => Array.isArray(value) && value.length > fewest && entries.length < 4,
  );
  for (const place of lists) {
    for (let size = 8; size > 0; size = size >> 1) {
      for (let end = listAt(kept, place).length; end > 0 && attempts < mostAttempts;) {
        const entries = listAt(kept, place);
        const start = Math.max(0, end - size);
        end = start;
        if (entries.length - size < fewest) continue;
        attempts += 1;
        const fewer = withValue(kept, place, entries.toSpliced(start, size));
        if (await isEnough(fewer)) kept = fewer;
      }
    }
  }
  return kept;
}

/** The list at a node's place; empty where a shortened outer list no longer reaches it. */
function listAt(exchanges: readonly Exchange[], { exchange, steps }: Node): readonly unknown[] {
  const body: unknown = exchanges[exchange]?.reply.body;
  const value = steps.reduce((holder, step) => {
    const inside = opened(holder);
    return typeof inside === "object"
      ? (inside as Record<string, unknown> | null)?.[step]
      : undefined;
  }, body);
  return Array.isArray(value) ? value : [];
}

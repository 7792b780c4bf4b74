import type { Exchange } from "./capture.ts";

type Step = string | number;

/** One place in the bodies of a set of replies. */
export interface Node {
  exchange: number;
  steps: readonly Step[];
  value: unknown;
  /** The place without its indexes: `[]` for an entry of a list, `{}` for a member named by an id. */
  path: string;
  /** Lists above the place, outermost first: the list's path, and the entry on the way. */
  entries: readonly { list: string; entry: string }[];
}

/** Member names that are ids rather than field names. */
const isId = (name: string) => /\d{5}|^(?=.*\d)[\w-]{16,}$/.test(name);

/** A value with its members, including JSON written as text. */
export function opened(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[{[]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** Every place in the replies, a container before its content. */
export function nodesOf(exchanges: readonly Exchange[]): Node[] {
  const templates = new Set(exchanges.map(({ template }) => template));
  const nodes: Node[] = [];
  const walk = (node: Node): void => {
    nodes.push(node);
    const { steps, entries, exchange } = node;
    const value = opened(node.value);
    const path = value === node.value ? node.path : `${node.path}(JSON)`;
    if (typeof value !== "object" || value === null) return;
    const isArray = Array.isArray(value);
    for (const [name, inner] of Object.entries(value)) {
      const unnamed = isArray || isId(name);
      const list = `${path}${isArray ? "[]" : ".{}"}`;
      const entry = `${exchange}/${[...steps, name].join("/")}`;
      walk({
        exchange,
        steps: [...steps, isArray ? Number(name) : name],
        value: inner,
        path: unnamed ? list : /[ .]$|^$/.test(path) ? `${path}${name}` : `${path}.${name}`,
        entries: unnamed ? [...entries, { list, entry }] : entries,
      });
    }
  };
  for (const [exchange, { template, reply }] of exchanges.entries()) {
    const path = templates.size > 1 ? `${template} ` : "";
    const entries = [{ list: `${path}#`, entry: `${exchange}` }];
    walk({ exchange, steps: [], value: reply.body, path, entries });
  }
  return nodes;
}

export const isLeaf = ({ value }: Node): boolean =>
  value === null || typeof value !== "object" || Object.keys(value).length === 0;

/** Stands for a removed member or entry. */
export const absent = Symbol("absent");

/** The replies with one place changed; the rest is shared with the original. */
export function withValue(
  exchanges: readonly Exchange[],
  { exchange, steps }: Node,
  value: unknown,
): Exchange[] {
  return exchanges.map((kept, index) =>
    index === exchange
      ? { ...kept, reply: { ...kept.reply, body: replaced(kept.reply.body, steps, value) } }
      : kept,
  );
}

function replaced(holder: unknown, [step, ...rest]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return value === absent ? undefined : value;
  if (typeof holder === "string") {
    return JSON.stringify(replaced(opened(holder), [step, ...rest], value));
  }
  if (Array.isArray(holder)) {
    if (rest.length === 0 && value === absent) return holder.toSpliced(step as number, 1);
    return holder.with(step as number, replaced(holder[step as number], rest, value));
  }
  const object = holder as Record<string, unknown>;
  if (rest.length === 0 && value === absent) {
    const { [step]: _gone, ...others } = object;
    return others;
  }
  return { ...object, [step]: replaced(object[step], rest, value) };
}

/**
 * Other values of the same kind, the most effective first. `siblings` are at the same path
 * elsewhere.
 */
export function otherValues({ value }: Node, siblings: readonly Node[]): unknown[] {
  const sibling = siblings.find(
    (other) => typeof other.value === typeof value && other.value !== value,
  )?.value;
  // An id that another row has makes the two rows one.
  const taken = new Set(siblings.map((other) => other.value));
  const freeFirst = <T>(others: T[]) => [
    ...others.filter((other) => !taken.has(other)),
    ...others.filter((other) => taken.has(other)),
  ];
  switch (typeof value) {
    case "boolean":
      return [!value];
    case "number":
      return [
        ...freeFirst([value + 1, value === 0 ? 2 : 0, value * 2 + 100_000]),
        ...(sibling === undefined ? [] : [sibling]),
      ];
    case "string":
      return freeFirst(otherTexts(value, typeof sibling === "string" ? sibling : ""));
    default:
      return [];
  }
}

function otherTexts(text: string, sibling: string): string[] {
  // The number of digits stays, so that ids stay ids; dates stay dates.
  const bumped = text.replace(/\d/g, (digit) => String((Number(digit) % 9) + 1));
  const last = text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) % 9) + 1));
  const date = /^\d{4}-\d\d-\d\d/.test(text)
    ? text.replace(/^\d{4}/, (year) => `${+year - 1}`)
    : "";
  const found = /^[\d.,:-]+$/.test(text)
    ? [last, bumped, `${text}1`]
    : [date, `${text}x`, `x${text}`, bumped, sibling];
  return [...new Set(found)].filter((other) => other !== text && other !== "");
}

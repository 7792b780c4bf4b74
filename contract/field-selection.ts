import type * as z from "zod";
import type { Operation } from "./operation.ts";
import { recordsIn, recordsMember } from "./records.ts";

/** Field selection (`Svc-Fields`): checks the requested member names and filters an answer by them. */

type Json = Record<string, unknown>;
type Schema = z.core.$ZodType;

export const mostFields = 50;
export const longestField = 200;
/** Header by which a client states that it keeps only a part of the answer, as tools with a size limit do. */
export const partHeader = "svc-part";

/** Requested names as a tree of their parts; null selects a whole member. */
type Chosen = Map<string, Chosen | null>;

function chosenBy(fields: readonly string[]): Chosen {
  const chosen: Chosen = new Map();
  for (const field of fields.slice(0, mostFields)) {
    // No member has a name this long.
    if (field.length > longestField) continue;
    const parts = field.split(".");
    const last = parts.pop() as string;
    let inner: Chosen | null = chosen;
    for (const part of parts) {
      const next: Chosen | null | undefined = inner.get(part);
      if (next === undefined) inner.set(part, (inner = new Map()));
      else inner = next;
      // The whole member is requested as well.
      if (inner === null) break;
    }
    inner?.set(last, null);
  }
  return chosen;
}

function pick(value: unknown, chosen: Chosen): unknown {
  if (Array.isArray(value)) return value.map((one) => pick(one, chosen));
  if (typeof value !== "object" || value === null) return value;
  const found: Json = {};
  for (const [name, member] of Object.entries(value)) {
    const inner = chosen.get(name);
    if (inner !== undefined) found[name] = inner ? pick(member, inner) : member;
  }
  return found;
}

/** Keeps only these members: `author.name` is a nested member, of each entry where `author` is a list. */
export function chooser(fields: readonly string[]): (value: unknown) => unknown {
  const chosen = chosenBy(fields);
  return (value) => pick(value, chosen);
}

/** Applies `chooser` to every record of an answer; members beside the records stay. */
export function chooseOfEach(data: unknown, fields: readonly string[]): unknown {
  const tree = chosenBy(fields);
  const rows = recordsIn(data);
  if (!rows) return pick(data, tree);
  const chosen = rows.map((row) => pick(row, tree));
  return Array.isArray(data) ? chosen : { ...(data as Json), [recordsMember]: chosen };
}

/** Members of a value, or of each entry of a list; `any` where every name is allowed. */
function membersOf(schema: Schema): ReadonlyMap<string, Schema> | "any" {
  const def = schema._zod.def as {
    type: string;
    innerType?: Schema;
    element?: Schema;
    out?: Schema;
    getter?: () => Schema;
    options?: readonly Schema[];
    shape?: Record<string, Schema>;
  };
  const inner = def.innerType ?? def.element ?? def.out ?? def.getter?.();
  if (inner) return membersOf(inner);
  if (def.options) {
    const all = def.options.map(membersOf);
    if (all.includes("any")) return "any";
    return new Map(all.flatMap((one) => [...(one as ReadonlyMap<string, Schema>)]));
  }
  if (def.shape) return new Map(Object.entries(def.shape));
  return ["record", "any", "unknown", "custom"].includes(def.type) ? "any" : new Map();
}

/** Schema of the records that `recordsIn` finds in the operation's data. */
function recordOf({ data }: Pick<Operation, "data">): Schema {
  const { shape } = data._zod.def as { shape?: Record<string, Schema> };
  const results = shape?.[recordsMember];
  const type = results && (results._zod.def as { type: string }).type;
  return results && type === "array" ? results : data;
}

function isKnown(schema: Schema, [name = "", ...rest]: readonly string[]): boolean {
  const members = membersOf(schema);
  if (members === "any") return true;
  const member = members.get(name);
  return member !== undefined && (rest.length === 0 || isKnown(member, rest));
}

/** Depth to which names similar to an unknown one are searched. */
const nearDepth = 3;

function* namesOf(schema: Schema, prefix: string, depth: number): Generator<string> {
  const members = membersOf(schema);
  if (members === "any" || depth === 0) return;
  for (const [name, member] of members) {
    yield prefix + name;
    yield* namesOf(member, `${prefix}${name}.`, depth - 1);
  }
}

/** Levenshtein distance. */
export function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      const [above, beside, across] = [row[j], next[j - 1], row[j - 1]] as [number, number, number];
      next.push(Math.min(above + 1, beside + 1, across + same));
    }
    row = next;
  }
  return row.at(-1) as number;
}

/** Only names of similar length are compared: a typing error changes few letters. */
const mostApart = 4;
/** Longer names are not compared, so that a caller cannot choose how much time this takes. */
const longestCompared = 40;

/** The accepted name closest to the requested one; a match of its last part alone ranks slightly lower. */
function nearest(names: Iterable<string>, requested: string): string | undefined {
  if (requested.length > longestCompared) return undefined;
  let found: { name: string; far: number } | undefined;
  const look = (name: string, part: string, more: number) => {
    if (Math.abs(part.length - requested.length) > mostApart) return;
    const far = distance(requested, part) + more;
    if (!found || far < found.far) found = { name, far };
  };
  for (const name of names) {
    look(name, name, 0);
    look(name, name.slice(name.lastIndexOf(".") + 1), 0.5);
  }
  return found?.name;
}

/** Faults of a field selection for an operation's records, one line each. */
export function faultsOfFields(op: Pick<Operation, "data">, fields: readonly string[]): string[] {
  if (fields.length > mostFields) return [`at most ${mostFields} may be named`];
  const record = recordOf(op);
  let isFirst = true;
  return fields.flatMap((field) => {
    if (field === "" || field.length > longestField) {
      return [`each must be the name of a member, of 1 to ${longestField} characters`];
    }
    if (isKnown(record, field.split("."))) return [];
    // Suggested for the first fault only: searching all names for every fault would be costly.
    const near = isFirst ? nearest(namesOf(record, "", nearDepth), field) : undefined;
    isFirst = false;
    return [`${field} is no member of a record${near ? `; the nearest is ${near}` : ""}`];
  });
}

import { createHmac } from "node:crypto";
import type { RawMapped } from "../../worker/stored-answers.ts";
import { recordsIn } from "../../contract/records.ts";

/** The result of a mapping as paths, types and keyed hashes: enough to compare two versions, and no value. */

export interface MappedFields {
  records: number;
  /**
   * Path -> a mark for each record: the type's letter and a hash, or "" where the record lacks the field. Values
   * inside a nested list make one mark.
   */
  fields: Record<string, string[]>;
  hasMore: boolean | undefined;
  /** Rows that were left out, by the field that they lacked. */
  dropped: Record<string, number>;
}

export interface MappedError {
  error: string;
  /** The place in the upstream's answer that did not fit. */
  field: string | undefined;
}

export type Outline = MappedFields | MappedError;

const letters: Readonly<Record<string, string>> = {
  string: "s",
  number: "n",
  boolean: "b",
  null: "0",
  list: "l",
  object: "o",
};

export const typeWords: Readonly<Record<string, string>> = {
  s: "text",
  n: "number",
  b: "boolean",
  "0": "null",
  l: "list",
  o: "object",
  m: "several types",
};

const hashLength = 10;

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}

/** Every path of one record with the values there. Objects and lists count by what is in them, or as empty. */
function valuesOf(record: unknown): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  const add = (path: string, value: unknown) =>
    found.set(path, [...(found.get(path) ?? []), value]);
  function walk(here: unknown, path: string): void {
    if (Array.isArray(here)) {
      if (here.length === 0) add(path, here);
      for (const inner of here) walk(inner, `${path}[]`);
    } else if (typeof here === "object" && here !== null) {
      const members = Object.entries(here);
      if (members.length === 0) add(path, here);
      for (const [name, inner] of members) walk(inner, path === "" ? name : `${path}.${name}`);
    } else add(path, here);
  }
  walk(record, "");
  return found;
}

function markOf(values: readonly unknown[], key: string): string {
  const types = new Set(values.map((value) => letters[typeOf(value)] ?? "s"));
  const [letter = "0"] = types.size > 1 ? ["m"] : types;
  const text = JSON.stringify(values);
  return letter + createHmac("sha256", key).update(text).digest("base64url").slice(0, hashLength);
}

/** `key` makes the hashes useless to those who do not have it. */
export function outlineOf({ outcome, data, dropped, misfit }: RawMapped, key: string): Outline {
  if (!outcome.ok) return { error: outcome.type, field: misfit };
  const rows = recordsIn(data);
  const records = rows ?? [data];
  const start = rows === undefined ? "" : rows === data ? "[]" : "results[]";
  const fields: Record<string, string[]> = {};
  for (const [index, record] of records.entries()) {
    for (const [path, values] of valuesOf(record)) {
      const whole = start === "" ? path : path === "" ? start : `${start}.${path}`;
      const marks = (fields[whole] ??= records.map(() => ""));
      marks[index] = markOf(values, key);
    }
  }
  return {
    records: records.length,
    fields,
    hasMore: outcome.pagination?.has_more,
    dropped: Object.fromEntries(dropped.map(({ field, count }) => [field, count])),
  };
}

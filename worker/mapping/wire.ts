import { GatewayError } from "../../contract/errors.ts";
import { dropRow } from "./dropped.ts";
import { parseJson } from "./json.ts";

/**
 * Readers for an upstream's JSON. They assume nothing about unused values, treat a value of the wrong
 * kind as absent, and require only the identifier of a record.
 */

export type Wire = { readonly [key: string]: unknown };

/** An answer without a value that the mapping requires. `path` is for the operator, never for a caller. */
export class ShapeError extends GatewayError {
  readonly path: string;

  constructor(path: string) {
    super("response_shape_error", "The upstream answered in an unexpected shape", { cause: path });
    this.path = path;
  }
}

export function object(value: unknown): Wire | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Wire)
    : undefined;
}

export function array(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Follows keys and indexes; undefined as soon as one is missing. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    if (typeof step === "number") here = array(here)?.[step];
    else {
      const holder = object(here);
      here = holder && Object.hasOwn(holder, step) ? holder[step] : undefined;
    }
  }
  return here;
}

/** A text that is not empty. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A finite number, or its text form. One beyond 2^53, which arrives as digits, is rounded. */
export function number(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || !/^-?\d{1,30}(\.\d{1,30})?$/.test(value)) return undefined;
  return Number(value);
}

/** A whole number that is exact in JSON, or its text form; a zero fraction is allowed. */
export function integer(value: unknown): number | undefined {
  const parsed = number(value);
  return parsed !== undefined && Number.isSafeInteger(parsed) ? parsed : undefined;
}

/** A whole number of at least 0. */
export function count(value: unknown): number | undefined {
  const parsed = integer(value);
  return parsed !== undefined && parsed >= 0 ? parsed : undefined;
}

/** True or false, also as 1 or 0. */
export function boolean(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === 1 ? true : value === 0 ? false : undefined;
}

/** An identifier as text; numbers beyond 2^53 already arrive as digits. */
export function id(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  return text(value);
}

/** Parses JSON inside a JSON string; undefined where it is invalid. */
export function json(value: unknown): unknown {
  return typeof value === "string" ? parseJson(value) : undefined;
}

/** A required value of a record. */
export function need<T>(value: T | undefined, path: string): T {
  if (value === undefined) throw new ShapeError(path);
  return value;
}

/** The result of a single look-up; undefined means that it does not exist. */
export function found<T>(value: T | undefined, thing: string): T {
  if (value === undefined) throw new GatewayError("not_found", `There is no such ${thing}`);
  return value;
}

type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The record without its undefined members. */
export function defined<T extends object>(record: T): Defined<T> {
  // A wire's own names may be among the members, and an assignment to this one would set the prototype.
  if (Object.hasOwn(record, "__proto__")) return withoutUndefined(record) as Defined<T>;
  // A third of the time of `withoutUndefined`, and every record of every answer comes through here.
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    const value = (record as Record<string, unknown>)[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept as Defined<T>;
}

const withoutUndefined = (record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));

/** Every entry that `read` accepts; the others are left out. */
export function each<T>(value: unknown, read: (entry: unknown) => T | undefined): T[] {
  return (array(value) ?? []).map(read).filter((entry) => entry !== undefined);
}

/**
 * The rows of a list. `read` returns undefined for a row that is left out on purpose (an advert, a
 * deleted post) and throws ShapeError for one that does not fit. A bad row is dropped and counted, but a
 * list of bad rows only is a ShapeError.
 */
export function rows<T>(value: unknown, path: string, read: (row: Wire) => T | undefined): T[] {
  const list = need(array(value), path);
  const records: T[] = [];
  const bad: string[] = [];
  for (const entry of list) {
    try {
      const row = object(entry);
      if (!row) throw new ShapeError(`${path}[]`);
      const record = read(row);
      if (record !== undefined) records.push(record);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      bad.push(error.path);
    }
  }
  if (list.length > 0 && bad.length === list.length) throw new ShapeError(`${path}[]`);
  for (const field of bad) dropRow(field);
  return records;
}

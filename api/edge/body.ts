import { GatewayError, beginning, dotted, invalid, longestName } from "../../contract/errors.ts";
import { byteFaults } from "./text.ts";

/** Arrays and objects may be nested this deep. */
const depthLimit = 32;
/** Members of all arrays and objects together; the largest input of an operation holds a tenth of it. */
export const mostValues = 20_000;

/** Names of one object: more than twice as many as any input has. */
export const mostNames = 500;

const byteOrderMark = Buffer.from("\uFEFF");

/** Bytes of the longest escape of a character. */
const escapeBytes = 6;

type Members = { [name: string]: unknown };

/**
 * Parses a JSON body. Checks its depth, its number of values and the number and length of its names first: four
 * megabytes of empty objects take seconds and gigabytes to build, and a long name is part of every path below it.
 * Later code need not fear a deep or crowded value.
 */
export function parseBody(sent: Buffer): unknown {
  // Editors of Windows begin a file with a byte order mark, which a parser may ignore (RFC 8259, 8.1).
  const bytes = sent.subarray(0, 3).equals(byteOrderMark) ? sent.subarray(3) : sent;
  if (bytes.length === 0) return undefined;
  const named = checkShape(bytes);
  const issues = byteFaults(bytes);
  if (issues.length > 0) {
    throw new GatewayError("validation_error", "The body is not valid UTF-8", { issues });
  }
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw invalid("body", "", "malformed_json", "The body is not valid JSON");
  }
  // The parser keeps the last of several members of one name. Counting them is cheaper than comparing names.
  if (membersOf(body) < named) throw duplicate(repeatedName(bytes));
  if (mayHold(bytes, neverAField)) {
    const path = pathOf(neverAField, body);
    if (path !== undefined) throw unknown(path);
  }
  return body;
}

/** No input has a field of this name, and validation drops it silently where a record takes any name. */
const neverAField = "__proto__";

/** False where no text of the body can be this name, not even with escapes. */
const mayHold = (bytes: Buffer, name: string): boolean =>
  bytes.includes(name) || bytes.includes("\\u");

/** The path of the first member of this name. */
function pathOf(
  name: string,
  value: unknown,
  path: readonly (string | number)[] = [],
): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Object.hasOwn(value, name)) return dotted([...path, name]);
  const isList = Array.isArray(value);
  for (const step in value) {
    const inner = [...path, isList ? Number(step) : step];
    const found = pathOf(name, (value as Members)[step], inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Scans bytes: no byte of a longer UTF-8 sequence equals one of these signs. Returns the number of names in all
 * objects of the body.
 */
function checkShape(bytes: Buffer): number {
  let depth = 0;
  let named = 0;
  let values = 0;
  let textStart = 0;
  let textEnd = 0;
  /** By depth: the start of the latest name of an object, or -1 in an array; the numbers of commas and names. */
  const names = [-1];
  const commas = [0];
  const counts = [0];
  for (let index = 0; index < bytes.length; index += 1) {
    switch (bytes[index]) {
      case 0x22: // "
        textStart = index + 1;
        textEnd = index = endOfText(bytes, textStart);
        break;
      case 0x3a: // :
        // Measure each name once, however many colons follow it.
        if (textEnd === 0) break;
        names[depth] = textStart;
        if (isLong(bytes, textStart, textEnd)) {
          throw longName(dotted(pathTo(bytes, names.slice(0, depth + 1), commas)));
        }
        textEnd = 0;
        named += 1;
        counts[depth] = (counts[depth] as number) + 1;
        if ((counts[depth] as number) > mostNames)
          throw manyNames(dotted(pathTo(bytes, names.slice(0, depth), commas)));
        break;
      case 0x2c: // ,
        values += 1;
        commas[depth] = (commas[depth] as number) + 1;
        if (values > mostValues) throw tooMany();
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        values += 1;
        names[depth] = -1;
        commas[depth] = 0;
        counts[depth] = 0;
        if (depth > depthLimit) throw tooDeep();
        if (values > mostValues) throw tooMany();
        break;
      case 0x5d: // ]
      case 0x7d: // }
        // More closing than opening brackets are not JSON; the parser refuses them.
        depth = Math.max(0, depth - 1);
    }
  }
  return named;
}

/** Members of a parsed value and of all objects in it. A list of an object's values would take eight times as long. */
function membersOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) for (const inner of value) members += membersOf(inner);
  else for (const name in value) members += 1 + membersOf((value as Members)[name]);
  return members;
}

/** The path of the first name that its object has already; `bytes` are valid JSON. */
function repeatedName(bytes: Buffer): string {
  let textStart = 0;
  /** By depth: the names of an object so far. */
  const seen: Set<string>[] = [];
  const path: (string | number)[] = [];
  for (let index = 0; index < bytes.length; index += 1) {
    const step = path.at(-1);
    switch (bytes[index]) {
      case 0x22: // "
        textStart = index + 1;
        index = endOfText(bytes, textStart);
        break;
      case 0x3a: {
        // :
        const name = JSON.parse(
          bytes.toString("utf8", textStart - 1, endOfText(bytes, textStart) + 1),
        ) as string;
        path[path.length - 1] = name;
        if (seen.at(-1)?.has(name)) return dotted(path);
        seen.at(-1)?.add(name);
        break;
      }
      case 0x2c: // ,
        if (typeof step === "number") path[path.length - 1] = step + 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        path.push(bytes[index] === 0x5b ? 0 : "");
        seen.push(new Set());
        break;
      case 0x5d: // ]
      case 0x7d: // }
        path.pop();
        seen.pop();
    }
  }
  return "";
}

/** Whether a name has too many characters; an escape counts as one. */
function isLong(bytes: Buffer, start: number, end: number): boolean {
  if (end - start <= longestName) return false;
  if (end - start > longestName * escapeBytes) return true;
  let characters = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte === 0x5c) at += bytes[at + 1] === 0x75 ? escapeBytes - 1 : 1;
    // Count first bytes only: the others of a longer UTF-8 sequence begin with the bits 10.
    if ((byte & 0xc0) !== 0x80) characters += 1;
  }
  return characters > longestName;
}

/** The path of the latest name: a step for each object and array around it. */
function pathTo(bytes: Buffer, names: readonly number[], commas: readonly number[]) {
  const steps = names.map((start, depth) => (start < 0 ? commas[depth] : nameAt(bytes, start)));
  return steps.slice(1) as (string | number)[];
}

/** The shown part of a name, with its escapes when they cannot be decoded. */
function nameAt(bytes: Buffer, start: number): string {
  const end = Math.min(endOfText(bytes, start), start + longestName * escapeBytes);
  const text = bytes.toString("utf8", start, end);
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return beginning(text);
  }
}

/** The index of the quotation mark that ends a text. */
function endOfText(bytes: Buffer, start: number): number {
  let index = start;
  while (index < bytes.length && bytes[index] !== 0x22) index += bytes[index] === 0x5c ? 2 : 1;
  return index;
}

const tooDeep = () =>
  invalid("body", "", "too_deep", `The body is nested deeper than ${depthLimit} levels`);
const longName = (path: string) =>
  invalid("body", path, "too_long", `A name in the body is longer than ${longestName} characters`);
const manyNames = (path: string) =>
  invalid("body", path, "too_many_names", `An object in the body has more than ${mostNames} names`);
const duplicate = (path: string) =>
  invalid("body", path, "duplicate", `${path}: is given more than once`);
const unknown = (path: string) => invalid("body", path, "unknown_field", `${path}: unknown field`);
const tooMany = () =>
  invalid("body", "", "too_many_values", `The body holds more than ${mostValues} values`);

import { isUtf8 } from "node:buffer";
import { type Issue, dotted, maxIssues } from "../../contract/errors.ts";

/**
 * Checks that input is valid text. Percent-encoded bytes, the bytes of a body and the escapes of JSON can each
 * hold invalid text; a careless decoder would turn it into another text.
 */

/** A query that also lists its parameters without valid UTF-8, and those with a % that escapes nothing. */
export interface Query extends URLSearchParams {
  notUtf8?: readonly string[];
  malformed?: readonly string[];
}

export function parseQuery(text: string): Query {
  const query: Query = new URLSearchParams(text);
  const pairs = text.split("&");
  const notUtf8 = namesOf(pairs, (pair) => !isEncodedUtf8(pair));
  if (notUtf8.length > 0) query.notUtf8 = notUtf8;
  const malformed = namesOf(pairs, (pair) => /%(?![0-9a-f]{2})/i.test(pair));
  if (malformed.length > 0) query.malformed = malformed;
  return query;
}

/** A query is decoded before its key is checked, and 16 KB hold 1,600 broken pairs: the first ones are named. */
function namesOf(pairs: readonly string[], isBroken: (pair: string) => boolean): string[] {
  const broken: string[] = [];
  for (const pair of pairs) {
    if (broken.length === maxIssues) break;
    if (isBroken(pair)) broken.push([...new URLSearchParams(pair).keys()][0] ?? "");
  }
  return [...new Set(broken)];
}

/** True when every run of %-escapes is UTF-8. */
function isEncodedUtf8(text: string): boolean {
  return (text.match(/(?:%[0-9a-f]{2})+/gi) ?? []).every((run) =>
    isUtf8(Buffer.from(run.replaceAll("%", ""), "hex")),
  );
}

const message = "is not valid UTF-8";
export const lonePercent = { code: "malformed", message: "has a % that escapes nothing" };

/** Issues of the path parameters that the router could not decode; of the whole path when no template fits. */
export function pathFaults(path: string, templates: Iterable<string>): Issue[] {
  const parts = path.split("/");
  for (const template of templates) {
    const templateParts = template.split("/");
    const name = (at: number) => /^\{(\w+)\}$/.exec(templateParts[at] as string)?.[1];
    if (templateParts.length !== parts.length) continue;
    if (templateParts.some((part, at) => name(at) === undefined && part !== parts[at])) continue;
    const faults = parts.flatMap((part, at): Issue[] => {
      const known = name(at);
      if (known === undefined || isDecodable(part)) return [];
      return isEncodedUtf8(part)
        ? [{ in: "path", path: known, ...lonePercent }]
        : [{ in: "path", path: known, code: "invalid_utf8", message }];
    });
    if (faults.length > 0) return faults;
  }
  return [{ in: "path", path: "", code: "malformed", message: "The path is not valid" }];
}

function isDecodable(part: string): boolean {
  try {
    return decodeURIComponent(part) !== undefined;
  } catch {
    return false;
  }
}

/** Issues of the fields of a JSON body that are not UTF-8. */
export function byteFaults(bytes: Buffer): Issue[] {
  if (isUtf8(bytes)) return [];
  // Parse as single bytes: the structure of JSON is ASCII. Hide escapes that would look like bytes.
  const text = bytes.toString("latin1").replace(/\\u00[89a-f]/gi, "\\u01a");
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const isBytes = (read: string) => isUtf8(Buffer.from(read.replace(/[^\0-\xff]/g, ""), "latin1"));
  const faults = textFaults(body, isBytes).map((path): Issue => {
    return { in: "body", path, code: "invalid_utf8", message };
  });
  return faults.length > 0 ? faults : [{ in: "body", path: "", code: "invalid_utf8", message }];
}

/** Paths of invalid texts, up to `most` of them: member names and values at any depth. */
export function textFaults(
  value: unknown,
  isText: (text: string) => boolean = (text) => text.isWellFormed(),
  most = maxIssues,
): string[] {
  const faults: string[] = [];
  if (!isWhole(value, isText)) noteFaults(value, isText, [], faults, most);
  return faults;
}

/** Nearly every body passes here; collecting paths costs more than this check. */
function isWhole(value: unknown, isText: (text: string) => boolean): boolean {
  if (typeof value === "string") return isText(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((inner) => isWhole(inner, isText));
  return Object.entries(value).every(([name, inner]) => isText(name) && isWhole(inner, isText));
}

/** Stops at `most` issues: a body can hold as many as it has values. */
function noteFaults(
  value: unknown,
  isText: (text: string) => boolean,
  path: readonly (string | number)[],
  faults: string[],
  most: number,
): void {
  if (typeof value === "string" && !isText(value)) faults.push(dotted(path));
  if (typeof value !== "object" || value === null) return;
  const isList = Array.isArray(value);
  for (const [name, inner] of Object.entries(value)) {
    if (faults.length >= most) return;
    const innerPath = [...path, isList ? Number(name) : name];
    if (isList || isText(name)) noteFaults(inner, isText, innerPath, faults, most);
    else faults.push(dotted(innerPath));
  }
}

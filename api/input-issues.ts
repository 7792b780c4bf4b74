import type * as z from "zod";
import { GatewayError, type Issue, beginning, dotted, maxIssues } from "../contract/errors.ts";
import { isIdentifier } from "../contract/fields.ts";
import { textFaults } from "./edge/text.ts";
import { bare } from "./query-values.ts";

/** Issues of an input, and the error that reports them. */

/** The part of the request that carries an input of this name. */
type Locate = (name: unknown) => Issue["in"];

/** `invalid_id` when only identifiers are at fault, else `validation_error`. */
export function refusal(input: z.ZodObject, issues: Issue[]): GatewayError {
  const onlyIdentifiers = issues.every(
    (issue) => issue.code === "invalid_format" && isIdentifierAt(input, issue.path),
  );
  if (!onlyIdentifiers) return invalidInput(issues);
  const { path, message } = issues[0] as Issue;
  const text = `${path} is not a valid identifier: it ${message}`;
  return new GatewayError("invalid_id", text, { issues });
}

export function invalidInput(issues: Issue[]): GatewayError {
  return new GatewayError("validation_error", summary(issues), { issues });
}

/** A message that names the first field at fault. */
function summary(issues: Issue[]): string {
  const first = issues[0] as Issue;
  const more = issues.length > 1 ? ` (and ${Math.min(issues.length, maxIssues) - 1} more)` : "";
  return `${first.path || first.in}: ${first.message}${more}`;
}

export function isNewAmong(known: readonly Issue[]): (issue: Issue) => boolean {
  const keys = new Set(known.map((issue) => `${issue.in} ${issue.path}`));
  return (issue) => !keys.has(`${issue.in} ${issue.path}`);
}

/** The issues of a body with far too many names, without looking at each of them. */
export function crowdOf(names: string[], known: object): Issue[] | undefined {
  if (names.length < Object.keys(known).length + maxIssues) return undefined;
  const issues: Issue[] = [];
  for (const name of names) {
    if (!Object.hasOwn(known, name)) issues.push(unknownField("body", name));
    if (issues.length === maxIssues) break;
  }
  return issues;
}

/** Issues of texts that are not valid Unicode, up to a limit. */
export function invalidTexts(
  input: Readonly<Record<string, unknown>>,
  locate: Locate,
  limit: number,
): Issue[] {
  const issues: Issue[] = [];
  for (const [name, value] of Object.entries(input)) {
    if (issues.length >= limit) break;
    const faults = textFaults({ [name]: value }, undefined, limit - issues.length);
    issues.push(...faults.map((path) => invalidText(locate(name), path)));
  }
  return issues;
}

/** Issues of texts with U+0000: inputs are stored and looked up, and Postgres cannot hold it in a text. */
export function nulTexts(
  input: Readonly<Record<string, unknown>>,
  locate: Locate,
  limit: number,
): Issue[] {
  return textFaults(input, (text) => !text.includes("\0"), limit).map((path) => ({
    in: locate(path.split(/[.[]/, 1)[0]),
    path,
    code: "invalid_text",
    message: "must not contain U+0000",
  }));
}

export function invalidText(where: Issue["in"], path: string): Issue {
  return { in: where, path, code: "invalid_text", message: "is not valid Unicode text" };
}

export function unknownField(where: Issue["in"], name: string): Issue {
  const kind = where === "query" ? "query parameter" : "field";
  return {
    in: where,
    path: beginning(name),
    code: "unknown_field",
    message: `unknown ${kind}`,
  };
}

/** Translates an issue of zod into issues of the contract; for a union, into those of the closest member. */
export function translate(issue: z.core.$ZodIssue, locate: Locate): Issue[] {
  const where = locate(issue.path[0]);
  const path = dotted(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, maxIssues).map((key) => ({
      ...unknownField(issue.path.length > 0 ? where : locate(key), key),
      path: dotted([...issue.path, key]),
    }));
  }
  const ofUnion = issue.code === "invalid_union" ? translateUnion(issue, locate) : undefined;
  if (ofUnion) return ofUnion;
  const missing =
    issue.code === "invalid_type" &&
    issue.input === undefined &&
    issue.message.endsWith(" undefined");
  if (missing) return [{ in: where, path, code: "required", message: "is required" }];
  const kind = kindExpected(issue);
  const message = kind ? `must be ${kind}` : inWords(issue);
  return [{ in: where, path, code: issue.code, message }];
}

const units: Record<string, readonly [one: string, more: string]> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
};

function bounded(origin: string, how: string, bound: number | bigint): string {
  const unit = units[origin]?.[Number(bound) === 1 ? 0 : 1];
  return unit ? `must have ${how} ${bound} ${unit}` : `must be ${how} ${bound}`;
}

const howMuch = (
  bound: { exact?: boolean; inclusive?: boolean },
  inclusive: string,
  exclusive: string,
) => (bound.exact ? "exactly" : bound.inclusive ? inclusive : exclusive);

/** The texts of zod in the form of all others; a message that the field itself declares stays. */
function inWords(issue: z.core.$ZodIssue): string {
  const { code, message } = issue;
  if (code === "too_small" && message.startsWith("Too small: "))
    return bounded(issue.origin, howMuch(issue, "at least", "more than"), issue.minimum);
  if (code === "too_big" && message.startsWith("Too big: "))
    return bounded(issue.origin, howMuch(issue, "at most", "less than"), issue.maximum);
  if (code === "invalid_value" && /^Invalid (?:option|input): /.test(message))
    return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
  return message.replace(/^Invalid (?:input|string): /, "");
}

/** The kinds that all members expect, or the issues of the member that fits best; undefined without either. */
function translateUnion(issue: z.core.$ZodIssueInvalidUnion, locate: Locate): Issue[] | undefined {
  const kinds = issue.errors.map(([first]) =>
    first?.path.length === 0 ? kindExpected(first) : undefined,
  );
  if (kinds.length > 0 && kinds.every((kind) => kind !== undefined)) {
    const message = `must be ${[...new Set(kinds)].join(" or ")}`;
    const where = locate(issue.path[0]);
    return [{ in: where, path: dotted(issue.path), code: "invalid_type", message }];
  }
  const closest = [...issue.errors].sort((a, b) => depthOf(b) - depthOf(a))[0];
  if (!closest || depthOf(closest) === 0) return undefined;
  const found: Issue[] = [];
  for (const inner of closest) {
    const path = [...issue.path, ...inner.path];
    found.push(...translate({ ...inner, path } as z.core.$ZodIssue, locate));
    if (found.length >= maxIssues) break;
  }
  return found;
}

const kindNames: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "an array",
};

/** The expected kind of value in words; undefined when the issue is about something else. */
function kindExpected(issue: Readonly<{ code: string; message?: string; expected?: unknown }>) {
  // A message that the field itself declares is more precise.
  if (issue.code !== "invalid_type" || !issue.message?.startsWith("Invalid input"))
    return undefined;
  return kindNames[String(issue.expected)];
}

function depthOf(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}

function isIdentifierAt(input: z.ZodObject, path: string): boolean {
  const [name = "", index] = path.split("[", 2);
  const field = input.shape[name];
  if (!field) return false;
  const schema = bare(field);
  if (index === undefined) return isIdentifier(schema);
  const { element } = schema._zod.def as { element?: z.core.$ZodType };
  return element !== undefined && isIdentifier(bare(element));
}

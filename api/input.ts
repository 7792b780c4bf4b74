import type * as z from "zod";
import { GatewayError, type Issue, beginning, dotted, maxIssues } from "../contract/errors.ts";
import { isIdentifier } from "../contract/fields.ts";
import { type Operation, pathParameters } from "../contract/operation.ts";
import { type Query, textFaults } from "./edge/text.ts";

/** The parts of an HTTP request that carry input, before validation. */
export interface RawInput {
  path: Readonly<Record<string, string>>;
  query: Query;
  /** Parsed JSON; undefined when there is no body. */
  body: unknown;
}

/**
 * Decodes a request into the operation's flat input. Throws `invalid_id` when only identifiers are
 * at fault, else `validation_error` with an issue for every fault.
 */
export function decodeInput<I extends z.ZodObject>(
  op: Pick<Operation<string, I>, "method" | "path" | "input"> &
    Partial<Pick<Operation, "cursorAliases">>,
  raw: RawInput,
): z.output<I> {
  const inPath = new Set(pathParameters(op.path));
  const locate = (name: unknown): Issue["in"] =>
    inPath.has(String(name)) ? "path" : op.method === "POST" ? "body" : "query";
  const issues: Issue[] = [];
  const input: Record<string, unknown> = {};
  const broken = raw.query.notUtf8 ?? [];
  for (const name of broken.slice(0, maxIssues)) issues.push(noText("query", beginning(name)));
  const inQuery = new Set(raw.query.keys()).difference(new Set(broken));

  if (op.method === "POST") {
    if (typeof raw.body !== "object" || raw.body === null || Array.isArray(raw.body)) {
      const message =
        raw.body === undefined ? "a JSON object is required" : "must be a JSON object";
      issues.push({ in: "body", path: "", code: "invalid_type", message });
    } else {
      const crowd = crowdOf(Object.keys(raw.body), op.input.shape);
      if (crowd) throw new GatewayError("validation_error", summary(crowd), { issues: crowd });
      Object.assign(input, raw.body);
      // Object.assign would set the prototype instead of copying a member of that name.
      if (Object.hasOwn(raw.body, "__proto__")) issues.push(unknown("body", "__proto__"));
    }
    for (const name of inQuery) issues.push(unknown("query", name));
  } else {
    if (raw.body !== undefined) {
      issues.push({ in: "body", path: "", code: "unexpected", message: "GET takes no body" });
    }
    for (const name of inQuery) {
      const usual = op.cursorAliases?.includes(name) ? "cursor" : name;
      const schema = Object.hasOwn(op.input.shape, usual) ? op.input.shape[usual] : undefined;
      if (!schema || inPath.has(name)) {
        issues.push(unknown("query", name));
        continue;
      }
      const values = raw.query.getAll(name);
      const kind = jsonKind(schema);
      if (kind === "array") input[name] = values.flatMap((value) => value.split(","));
      else if (values.length > 1) {
        issues.push({
          in: "query",
          path: name,
          code: "duplicate",
          message: "is given more than once",
        });
      } else input[name] = typed(kind, values[0] as string);
    }
  }
  for (const name of inPath) {
    if (op.method === "POST" && Object.hasOwn(input, name)) issues.push(unknown("body", name));
    input[name] = raw.path[name];
  }

  issues.push(...noTexts(input, locate, maxIssues - issues.length));

  const cursorName = foldAliases(op.cursorAliases ?? [], input, (name) =>
    issues.push({ in: locate(name), path: name, code: "duplicate", message: besideCursor }),
  );

  // A body that is not an object has no fields to check.
  const parsed = issues.some((issue) => issue.path === "" && issue.in === "body")
    ? undefined
    : op.input.safeParse(input);
  const isNew = isNewAmong(issues);
  for (const issue of parsed?.error?.issues ?? []) {
    if (issues.length >= maxIssues) break;
    const translated = translate(issue, locate);
    const found = translated.map((each) => underName(each, cursorName)).filter(isNew);
    // Report one fault per value, the first found; an object may have several.
    issues.push(...(isObjectAt(input, issue.path) ? found : found.filter(isNewAmong(issues))));
  }

  if (issues.length === 0 && parsed?.success) return parsed.data;
  const onlyIdentifiers = issues.every(
    (issue) => issue.code === "invalid_format" && isIdentifierAt(op.input, issue.path),
  );
  const first = issues[0] as Issue;
  if (onlyIdentifiers)
    throw new GatewayError(
      "invalid_id",
      `${first.path} is not a valid identifier: it ${first.message}`,
      { issues },
    );
  throw new GatewayError("validation_error", summary(issues), { issues });
}

const besideCursor = "is another name of cursor, which is given as well";

/** Renames an alias to `cursor` and returns the name that the caller used. */
function foldAliases(
  aliases: readonly string[],
  input: Record<string, unknown>,
  fault: (name: string) => void,
): string {
  let used = "cursor";
  for (const name of aliases) {
    if (!Object.hasOwn(input, name)) continue;
    const value = input[name];
    delete input[name];
    if (Object.hasOwn(input, "cursor")) fault(name);
    else {
      input.cursor = value;
      used = name;
    }
  }
  return used;
}

/** The name under which a request carries its cursor. */
export function cursorNameIn(
  op: Pick<Operation, "method" | "cursorAliases">,
  raw: RawInput,
): string {
  const has = (name: string) =>
    op.method === "POST" ? Object.hasOwn(raw.body as object, name) : raw.query.has(name);
  return op.cursorAliases.find(has) ?? "cursor";
}

function underName(issue: Issue, cursorName: string): Issue {
  return issue.path === "cursor" ? { ...issue, path: cursorName } : issue;
}

function isObjectAt(input: unknown, path: readonly PropertyKey[]): boolean {
  const value = path.reduce<unknown>(
    (held, step) => (held as Record<PropertyKey, unknown> | null | undefined)?.[step],
    input,
  );
  return typeof value === "object" && value !== null;
}

function isNewAmong(known: readonly Issue[]): (issue: Issue) => boolean {
  const places = new Set(known.map((issue) => `${issue.in} ${issue.path}`));
  return (issue) => !places.has(`${issue.in} ${issue.path}`);
}

/** The issues of a body with far too many names, without looking at each of them. */
export function crowdOf(names: string[], known: object): Issue[] | undefined {
  if (names.length < Object.keys(known).length + maxIssues) return undefined;
  const issues: Issue[] = [];
  for (const name of names) {
    if (!Object.hasOwn(known, name)) issues.push(unknown("body", name));
    if (issues.length === maxIssues) break;
  }
  return issues;
}

/** A message that names the first field at fault. */
function summary(issues: Issue[]): string {
  const first = issues[0] as Issue;
  const more = issues.length > 1 ? ` (and ${Math.min(issues.length, maxIssues) - 1} more)` : "";
  return `${first.path || first.in}: ${first.message}${more}`;
}

/** Issues of texts that are not valid Unicode, up to a limit. */
function noTexts(
  input: Readonly<Record<string, unknown>>,
  locate: (name: unknown) => Issue["in"],
  limit: number,
): Issue[] {
  const issues: Issue[] = [];
  for (const [name, value] of Object.entries(input)) {
    if (issues.length >= limit) break;
    const faults = textFaults({ [name]: value }, undefined, limit - issues.length);
    issues.push(...faults.map((path) => noText(locate(name), path)));
  }
  return issues;
}

function noText(where: Issue["in"], path: string): Issue {
  return { in: where, path, code: "invalid_text", message: "is not valid Unicode text" };
}

function unknown(where: Issue["in"], name: string): Issue {
  const kind = where === "query" ? "query parameter" : "field";
  return {
    in: where,
    path: beginning(name),
    code: "unknown_field",
    message: `unknown ${kind}`,
  };
}

/** Translates an issue of zod into issues of the contract; for a union, into those of the closest member. */
function translate(issue: z.core.$ZodIssue, locate: (name: unknown) => Issue["in"]): Issue[] {
  const where = locate(issue.path[0]);
  const path = dotted(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, maxIssues).map((key) => ({
      ...unknown(issue.path.length > 0 ? where : locate(key), key),
      path: dotted([...issue.path, key]),
    }));
  }
  if (issue.code === "invalid_union") {
    const kinds = issue.errors.map(([first]) =>
      first?.path.length === 0 ? kindExpected(first) : undefined,
    );
    if (kinds.length > 0 && kinds.every((kind) => kind !== undefined)) {
      const message = `must be ${[...new Set(kinds)].join(" or ")}`;
      return [{ in: where, path, code: "invalid_type", message }];
    }
    const closest = [...issue.errors].sort((a, b) => depthOf(b) - depthOf(a))[0];
    if (closest && depthOf(closest) > 0) {
      const found: Issue[] = [];
      for (const inner of closest) {
        const path = [...issue.path, ...inner.path];
        found.push(...translate({ ...inner, path } as z.core.$ZodIssue, locate));
        if (found.length >= maxIssues) break;
      }
      return found;
    }
  }
  const missing =
    issue.code === "invalid_type" &&
    issue.input === undefined &&
    issue.message.endsWith(" undefined");
  if (missing) return [{ in: where, path, code: "required", message: "is required" }];
  const kind = kindExpected(issue);
  const message = kind ? `must be ${kind}` : issue.message.replace(/^Invalid input: /, "");
  return [{ in: where, path, code: issue.code, message }];
}

const kindNames: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
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

type JsonKind = "string" | "integer" | "number" | "boolean" | "array";

/** The schema under `optional`, `default`, `nullable` and pipes. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod as { def: { innerType?: z.core.$ZodType; in?: z.core.$ZodType } };
  const inner = def.innerType ?? def.in;
  return inner ? bare(inner) : schema;
}

function jsonKind(schema: z.core.$ZodType): JsonKind {
  const { def } = bare(schema)._zod as { def: z.core.$ZodTypeDef & { format?: string } };
  switch (def.type) {
    case "number":
      return def.format === undefined ? "number" : "integer";
    case "int":
      return "integer";
    case "boolean":
      return "boolean";
    case "array":
      return "array";
    default:
      return "string";
  }
}

/** Exponents are allowed: many languages write numbers near zero that way. */
const decimal = /^-?\d{1,15}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/i;

/** Converts the text of a query parameter to its JSON value; a text that does not fit the kind stays text. */
function typed(kind: JsonKind, value: string): unknown {
  // Inexact whole numbers are converted too, so that validation refuses them as too large.
  if (kind === "integer" && /^-?\d{1,20}$/.test(value)) return Number(value);
  if (kind === "number" && decimal.test(value)) return Number(value);
  // A fraction is converted too, so that validation refuses it as a number that is not whole.
  if (kind === "integer" && /^-?\d{1,15}\.\d{0,15}[1-9]$/.test(value)) return Number(value);
  if (kind === "boolean" && (value === "true" || value === "false")) return value === "true";
  return value;
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

import type * as z from "zod";
import { type Issue, beginning, maxIssues } from "../contract/errors.ts";
import { type Operation, pathParameters } from "../contract/operation.ts";
import { type Query, lonePercent } from "./edge/text.ts";
import {
  crowdOf,
  invalidInput,
  invalidText,
  invalidTexts,
  isNewAmong,
  nulTexts,
  refusal,
  translate,
  unknownField,
} from "./input-issues.ts";
import { jsonKind, typedValue } from "./query-values.ts";

/** The parts of an HTTP request that carry input, before validation. */
export interface RawInput {
  path: Readonly<Record<string, string>>;
  query: Query;
  /** Parsed JSON; undefined when there is no body. */
  body: unknown;
}

type Decoded<I extends z.ZodObject> = Pick<Operation<string, I>, "method" | "path" | "input"> &
  Partial<Pick<Operation, "cursorAliases">>;

/**
 * Decodes a request into the operation's flat input. Throws `invalid_id` when only identifiers are
 * at fault, else `validation_error` with an issue for every fault.
 */
export function decodeInput<I extends z.ZodObject>(op: Decoded<I>, raw: RawInput): z.output<I> {
  return new InputDecoder(op, raw).decode();
}

class InputDecoder<I extends z.ZodObject> {
  readonly #op: Decoded<I>;
  readonly #raw: RawInput;
  readonly #inPath: ReadonlySet<string>;
  readonly #input: Record<string, unknown> = {};
  readonly #issues: Issue[] = [];

  constructor(op: Decoded<I>, raw: RawInput) {
    this.#op = op;
    this.#raw = raw;
    this.#inPath = new Set(pathParameters(op.path));
  }

  decode(): z.output<I> {
    const inQuery = this.#readableQuery();
    if (this.#op.method === "POST") this.#readBody(inQuery);
    else this.#readQuery(inQuery);
    this.#readPath();
    this.#issues.push(...invalidTexts(this.#input, this.#locate, maxIssues - this.#issues.length));
    return this.#validate(this.#foldAliases());
  }

  readonly #locate = (name: unknown): Issue["in"] =>
    this.#inPath.has(String(name)) ? "path" : this.#op.method === "POST" ? "body" : "query";

  /** The names of the query's parameters that are UTF-8. */
  #readableQuery(): ReadonlySet<string> {
    const { query } = this.#raw;
    const { notUtf8 = [], malformed = [] } = query;
    for (const name of notUtf8.slice(0, maxIssues))
      this.#issues.push(invalidText("query", beginning(name)));
    for (const name of malformed.slice(0, maxIssues))
      this.#issues.push({ in: "query", path: beginning(name), ...lonePercent });
    return new Set(query.keys()).difference(new Set([...notUtf8, ...malformed]));
  }

  #readBody(inQuery: ReadonlySet<string>): void {
    const { body } = this.#raw;
    if (typeof body !== "object" || body === null || Array.isArray(body)) {
      const message = body === undefined ? "a JSON object is required" : "must be a JSON object";
      this.#issues.push({ in: "body", path: "", code: "invalid_type", message });
    } else {
      const crowd = crowdOf(Object.keys(body), this.#op.input.shape);
      if (crowd) throw invalidInput(crowd);
      Object.assign(this.#input, body);
      // Object.assign would set the prototype instead of copying a member of that name.
      if (Object.hasOwn(body, "__proto__")) this.#issues.push(unknownField("body", "__proto__"));
    }
    for (const name of inQuery) this.#issues.push(unknownField("query", name));
  }

  #readQuery(inQuery: ReadonlySet<string>): void {
    const issues = this.#issues;
    if (this.#raw.body !== undefined) {
      issues.push({ in: "body", path: "", code: "unexpected", message: "GET takes no body" });
    }
    const { shape } = this.#op.input;
    for (const name of inQuery) {
      const canonical = this.#op.cursorAliases?.includes(name) ? "cursor" : name;
      const schema = Object.hasOwn(shape, canonical) ? shape[canonical] : undefined;
      if (!schema || this.#inPath.has(name)) issues.push(unknownField("query", name));
      else this.#readParameter(name, schema);
    }
  }

  #readParameter(name: string, schema: z.core.$ZodType): void {
    const values = this.#raw.query.getAll(name);
    const kind = jsonKind(schema);
    if (kind === "array") this.#input[name] = values.flatMap((value) => value.split(","));
    else if (values.length > 1) {
      const message = "is given more than once";
      this.#issues.push({ in: "query", path: name, code: "duplicate", message });
    } else this.#input[name] = typedValue(kind, values[0] as string);
  }

  #readPath(): void {
    const { method } = this.#op;
    for (const name of this.#inPath) {
      if (method === "POST" && Object.hasOwn(this.#input, name))
        this.#issues.push(unknownField("body", name));
      this.#input[name] = this.#raw.path[name];
    }
  }

  /** Renames an alias to `cursor` and returns the name that the caller used. */
  #foldAliases(): string {
    const input = this.#input;
    let used = "cursor";
    for (const name of this.#op.cursorAliases ?? []) {
      if (!Object.hasOwn(input, name)) continue;
      const value = input[name];
      delete input[name];
      if (Object.hasOwn(input, "cursor")) {
        const message = "is another name of cursor, which is given as well";
        this.#issues.push({ in: this.#locate(name), path: name, code: "duplicate", message });
      } else {
        input.cursor = value;
        used = name;
      }
    }
    return used;
  }

  #validate(cursorName: string): z.output<I> {
    const issues = this.#issues;
    // A body that is not an object has no fields to check.
    const parsed = issues.some((issue) => issue.path === "" && issue.in === "body")
      ? undefined
      : this.#op.input.safeParse(this.#input);
    const isNew = isNewAmong(issues);
    for (const issue of parsed?.error?.issues ?? []) {
      if (issues.length >= maxIssues) break;
      const translated = translate(issue, this.#locate);
      const found = translated.map((each) => underName(each, cursorName)).filter(isNew);
      // Report one fault per value, the first found; an object may have several.
      const isObject = isObjectAt(this.#input, issue.path);
      issues.push(...(isObject ? found : found.filter(isNewAmong(issues))));
    }
    const nulls = nulTexts(this.#input, this.#locate, Math.max(0, maxIssues - issues.length));
    issues.push(...nulls.filter(isNewAmong(issues)));
    if (issues.length === 0 && parsed?.success) return parsed.data;
    throw refusal(this.#op.input, issues);
  }
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

import { type BatchOptions, batchOptions } from "../../contract/batches.ts";
import { GatewayError, type Issue, beginning, invalid } from "../../contract/errors.ts";
import { parseBody } from "../edge/body.ts";
import { givenTwice } from "../fields.ts";
import { translate } from "../input-issues.ts";

/** Options of a batch: from the body beside the items, the query or a header. */

export type BodyKind = "json" | "ndjson";

/** The fields may come as a header, as with any call. */
export function withHeader(
  options: BatchOptions,
  fields: string | undefined,
  kind: BodyKind,
): BatchOptions {
  if (fields === undefined) return options;
  if (options.fields === undefined) return { ...options, fields };
  throw givenTwice(kind === "json" ? "body" : "query");
}

/** The members of a JSON body beside its items. */
export function readOptions(rest: Buffer): BatchOptions {
  const body = parseBody(rest);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    const message = body === undefined ? "a JSON object is required" : "must be a JSON object";
    throw invalid("body", "", "invalid_type", message);
  }
  const { items, ...options } = body as { items?: unknown };
  if (!Array.isArray(items) || items.length > 0) {
    throw items === undefined
      ? invalid("body", "items", "required", "items: is required")
      : invalid("body", "items", "invalid_type", "items: must be an array, given once");
  }
  return parseOptions(options, "body");
}

function parseOptions(options: object, where: "body" | "query"): BatchOptions {
  const parsed = batchOptions.safeParse(options);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap((issue) => translate(issue, () => where));
  const [first] = issues as [Issue];
  throw new GatewayError("validation_error", `${first.path}: ${first.message}`, { issues });
}

/** Parses the options of an NDJSON body; with JSON the query has none. */
export function optionsIn(query: URLSearchParams, kind: BodyKind): BatchOptions | undefined {
  const given: Record<string, unknown> = {};
  for (const [name, value] of query) {
    if (Object.hasOwn(given, name)) {
      const shown = beginning(name);
      throw invalid("query", shown, "duplicate", `${shown}: is given more than once`);
    }
    given[name] = name === "max_credits" && /^\d{1,16}$/.test(value) ? Number(value) : value;
  }
  if (kind === "ndjson") return parseOptions(given, "query");
  const [name] = Object.keys(given);
  if (name === undefined) return undefined;
  const shown = beginning(name);
  throw invalid("query", shown, "unknown_field", `${shown}: unknown query parameter`);
}

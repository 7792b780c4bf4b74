import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ErrorType, Issue } from "../../contract/errors.ts";
import { nearOperations } from "../../contract/search-operations.ts";
import { invalidInput } from "../input-issues.ts";
import { partOf } from "./cut.ts";
import type { Answer } from "./gateway.ts";

export const defaultCharacters = 12_000;

export interface ViewOptions {
  fields?: string[] | undefined;
  max_chars?: number | undefined;
  from?: number | undefined;
}

/** Renders an answer for a model: the part it requested, and the next step. */
export function answered(
  answer: Answer,
  job: string | undefined,
  { fields, max_chars: most = defaultCharacters, from = 0 }: ViewOptions,
): CallToolResult {
  const { status, body } = answer;
  if (body.error) return refused({ error: body.error, next: nextOf(body.error.type, answer) });
  if (status === 202) {
    const next = `Not ended yet: call job_status with job ${job} and wait_seconds`;
    return jsonResult({ job, state: body.data, next });
  }
  const { data, shown } = partOf(body.data, { from, most, fields });
  const { pagination, billing } = body;
  const isCut = shown.to < shown.of;
  return jsonResult({
    job,
    shown: isCut || from > 0 ? shown : undefined,
    data,
    pagination,
    billing,
    rest:
      isCut && job !== undefined
        ? `job_status with job ${job} and from ${shown.to}; it costs nothing, for 24 hours`
        : undefined,
  });
}

export const correctFields =
  "Correct the fields named in issues; describe_operation lists what each accepts";

export const correctArguments =
  "Correct the arguments named in issues; the tool's schema says what each accepts";

/** The next step after an answer with an error of this type. */
export function nextOf(type: ErrorType, { next, retryAfter }: Answer): string {
  if (next !== undefined) return next;
  const later = retryAfter === undefined ? "later" : `in ${retryAfter} s`;
  switch (type) {
    case "validation_error":
      return correctFields;
    case "invalid_id":
      return "Correct the identifier that the message names, or find it by a search operation first";
    case "insufficient_credits":
      return "Ask for fewer records (limit or max_credits; dry_run returns the price), or have the owner of the account add credits";
    case "unauthorized":
      return "The key is not valid: have the owner of the account give another";
    case "not_found":
      return "There is no such thing: check the identifier, or find it by a search operation first";
    case "response_shape_error":
      return "Nothing was charged, and a repetition fails in the same way: report the request_id to the operator";
    case "rate_limited":
    case "upstream_unavailable":
      // Without a time nothing passes by itself: a credential is missing, or an operation is switched off.
      if (type === "upstream_unavailable" && retryAfter === undefined)
        return "Ask the operator: a repetition does not help; nothing was charged";
      return `Call again ${later}, unchanged; nothing was charged`;
    default:
      return "Nothing was charged. Try once more; if it fails again, report the request_id to the operator";
  }
}

/** A refusal of the MCP server itself, before any request to the gateway. */
export interface Refusal {
  error: { type: ErrorType; message: string; issues?: Issue[] };
  next: string;
}

/** Refuses arguments of a tool, in the form in which the gateway refuses the input of an operation. */
export function wrongArguments(
  faults: readonly (Omit<Issue, "in"> & Partial<Issue>)[],
  next: string,
): Refusal {
  const found = invalidInput(faults.map((fault) => ({ in: "body", ...fault })));
  const { type, message, issues = [] } = found;
  return { error: { type, message, issues }, next };
}

export function unknownOperation(operation: string): Refusal {
  const near = nearOperations(operation);
  const message = `There is no operation ${operation.slice(0, 100)}`;
  const next =
    near.length > 0 ? `Perhaps ${near.join(", ")}; or find_operations` : "find_operations";
  return { error: { type: "not_found", message }, next };
}

/** The refusal with the id of the request to the MCP server, if it came over HTTP. */
export function withId({ error, next }: Refusal, requestId: string | undefined): Refusal {
  if (requestId === undefined) return { error, next };
  const { type, message, ...rest } = error;
  return { error: { type, message, request_id: requestId, ...rest } as Refusal["error"], next };
}

export const refused = (refusal: Refusal): CallToolResult => ({
  ...jsonResult(refusal),
  isError: true,
});

export const jsonResult = (value: object): CallToolResult => textResult(JSON.stringify(value));

export const textResult = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

import { type ErrorType, errorStatus } from "../../contract/errors.ts";
import { answerHeaders } from "./headers.ts";
import { type Json, headerRefs, jsonAnswer, ref } from "./json.ts";

/** Error types by status. */
const types: Record<string, ErrorType[]> = {
  "400": ["validation_error", "invalid_id"],
  "422": ["validation_error"],
};
for (const [type, status] of Object.entries(errorStatus)) {
  if (status !== 400) (types[status] ??= []).push(type as ErrorType);
}
types["504"] = ["upstream_unavailable"];

/** Names of the components. */
const names: Readonly<Record<string, string>> = {
  "400": "BadRequest",
  "401": "Unauthorized",
  "402": "InsufficientCredits",
  "404": "NotFound",
  "422": "Unprocessable",
  "429": "RateLimited",
  "500": "InternalError",
  "502": "UpstreamError",
  "503": "Unavailable",
  "504": "NotInTime",
};
const otherError = "OtherError";

const further: Readonly<Record<string, readonly string[]>> = {
  "401": ["WWW-Authenticate"],
  "402": ["Retry-After"],
  "429": ["Retry-After"],
  "503": ["Retry-After"],
  "504": ["Retry-After"],
};

/** References to the error responses of a path that needs a key. */
export function errorRefs(): Json {
  return {
    ...Object.fromEntries(
      Object.keys(types).map((status) => [status, ref("responses", names[status] as string)]),
    ),
    ...otherErrors(),
  };
}

/** For every status that is not listed: the same envelope. */
export const otherErrors = (): Json => ({ default: ref("responses", otherError) });

/** The error responses; `envelope` is the schema of every error. */
export function errorResponses(envelope: Json): Json {
  const response = (description: string, headers: readonly string[] = []): Json => ({
    description,
    headers: headerRefs([...answerHeaders, ...headers]),
    content: jsonAnswer("", envelope).content,
  });
  return {
    ...Object.fromEntries(
      Object.entries(types).map(([status, all]) => [
        names[status],
        response(all.join(" or "), further[status]),
      ]),
    ),
    [otherError]: response("Another status, with the same envelope", ["Retry-After", "Allow"]),
  };
}

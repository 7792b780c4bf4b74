import { type ErrorType, errorStatus } from "../../contract/errors.ts";
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

const withRetryAfter = new Set(["402", "429", "503", "504"]);

/** References to the error responses of a path that needs a key. */
export function errorRefs(): Json {
  return Object.fromEntries(Object.keys(types).map((status) => [status, ref("responses", status)]));
}

/** The error responses; `envelope` is the schema of every error. */
export function errorResponses(envelope: Json): Json {
  return Object.fromEntries(
    Object.entries(types).map(([status, names]) => {
      const headers = ["Svc-Version", "Svc-Request-Id", "Svc-Mode"];
      if (withRetryAfter.has(status)) headers.push("Retry-After");
      const { description, content } = jsonAnswer(names.join(" or "), envelope);
      return [status, { description, headers: headerRefs(headers), content }];
    }),
  );
}

import { GatewayError, invalid } from "../../contract/errors.ts";
import { isOutage, unavailable } from "../stores.ts";
import { pathFaults } from "./text.ts";

/** Maps anything thrown to one of the ten error types; a bug shows no detail. */
export function asGatewayError(
  error: Error & { code?: string; statusCode?: number },
  mediaTypes: readonly string[] = ["application/json"],
): GatewayError {
  if (error instanceof GatewayError) return error;
  // A store that does not answer is no bug, wherever its error was left to come here.
  if (isOutage(error)) return unavailable(undefined, error);
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return invalid("body", "", "too_large", "The body is too large", { status: 413 });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_CTP_INVALID_TYPE": {
      const message = `Content-Type: must be ${mediaTypes.join(" or ")}`;
      return invalid("header", "Content-Type", "unsupported", message, { status: 415 });
    }
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return invalid(
        "header",
        "Content-Length",
        "mismatch",
        "Content-Length: does not fit the body",
      );
    case "FST_ERR_MAX_PARAM_LENGTH":
    case "FST_ERR_PARAM_TOO_LONG":
      return invalid("path", "", "too_long", "The path is too long", { status: 414 });
  }
  if (error.statusCode === 414) {
    return invalid("path", "", "too_long", "The path is too long", { status: 414 });
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return invalid("body", "", "malformed", "The request could not be read");
  }
  return new GatewayError("internal_error", "Internal error", { cause: error });
}

/** Refuses a path that the router could not decode; `templates` are all known paths. */
export function badPath(path: string, templates: Iterable<string>): GatewayError {
  const issues = pathFaults(path, templates);
  const [first] = issues;
  const message = first?.path ? `${first.path}: ${first.message}` : "The path is not valid";
  return new GatewayError("validation_error", message, { issues });
}

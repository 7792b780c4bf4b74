/** The closed list of error types, with the default HTTP status of each. */
export const errorStatus = {
  validation_error: 400,
  invalid_id: 400,
  insufficient_credits: 402,
  unauthorized: 401,
  not_found: 404,
  rate_limited: 429,
  internal_error: 500,
  response_shape_error: 502,
  upstream_error: 502,
  upstream_unavailable: 503,
} as const;

export type ErrorType = keyof typeof errorStatus;

export const errorTypes = Object.keys(errorStatus) as ErrorType[];

/** One fault of the caller's request. `path` is the caller's own field in dotted form with indexes (`filters.and[0].op`). */
export interface Issue {
  in: "body" | "query" | "path" | "header";
  path: string;
  code: string;
  message: string;
}

/** Names of members in a body may have this many characters; an issue shows no more of any name. */
export const longestName = 200;
const longestPath = 500;

/** The beginning of a caller's text as Unicode: a copy, as a slice would keep the whole text in memory. */
export function beginning(text: string, most = longestName): string {
  return text.length <= most ? text.toWellFormed() : Buffer.from(text.slice(0, most)).toString();
}

/** A path inside a request in dotted form with indexes. */
export function dotted(path: readonly PropertyKey[]): string {
  let text = "";
  for (const step of path) {
    if (text.length >= longestPath) break;
    if (typeof step === "number") text += `[${step}]`;
    // A long name is cut before it is joined: each of 20,000 paths would hold it once more.
    else text += `${text === "" ? "" : "."}${beginning(String(step))}`;
  }
  return beginning(text, longestPath);
}

/** At most this many issues are reported. */
export const maxIssues = 50;

/** Recovery metadata of an error: credits, as whole numbers. */
export interface ErrorBilling {
  balance_remaining: number;
  credits_required?: number;
  credits_charged?: number;
  records_charged?: number;
  truncated_due_to_balance?: boolean;
}

interface ErrorOptions {
  /** HTTP status, where it differs from the type's own. */
  status?: number | undefined;
  issues?: Issue[] | undefined;
  /** Seconds until a retry makes sense. */
  retryAfter?: number | undefined;
  billing?: ErrorBilling | undefined;
  /** For the operator's log only, never shown to a caller. */
  cause?: unknown;
}

/** A known failure: its type is a field, and its message may be shown to the caller. */
export class GatewayError extends Error {
  readonly type: ErrorType;
  readonly status: number;
  readonly issues: Issue[] | undefined;
  readonly retryAfter: number | undefined;
  readonly billing: ErrorBilling | undefined;

  constructor(type: ErrorType, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "GatewayError";
    this.type = type;
    this.status = options.status ?? errorStatus[type];
    this.issues = options.issues?.slice(0, maxIssues);
    this.retryAfter = options.retryAfter;
    this.billing = options.billing;
  }
}

const behindName = (path: string, message: string): string =>
  path !== "" && message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;

/** A validation_error about one field of the request. A message that begins with the field's name lacks it in the issue, whose path it is. */
export function invalid(
  where: Issue["in"],
  path: string,
  code: string,
  message: string,
  options: { status?: number } = {},
): GatewayError {
  return new GatewayError("validation_error", message, {
    ...options,
    issues: [{ in: where, path, code, message: behindName(path, message) }],
  });
}

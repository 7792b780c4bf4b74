import type { ErrorEnvelope, Issue } from "./generated/types.gen.ts";

/** The closed list of error types, as in `error.type` of every error answer. */
export type ErrorType = ErrorEnvelope["error"]["type"];

/** What an error says of the caller's credits. */
export type ErrorBilling = NonNullable<ErrorEnvelope["error"]["billing"]>;

/** The gateway answered with an error. Nothing was charged unless `billing` says so. */
export class GatewayError<Type extends ErrorType = ErrorType> extends Error {
  override readonly name = "GatewayError";
  readonly type: Type;
  /** HTTP status. */
  readonly status: number;
  /** The id to name when asking the operator about this call. */
  readonly requestId: string | undefined;
  /** Which fields were wrong, and how; on `validation_error`. */
  readonly issues: readonly Issue[];
  readonly billing: ErrorBilling | undefined;
  /** Seconds until a retry makes sense, where the gateway told. */
  readonly retryAfter: number | undefined;

  constructor(
    error: ErrorEnvelope["error"],
    { status, retryAfter }: { status: number; retryAfter: number | undefined },
  ) {
    super(error.message);
    this.type = error.type as Type;
    this.status = status;
    this.requestId = error.request_id;
    this.issues = error.issues ?? [];
    this.billing = error.billing;
    this.retryAfter = retryAfter;
  }
}

/** No answer of the gateway arrived: refused, cut, or something else spoke in its place. `cause` has the reason. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/** The call's own time was over, its retries included. `cause` is the last failure before it, if any. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/** Whether an error is the gateway's, of this type: `if (isGatewayError(error, "rate_limited")) …`. */
export function isGatewayError<Type extends ErrorType = ErrorType>(
  error: unknown,
  type?: Type,
): error is GatewayError<Type> {
  return error instanceof GatewayError && (type === undefined || error.type === type);
}

import type { ErrorEnvelope, Issue } from "./generated/types.gen.ts";

/** The closed list of error types, as in `error.type` of every error answer. */
export type ErrorType = ErrorEnvelope["error"]["type"];

/** The credits that an error reports. */
export type ErrorBilling = NonNullable<ErrorEnvelope["error"]["billing"]>;

/** The gateway answered with an error. Nothing was charged unless `billing` says so. */
export class GatewayError<Type extends ErrorType = ErrorType> extends Error {
  override readonly name = "GatewayError";
  readonly type: Type;
  /** HTTP status. */
  readonly status: number;
  /** The id to give to the operator with a question about this call. */
  readonly requestId: string | undefined;
  /** The invalid fields and their errors; on `validation_error`. */
  readonly issues: readonly Issue[];
  readonly billing: ErrorBilling | undefined;
  /** Seconds until a retry makes sense, where the gateway sent Retry-After. */
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

/** No answer of the gateway arrived: the connection was refused or broke, or another server answered. `cause` has the reason. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/** The call exceeded its timeout, which includes its retries. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/** Whether an error comes from the gateway and has this type: `if (isGatewayError(error, "rate_limited")) …`. */
export function isGatewayError<Type extends ErrorType = ErrorType>(
  error: unknown,
  type?: Type,
): error is GatewayError<Type> {
  return error instanceof GatewayError && (type === undefined || error.type === type);
}

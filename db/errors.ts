/** What a caller of this layer may have to tell apart; everything else is a bug. */
export type DatabaseErrorCode =
  /** The database cannot be reached, is too slow or refuses work: the call may be tried again. */
  | "unavailable"
  | "account_exists"
  | "account_unknown"
  /** The account has two valid keys in this mode. */
  | "key_limit"
  | "key_unknown"
  /** A correction would take the balance below zero or below what is held. */
  | "balance_too_low";

export class DatabaseError extends Error {
  readonly code: DatabaseErrorCode;

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DatabaseError";
    this.code = code;
  }
}

const connectionCodes = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
]);

// Server shutting down, starting up, out of connections, or its own time limits.
const serverCodes = new Set([
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "57014",
  "55P03",
  "40P01",
  "40001",
]);

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // drizzle wraps what the driver threw; node wraps the attempts at several addresses.
  if (code === "" && error instanceof AggregateError) return codeOf(error.errors[0]);
  return code === "" ? codeOf(error.cause) : code;
}

/** Turns an outage into `unavailable`; leaves every other error as it is. */
export function translated(error: unknown): unknown {
  if (error instanceof DatabaseError) return error;
  const code = codeOf(error);
  if (connectionCodes.has(code) || serverCodes.has(code) || code.startsWith("08"))
    return new DatabaseError("unavailable", `The database did not answer (${code}).`, {
      cause: error,
    });
  return error;
}

/** True for SQLSTATE 23514, with the name of the constraint. */
export function breaksCheck(error: unknown): boolean {
  return codeOf(error) === "23514";
}

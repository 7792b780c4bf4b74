import { passingReason } from "./sqlstates.ts";

/** Errors that a caller of this layer may have to distinguish; every other error is a bug. */
export type DatabaseErrorCode =
  /** The database cannot be reached, is too slow or refuses work: the call may be retried. */
  | "unavailable"
  | "account_exists"
  | "account_unknown"
  /** The account has two valid keys in this mode. */
  | "key_limit"
  | "key_unknown"
  /** The account has as many webhook endpoints in this mode as it may have. */
  | "endpoint_limit"
  /** The address is one of the account's webhook endpoints already. */
  | "endpoint_exists"
  /** The Idempotency-Key of a write belongs to another request. */
  | "key_reused"
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

export const noAnswer = (limitMs: number): DatabaseError =>
  new DatabaseError("unavailable", `The database did not answer in ${limitMs} ms.`);

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

/** SQLSTATE, or the driver's or the system's code; empty when there is none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // drizzle wraps the driver's error; node wraps the attempts at several addresses.
  if (code === "" && error instanceof AggregateError) return codeOf(error.errors[0]);
  return code === "" ? codeOf(error.cause) : code;
}

/** Turns an outage into `unavailable`; leaves every other error as it is. */
export function translated(error: unknown): unknown {
  if (error instanceof DatabaseError) return error;
  const code = codeOf(error);
  const reason = passingReason(code);
  if (reason === undefined && !connectionCodes.has(code)) return error;
  const message =
    reason === undefined
      ? `The database did not answer (${code}).`
      : `The database cannot work at the moment (${code}: ${reason}).`;
  return new DatabaseError("unavailable", message, { cause: error });
}

/** True if an immediate retry would fail as well: the server answers, but cannot work. */
export function isLasting(error: unknown): boolean {
  const code = error instanceof DatabaseError ? codeOf(error.cause) : "";
  return passingReason(code) !== undefined && !/^(08|26|40|57P0[1-3])/.test(code);
}

/** True if the statement waited too long for a lock (SQLSTATE 55P03). */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof DatabaseError && codeOf(error.cause) === "55P03";

/** True if the statement violated a check constraint (SQLSTATE 23514). */
export function breaksCheck(error: unknown): boolean {
  return codeOf(error) === "23514";
}

import { monotonicNow } from "../runtime/monotonic.ts";
import { answerLimitMs } from "./client.ts";
import { retryUntil } from "../runtime/retry.ts";
import { DatabaseError, isLasting } from "./errors.ts";

export const isUnavailable = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && error.code === "unavailable";

const mostAttempts = 8;

/**
 * Retries a statement at once when its connection was lost, for up to half of the limit (milliseconds).
 * An error of a server that refuses work is thrown: only callers know whether they can wait.
 * Only for idempotent statements: after a lost connection nobody knows whether the statement took effect.
 */
export function retried<T>(
  statement: () => Promise<T>,
  limitMs: number = answerLimitMs,
): Promise<T> {
  const until = monotonicNow() + limitMs / 2;
  return retryUntil(statement, {
    pauseMs: 0,
    isOver: (error, attempt) =>
      !isUnavailable(error) ||
      isLasting(error) ||
      attempt === mostAttempts ||
      monotonicNow() > until,
  });
}

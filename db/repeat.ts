import { steadyNow } from "../contract/steady.ts";
import { answerLimitMs } from "./client.ts";
import { DatabaseError, isLasting } from "./errors.ts";

export const isUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "unavailable";

const mostAttempts = 8;

/**
 * Retries a statement at once when its connection was lost, for up to half of the limit (milliseconds).
 * An error of a server that refuses work is thrown: only callers know whether they can wait.
 * Only for idempotent statements: after a lost connection nobody knows whether the statement took effect.
 */
export async function repeated<T>(
  statement: () => Promise<T>,
  limitMs: number = answerLimitMs,
): Promise<T> {
  const started = steadyNow();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await statement();
    } catch (error) {
      const isOver = attempt === mostAttempts || steadyNow() - started > limitMs / 2;
      if (!isUnavailable(error) || isLasting(error) || isOver) throw error;
    }
  }
}

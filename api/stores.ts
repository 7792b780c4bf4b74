import { GatewayError } from "../contract/errors.ts";
import { monotonicNow } from "../runtime/monotonic.ts";
import { DatabaseError } from "../db/errors.ts";
import { type RetryPolicy, limitTime, retryUntil } from "../runtime/retry.ts";

/** The error while Postgres or Redis is away. */
export function unavailable(
  message = "The service is not available right now",
  cause?: unknown,
): GatewayError {
  return new GatewayError("upstream_unavailable", message, { retryAfter: 2, cause });
}

const pauseMs = 100;

/** Ends with what is no outage, and after that time (unix milliseconds) with 503. */
const outagesUntil = (until: number): RetryPolicy => ({
  pauseMs,
  isOver(error) {
    if (!isOutage(error)) return true;
    if (monotonicNow() + pauseMs >= until) throw unavailable(undefined, error);
    return false;
  },
});
const noRetries = outagesUntil(0);

/**
 * Retry of a step against Postgres or Redis; an outage becomes a 503. With `until` (Unix milliseconds) a repeatable
 * step is retried for up to `patienceMs`, two seconds by default, never past that time; with `limitMs` a step
 * that takes longer is given up.
 */
export function retryStore<T>(
  step: () => Promise<T>,
  {
    until,
    patienceMs = 2000,
    limitMs,
  }: { until?: number; patienceMs?: number; limitMs?: number } = {},
): Promise<T> {
  return retryUntil(
    // A step may send several commands with a time limit each.
    limitMs === undefined ? step : () => limitTime(step(), limitMs, unavailable),
    until === undefined ? noRetries : outagesUntil(Math.min(until, monotonicNow() + patienceMs)),
  );
}

/** The caller waits at most this long for work on which the answer does not depend, in milliseconds. */
const bestEffortMs = 300;

/** Waits briefly for best-effort work, which goes on by itself afterwards; undefined without a result by then. */
export async function bestEffort<T>(
  work: Promise<T>,
  limitMs = bestEffortMs,
): Promise<T | undefined> {
  return limitTime(work, limitMs, unavailable).catch(() => undefined);
}

const outageWords =
  /^(OOM|LOADING|BUSY|READONLY|MISCONF|MASTERDOWN|TRYAGAIN|CLUSTERDOWN|NOREPLICAS|MOVED|ASK)\b/;

/**
 * Redis's client has no class for outages, and a full or loading Redis reports one as an ordinary reply error.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === "unavailable";
  if (!(error instanceof Error) || error instanceof GatewayError) return false;
  if (error.name === "ReplyError") return outageWords.test(error.message);
  return (
    error.name === "MaxRetriesPerRequestError" ||
    error.name === "AbortError" ||
    ("code" in error && /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/.test(String(error.code))) ||
    /Command timed out|Connection is closed|Stream isn't writeable/.test(error.message)
  );
}

import { isPassingStatus } from "./retry.ts";
import type { Reply, Verdict } from "./upstream.ts";

/** Verdicts that most upstreams share. */

/** The upstream is at fault, or the operator must act; `judge` adds retries and causes. */
export const unavailable = {
  ok: false,
  type: "upstream_unavailable",
  message: "The upstream is not available",
  unavailable: true,
} as const satisfies Verdict;

/** The requested record does not exist. */
export const missing = {
  ok: false,
  type: "not_found",
  message: "The upstream knows no such thing",
} as const satisfies Verdict;

/** The upstream refused the call, and only the gateway can be at fault. */
export const refused = {
  ok: false,
  type: "upstream_error",
  message: "The upstream refused the call",
} as const satisfies Verdict;

/** A good status whose body is not what the upstream answers with. */
export const shapeless = {
  ok: false,
  type: "response_shape_error",
  message: "The upstream answered in an unexpected shape",
} as const satisfies Verdict;

/** The upstream's rate limit is reached; `seconds` is the wait that it stated, if any. */
export function busy(seconds: number | undefined): Verdict {
  const verdict = { ...unavailable, message: "The upstream is busy", retry: true };
  if (seconds === undefined || seconds < 0) return verdict;
  const retryAfter = Math.ceil(seconds);
  return { ...verdict, retryAfter, pauseMs: retryAfter * 1000 };
}

/** The verdict on a plain JSON interface without credentials: the HTTP status says it all. */
export function judgeByStatus({ status, body }: Reply): Verdict {
  if (status === 404 || status === 410) return missing;
  if (status === 429) return busy(undefined);
  // Statuses above 504 are mostly those of a proxy in front of the source, which could not reach it.
  if (isPassingStatus(status) || status >= 500) return { ...unavailable, retry: true };
  // Without credentials a refusal concerns the gateway's address or user agent.
  if (status === 401 || status === 403) return { ...unavailable, operator: "access refused" };
  if (status === 402) return { ...unavailable, operator: "out of funds" };
  if (status > 200 && status < 300) return shapeless;
  if (status !== 200) return refused;
  if (typeof body === "object" && body !== null) return { ok: true };
  return { ...shapeless, message: "The upstream answered no JSON" };
}

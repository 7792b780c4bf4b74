import type { Verdict } from "./upstream.ts";

/** What replies of most upstreams come to. */

/** The upstream is unwell, or only its operator can help; retries and causes are added by whoever judges. */
export const unavailable = {
  ok: false,
  type: "upstream_unavailable",
  message: "The upstream is not available",
  unavailable: true,
} as const satisfies Verdict;

/** There is no such thing. */
export const missing = {
  ok: false,
  type: "not_found",
  message: "The upstream knows no such thing",
} as const satisfies Verdict;

/** The upstream did not take the call, and nobody but us can be at fault. */
export const refused = {
  ok: false,
  type: "upstream_error",
  message: "The upstream refused the call",
} as const satisfies Verdict;

/** Too much at once; the upstream may have told how many seconds to wait. */
export function busy(seconds: number | undefined): Verdict {
  const told = { ...unavailable, message: "The upstream is busy", retry: true };
  if (seconds === undefined || seconds < 0) return told;
  const retryAfter = Math.ceil(seconds);
  return { ...told, retryAfter, pauseMs: retryAfter * 1000 };
}

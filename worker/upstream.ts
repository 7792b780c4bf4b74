import type { ErrorType } from "../contract/errors.ts";

/** One request to an upstream, relative to its base URL. */
export interface UpstreamRequest {
  method: "GET" | "POST";
  /** Starts with "/". Parts taken from a caller are already percent-encoded. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Reply {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Parsed JSON; integers beyond 2^53 arrive as strings of digits. */
  body: unknown;
}

/** What an upstream's reply means. */
export type Verdict =
  | { ok: true }
  | {
      ok: false;
      type: ErrorType;
      /** Fit for the caller; never the upstream's own text. */
      message: string;
      /** The same request may succeed when sent again. */
      retry?: boolean;
      /** Beyond the usual two. */
      retries?: number;
      /** Least pause before the next try, in milliseconds. */
      pauseMs?: number;
      /** Seconds, told to the caller. */
      retryAfter?: number;
      /** Counts against the breaker: the upstream is unwell, not the request. */
      unavailable?: boolean;
      /** Only the operator can cure it (credential, funds, quota): logged as an alert and counted. */
      operator?: string;
      /** The caller's own field at fault (validation_error only). */
      field?: string;
    };

/** Facts about one provider. */
export interface Upstream {
  name: string;
  /** Environment variable that overrides the usual base URL. */
  baseUrl: { env: string; usual: string };
  /** Environment variables that must be set; each has a `_FILE` twin for secrets in files. */
  credentials: readonly string[];
  /** Headers that carry the credential. */
  authorize?(
    secrets: Record<string, string>,
  ): Record<string, string> | Promise<Record<string, string>>;
  /** Limits of the operator's account at this upstream, held across all workers. */
  limits?: { perSecond?: number; burst?: number; simultaneous?: number };
  /** Says what a reply means; called for every status, and with `body` undefined when it is not JSON. */
  judge(reply: Reply): Verdict;
}

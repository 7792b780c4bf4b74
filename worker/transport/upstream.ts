import type { ErrorType } from "../../contract/errors.ts";

/** One request to an upstream, relative to its base URL. */
export interface UpstreamRequest {
  method: "GET" | "POST";
  /** Starts with "/". Parts taken from a caller are already percent-encoded. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as a form, in place of `body` (token requests). */
  form?: Record<string, string>;
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
      /** Retries allowed in all, where they are not the usual two. */
      retries?: number;
      /** Least pause before the next try, in milliseconds. */
      pauseMs?: number;
      /** Seconds, told to the caller. */
      retryAfter?: number;
      /** The token of `Tokens` was refused: it is dropped, and the request is sent once more with a new one. */
      reauthorize?: boolean;
      /** Counts against the breaker: the upstream is unwell, not the request. */
      unavailable?: boolean;
      /** Only the operator can cure it (credential, funds, quota): logged as an alert and counted. */
      operator?: string;
      /** The caller's own field at fault (validation_error only). */
      field?: string;
    };

/** A token that an upstream hands out for its credential. */
export interface Token {
  value: string;
  /** Seconds it is good for; absent when it does not expire. */
  expiresIn?: number;
}

/** Tokens of one upstream and credential, kept in this process until they expire or are refused. */
export interface Tokens {
  /** `fetch` runs once for all calls that wait for the token; `send` is the transport itself. */
  get(
    fetch: (
      send: (upstream: Upstream, request: UpstreamRequest) => Promise<Reply>,
    ) => Promise<Token>,
  ): Promise<string>;
}

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
    tokens: Tokens,
  ): Record<string, string> | Promise<Record<string, string>>;
  /** Query parameters that carry a credential, each with its environment variable. */
  credentialQuery?: Readonly<Record<string, string>>;
  /**
   * Its slowest answers begin within this many milliseconds: a request that was taken and is not answered
   * by then is lost, and sent again where the deadline leaves as long once more. Only where asking twice
   * costs nothing; for others the deadline is the bound.
   */
  silenceMs?: number;
  /** Limits of the operator's account at this upstream, held across all workers. */
  limits?: { perSecond?: number; burst?: number; simultaneous?: number };
  /** What an answer cost in dollars, good or not, where the upstream says it. */
  cost?(reply: Reply): number;
  /** Says what a reply means; called for every status, and with `body` undefined when it is not JSON. */
  judge(reply: Reply): Verdict;
}

import type { ErrorType } from "../../contract/errors.ts";

/** One request to an upstream, relative to its base URL. */
export interface UpstreamRequest {
  method: "GET" | "POST";
  /** Starts with "/". A caller's parts are already percent-encoded. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  /** Query parameters that occur once for each value. */
  repeated?: Record<string, readonly string[]>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as a form, in place of `body` (token requests). */
  form?: Record<string, string>;
  headers?: Record<string, string>;
  /** The answer is a text: `body` of its reply is a string. */
  isText?: boolean;
}

export interface Reply {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Parsed JSON; integers beyond 2^53 arrive as strings of digits. */
  body: unknown;
}

/** Meaning of an upstream's reply. */
export type Verdict =
  | { ok: true }
  | {
      ok: false;
      type: ErrorType;
      /** For the caller; never the upstream's own text. */
      message: string;
      /** A retry of the same request may succeed. */
      retry?: boolean;
      /** Most retries, where not the default of two. */
      retries?: number;
      /** Least pause before a retry, in milliseconds. */
      pauseMs?: number;
      /** `Retry-After` for the caller, in seconds. */
      retryAfter?: number;
      /** The token was refused: it is dropped, and the request is sent once more with a new one. */
      reauthorize?: boolean;
      /** The upstream is at fault, not the request: counts in the circuit breaker. */
      unavailable?: boolean;
      /** Only the operator can fix it (credential, funds, quota): logged as an alert and counted. */
      operator?: string;
      /** The caller's field at fault (validation_error only). */
      field?: string;
    };

/** A token that an upstream issues for its credential. */
export interface Token {
  value: string;
  /** Seconds until it expires; absent when it does not. */
  expiresIn?: number;
}

/** Tokens of one upstream and credential, kept in this process until they expire or are refused. */
export interface Tokens {
  /** `fetch` runs once for all waiting calls (single flight); `send` is the transport itself. */
  get(
    fetch: (
      send: (upstream: Upstream, request: UpstreamRequest) => Promise<Reply>,
    ) => Promise<Token>,
  ): Promise<string>;
}

/** Facts about one provider. */
export interface Upstream {
  name: string;
  /** Environment variable that overrides the default base URL. */
  baseUrl: { env: string; default: string };
  /** Required environment variables; `<NAME>_FILE` names a file with the secret instead. */
  credentials: readonly string[];
  /** Headers that carry the credential. */
  authorize?(
    secrets: Record<string, string>,
    tokens: Tokens,
  ): Record<string, string> | Promise<Record<string, string>>;
  /**
   * A credential that the source does not require. Where it is set, `authorize` and `credentialQuery` get it,
   * and `limits` replace those of callers without it.
   */
  optional?: { credential: string; limits?: NonNullable<Upstream["limits"]> };
  /** Query parameters that carry a credential, each with its environment variable. */
  credentialQuery?: Readonly<Record<string, string>>;
  /**
   * Even its slowest answers begin within this many milliseconds. A request without an answer by then counts
   * as lost and is retried, if the deadline leaves the same time again. Set only where a repeated request
   * costs nothing; for other upstreams the deadline is the bound.
   */
  silenceMs?: number;
  /** Rate and concurrency limits of the operator's account at this upstream, kept across all workers. */
  limits?: {
    perSecond?: number;
    burst?: number;
    simultaneous?: number;
    /** Requests of any 24 hours. A server of the operator's own, which their base URL names, has no such limit. */
    perDay?: number;
  };
  /** As how many requests the source counts this one, where not every request counts as one. */
  units?(request: Pick<UpstreamRequest, "path" | "query">): number;
  /**
   * Set where the source's rules ask for the operator's contact (`CONTACT`), which then stands in the user
   * agent and in the query parameter `query`. Without a contact a source that requires one is not called.
   */
  contact?: {
    required?: boolean;
    query?: string;
    /** Limits for callers without a contact, where the source's rules name others. */
    without?: NonNullable<Upstream["limits"]>;
  };
  /**
   * Set where the caller chooses the server. Its limits and its circuit breaker are its own, and an address
   * that cannot be called is the caller's fault, in the input's field `field`.
   */
  server?: { host: string; field: string };
  /** Cost of an answer in dollars, good or not, where the upstream reports it. */
  cost?(reply: Reply): number;
  /** Classifies a reply; called for every status, and with `body` undefined when it is not JSON. */
  judge(reply: Reply): Verdict;
}

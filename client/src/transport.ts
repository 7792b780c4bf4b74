import { ConnectionError, DeadlineError, GatewayError } from "./errors.ts";
import type { ErrorEnvelope } from "./generated/types.gen.ts";

export interface GatewayOptions {
  /** `svc_live_…` or `svc_test_…`. */
  key: string;
  /** Where the gateway is, for instance `https://gateway.example`. A path is kept. */
  baseUrl: string;
  /** Milliseconds a call may take, its retries included. Usual: 180,000. */
  timeoutMs?: number;
  /** How often a call is sent again after a failure that passes. Usual: 4. */
  retries?: number;
  /** The version of the contract to pin, for instance `2026-07-01`. */
  version?: string;
  /** In place of the global `fetch`. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** Ends the call; its promise is rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds this call may take, its retries included. */
  timeoutMs?: number;
  retries?: number;
  /** Makes a POST safe to repeat, also by another process. Usual: a new one per call. */
  idempotencyKey?: string;
  /** With a test key: what the gateway is to play. */
  scenario?: string;
  /** Only these members of each record, `author.name` for a member's member. The price is the same. */
  fields?: readonly string[];
  /** The most credits the call may cost; a list is cut there. */
  maxCredits?: number;
  /** Further headers of this call. */
  headers?: Readonly<Record<string, string>>;
}

/** One HTTP request to the gateway; `path` starts with a slash and has its parameters filled in. */
export interface Outgoing {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  body?: BodyInit | undefined;
  contentType?: string;
  headers?: Readonly<Record<string, string>>;
}

const usualTimeoutMs = 180_000;
const usualRetries = 4;
/** Before the first retry of what names no time itself, in milliseconds; doubled for each further one. */
const firstPauseMs = 250;
const longestPauseMs = 8000;
/** What a repetition may cure: too many calls, an overloaded gateway, an upstream that is away. */
const passing = new Set([429, 503, 504]);

/** Sends requests: the key, the deadline and the retries of every call. */
export class Transport {
  readonly #options: GatewayOptions;
  readonly #base: string;

  constructor(options: GatewayOptions) {
    if (!options.key) throw new TypeError("key: is required");
    this.#base = new URL(options.baseUrl).href.replace(/\/+$/, "");
    this.#options = options;
  }

  /** The answer of a request that succeeded, as JSON. */
  async json<T>(request: Outgoing, options: CallOptions = {}): Promise<T> {
    return this.#repeated(request, options, async (response) => (await response.json()) as T);
  }

  /**
   * The answer itself, its body unread. Reading it has no deadline but `options.signal`, and is not
   * repeated; what comes before it is.
   */
  async open(request: Outgoing, options: CallOptions = {}): Promise<Response> {
    return this.#repeated(request, options, (response) => Promise.resolve(response), true);
  }

  async #repeated<T>(
    request: Outgoing,
    options: CallOptions,
    read: (response: Response) => Promise<T>,
    isStream = false,
  ): Promise<T> {
    const retries = options.retries ?? this.#options.retries ?? usualRetries;
    const endsAt =
      performance.now() + (options.timeoutMs ?? this.#options.timeoutMs ?? usualTimeoutMs);
    // One key for every attempt: the gateway carries the call out once.
    const headers = this.#headers(request, options);
    // A stream cannot be sent twice.
    const once = request.body instanceof ReadableStream;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(request, headers, endsAt, options.signal, read, isStream);
      } catch (error) {
        options.signal?.throwIfAborted();
        if (error instanceof DeadlineError || !isPassing(error)) throw error;
        if (attempt >= retries || once) throw error;
        const pause = pauseBefore(attempt, error);
        if (performance.now() + pause >= endsAt) throw error;
        await sleep(pause, options.signal);
      }
    }
  }

  async #attempt<T>(
    { method, path, body }: Outgoing,
    headers: Record<string, string>,
    endsAt: number,
    signal: AbortSignal | undefined,
    read: (response: Response) => Promise<T>,
    isStream: boolean,
  ): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new DeadlineError("The call took longer than its time")),
      Math.max(0, endsAt - performance.now()),
    );
    const send = this.#options.fetch ?? fetch;
    try {
      const response = await send(this.#base + path, {
        method,
        headers,
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        ...(body === undefined ? {} : { body }),
        // Asked for by browsers and Node alike where a body is a stream.
        ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
      } as RequestInit);
      if (!response.ok) throw await errorOf(response);
      if (isStream) clearTimeout(timer);
      return await read(response);
    } catch (error) {
      if (late.signal.aborted) throw late.signal.reason;
      if (error instanceof GatewayError || error instanceof ConnectionError) throw error;
      throw new ConnectionError("No answer of the gateway arrived", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  #headers(request: Outgoing, options: CallOptions): Record<string, string> {
    const { version, key } = this.#options;
    const isPost = request.method === "POST";
    return {
      accept: "application/json",
      authorization: `Bearer ${key}`,
      ...(request.body === undefined
        ? {}
        : { "content-type": request.contentType ?? "application/json" }),
      ...(version === undefined ? {} : { "svc-version": version }),
      ...(options.scenario === undefined ? {} : { "svc-test-scenario": options.scenario }),
      ...(options.fields === undefined ? {} : { "svc-fields": options.fields.join(",") }),
      ...(options.maxCredits === undefined
        ? {}
        : { "svc-max-credits": String(options.maxCredits) }),
      ...(isPost ? { "idempotency-key": options.idempotencyKey ?? newKey() } : {}),
      ...request.headers,
      ...options.headers,
    };
  }
}

/** An error answer in the gateway's envelope; anything else came from something between. */
async function errorOf(response: Response): Promise<Error> {
  const text = await response.text();
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  const { status } = response;
  try {
    const { error } = JSON.parse(text) as ErrorEnvelope;
    if (typeof error.type === "string") return new GatewayError(error, { status, retryAfter });
  } catch {
    // Told below.
  }
  return new ConnectionError(`Not the gateway's answer: status ${status}`, {
    cause: { status, retryAfter, text: text.slice(0, 500) },
  });
}

function isPassing(error: unknown): boolean {
  if (error instanceof GatewayError) return passing.has(error.status);
  if (!(error instanceof ConnectionError)) return false;
  // A proxy's own answer passes where its status says so; a connection that failed always may.
  const { status } = (error.cause ?? {}) as { status?: unknown };
  return typeof status !== "number" || status >= 500 || status === 429;
}

/** Milliseconds: what the gateway asked for, or a random part of a pause that doubles. */
function pauseBefore(attempt: number, error: unknown): number {
  const told =
    error instanceof GatewayError
      ? error.retryAfter
      : ((error as Error).cause as { retryAfter?: number } | undefined)?.retryAfter;
  const spread = Math.random();
  // Callers that were refused together should not come back together.
  if (told !== undefined) return told * 1000 + spread * firstPauseMs;
  return Math.min(firstPauseMs * 2 ** attempt, longestPauseMs) * (0.5 + spread / 2);
}

/** Pages without https have no `crypto.randomUUID`. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Rejects with the signal's reason when it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

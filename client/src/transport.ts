import { ConnectionError, DeadlineError, GatewayError } from "./errors.ts";
import type { ErrorEnvelope } from "./generated/types.gen.ts";
import type { Fetch, HttpAnswer, Signal } from "./platform.ts";

export interface GatewayOptions {
  /** `svc_live_…` or `svc_test_…`. */
  key: string;
  /** URL of the gateway, for instance `https://gateway.example`; it may have a path. */
  baseUrl: string;
  /** Milliseconds that a call may take, retries included. Default: 180,000. */
  timeoutMs?: number;
  /** Most retries of a call after temporary failures. Default: 4. */
  retries?: number;
  /** The version of the contract to pin, for instance `2026-07-01`. */
  version?: string;
  /** A replacement for the global `fetch`. */
  fetch?: Fetch;
}

export interface CallOptions {
  /** Ends the call; its promise is rejected with the signal's reason. */
  signal?: Signal;
  /** Milliseconds that this call may take, retries included. */
  timeoutMs?: number;
  retries?: number;
  /**
   * Makes a call safe to repeat, also by another process. Default: a new key per call, except for a GET with
   * `retries: 0`.
   */
  idempotencyKey?: string;
  /** With a test key: the scenario that the gateway simulates. */
  scenario?: string | undefined;
  /** Only these members of each record, `author.name` for a member's member. The price is the same. */
  fields?: readonly string[] | undefined;
  /** The most credits that the call may cost; a list is cut at this limit. */
  maxCredits?: number | undefined;
  /** Further headers of this call. */
  headers?: Readonly<Record<string, string>>;
}

/** One HTTP request to the gateway; `path` starts with a slash and has its parameters filled in. */
export interface Outgoing {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  contentType?: string;
  headers?: Readonly<Record<string, string>>;
}

const defaultTimeoutMs = 180_000;
const defaultRetries = 4;
/** Backoff before the first retry without Retry-After, in milliseconds; doubled for each further retry. */
const firstPauseMs = 250;
const longestPauseMs = 8000;
/** Statuses that a retry may cure after Retry-After: a rate limit, an overloaded gateway, an unavailable upstream. */
const retriableStatuses = new Set([429, 503, 504]);

/** Sends requests with the key, and applies the timeout and the retries of every call. */
export class Transport {
  readonly #options: GatewayOptions;
  readonly #base: string;

  constructor(options: GatewayOptions) {
    if (!options.key) throw new TypeError("key: is required");
    this.#base = new URL(options.baseUrl).href.replace(/\/+$/, "");
    this.#options = options;
  }

  /** Sends a request and returns the JSON of a successful answer. */
  async json<T>(request: Outgoing, options: CallOptions = {}): Promise<T> {
    return this.#withRetries(request, options, async (response) => (await response.json()) as T);
  }

  /**
   * Sends a request and returns the answer with its body unread. Reading the body has no timeout and no
   * retries; `options.signal` ends it.
   */
  async open(request: Outgoing, options: CallOptions = {}): Promise<HttpAnswer> {
    return this.#withRetries(request, options, (response) => Promise.resolve(response), true);
  }

  async #withRetries<T>(
    request: Outgoing,
    options: CallOptions,
    read: (response: HttpAnswer) => Promise<T>,
    isStream = false,
  ): Promise<T> {
    const retries = options.retries ?? this.#options.retries ?? defaultRetries;
    const endsAt =
      performance.now() + (options.timeoutMs ?? this.#options.timeoutMs ?? defaultTimeoutMs);
    // Every attempt has the same Idempotency-Key, so the gateway runs the call once.
    const headers = this.#headers(request, options);
    // A stream cannot be sent twice.
    const once = request.body instanceof ReadableStream;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(request, headers, endsAt, options.signal, read, isStream);
      } catch (error) {
        options.signal?.throwIfAborted();
        if (error instanceof DeadlineError || !isRetriable(error)) throw error;
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
    signal: Signal | undefined,
    read: (response: HttpAnswer) => Promise<T>,
    isStream: boolean,
  ): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new DeadlineError("The call took longer than its timeout")),
      Math.max(0, endsAt - performance.now()),
    );
    const send: Fetch = this.#options.fetch ?? fetch;
    try {
      const response = await send(this.#base + path, {
        method,
        headers,
        // Another address must not receive the input and the Idempotency-Key.
        redirect: "manual",
        signal: signal ? AbortSignal.any([signal as AbortSignal, late.signal]) : late.signal,
        ...(body === undefined ? {} : { body }),
        // Browsers and Node require this for a streamed body.
        ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
      } as never);
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
      ...(isPost || options.idempotencyKey !== undefined
        ? { "idempotency-key": options.idempotencyKey ?? newKey() }
        : {}),
      ...request.headers,
      ...options.headers,
    };
  }
}

/** The error of an answer: a GatewayError from the gateway's envelope, or else the answer of an intermediary. */
async function errorOf(response: HttpAnswer): Promise<Error> {
  const text = await response.text();
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  const { status } = response;
  // Pages in a browser see neither the status nor the target of a redirect.
  if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
    const target = response.headers.get("location") ?? "another address";
    return new ConnectionError(`The gateway's address redirects to ${target}: correct baseUrl`, {
      cause: { status, retryAfter: undefined, text: "" },
    });
  }
  try {
    const { error } = JSON.parse(text) as ErrorEnvelope;
    if (typeof error.type === "string") return new GatewayError(error, { status, retryAfter });
  } catch {
    // Not the gateway's envelope: reported below.
  }
  return new ConnectionError(`Not the gateway's answer: status ${status}`, {
    cause: { status, retryAfter, text: text.slice(0, 500) },
  });
}

function isRetriable(error: unknown): boolean {
  // Without Retry-After only the operator can help: a credential is missing, say.
  if (error instanceof GatewayError)
    return retriableStatuses.has(error.status) && error.retryAfter !== undefined;
  if (!(error instanceof ConnectionError)) return false;
  // Without a status the connection failed, which a retry may cure. A proxy's answer is judged by its status.
  const { status } = (error.cause ?? {}) as { status?: unknown };
  return typeof status !== "number" || status >= 500 || status === 429;
}

/** Milliseconds until the retry: Retry-After, or exponential backoff with jitter. */
function pauseBefore(attempt: number, error: unknown): number {
  const retryAfter =
    error instanceof GatewayError
      ? error.retryAfter
      : ((error as Error).cause as { retryAfter?: number } | undefined)?.retryAfter;
  const jitter = Math.random();
  // Callers that were refused together must not retry together.
  if (retryAfter !== undefined) return retryAfter * 1000 + jitter * firstPauseMs;
  return Math.min(firstPauseMs * 2 ** attempt, longestPauseMs) * (0.5 + jitter / 2);
}

/** The options of a call to an operation: with a key, so that its retries are charged once. */
export const keyed = (options: CallOptions = {}): CallOptions =>
  options.retries === 0
    ? options
    : { ...options, idempotencyKey: options.idempotencyKey ?? newKey() };

/** A random Idempotency-Key. Pages without https have no `crypto.randomUUID`. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Waits; rejects with the signal's reason when the signal aborts. */
export function sleep(ms: number, signal?: Signal): Promise<void> {
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

import type { ErrorType, Issue } from "../../contract/errors.ts";

/** An answer of the gateway, of any status; 503 where none came. */
export interface Answer {
  status: number;
  body: {
    request_id?: string;
    data?: unknown;
    error?: { type: ErrorType; message: string; request_id?: string; issues?: Issue[] };
    [name: string]: unknown;
  };
  /** In seconds. */
  retryAfter: number | undefined;
  /** The next step, where the gateway gave no answer. */
  next?: string;
}

interface Asked {
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/** Sends requests to one gateway with one key. */
export type Ask = (method: string, path: string, asked?: Asked) => Promise<Answer>;

/**
 * Uses HTTP even within the gateway's own process, so that a tool's call passes every check of an ordinary
 * call.
 */
export function askOver(baseUrl: string, authorization: string): Ask {
  const base = baseUrl.replace(/\/+$/, "");
  return async (method, path, { body, headers, signal } = {}) => {
    let response: Response;
    let text: string;
    try {
      response = await fetch(base + path, {
        method,
        headers: {
          authorization,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
        // Another address must not receive the inputs.
        redirect: "manual",
      });
      text = await response.text();
    } catch (error) {
      if (signal?.aborted) throw error;
      return noAnswer(`The gateway at ${base} did not answer: ${reasonOf(error as Error)}`, again);
    }
    const target = response.headers.get("location");
    if (response.status >= 300 && response.status < 400)
      return noAnswer(`The gateway's address redirects to ${target}`, correctUrl);
    const answer = objectIn(text);
    if (!answer) return noAnswer(`What answers at ${base} is not the gateway`, correctUrl);
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    return {
      status: response.status,
      body: answer,
      retryAfter: Number.isFinite(seconds) ? seconds : undefined,
    };
  };
}

const again =
  "See that the gateway runs at this address. The call may have run: with its idempotency_key a repetition is not charged again";
const correctUrl = "Correct the URL of the gateway";

const noAnswer = (message: string, next: string): Answer => ({
  status: 503,
  body: { error: { type: "upstream_unavailable", message } },
  retryAfter: undefined,
  next,
});

function objectIn(text: string): Answer["body"] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Answer["body"]) : undefined;
  } catch {
    return undefined;
  }
}

/** The message of the innermost cause: that of `fetch` itself says only that it failed. */
export function reasonOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? reasonOf(cause) : error.message;
}

import type { ErrorType, Issue } from "../../contract/errors.ts";

/** An answer of the gateway, of any status. */
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
    const response = await fetch(base + path, {
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
    const target = response.headers.get("location");
    if (response.status >= 300 && response.status < 400)
      throw new Error(`The gateway's address redirects to ${target}: correct its URL`);
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    return {
      status: response.status,
      body: (await response.json()) as Answer["body"],
      retryAfter: Number.isFinite(seconds) ? seconds : undefined,
    };
  };
}

import type { ErrorType, Issue } from "../../contract/errors.ts";

/** What a gateway answered, whatever its status. */
export interface Answer {
  status: number;
  body: {
    request_id?: string;
    data?: unknown;
    error?: { type: ErrorType; message: string; request_id?: string; issues?: Issue[] };
    [name: string]: unknown;
  };
  /** Seconds. */
  retryAfter: number | undefined;
}

interface Asked {
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/** One gateway asked with one key. */
export type Ask = (method: string, path: string, asked?: Asked) => Promise<Answer>;

/** Over HTTP, also from within the gateway's own process: so a tool's call takes the way of every other. */
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
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    return {
      status: response.status,
      body: (await response.json()) as Answer["body"],
      retryAfter: Number.isFinite(seconds) ? seconds : undefined,
    };
  };
}

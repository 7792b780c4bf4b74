import type { ErrorType, Issue } from "../../contract/errors.ts";
import { type Operation, pathParameters } from "../../contract/operation.ts";

/** What a gateway answered, whatever its status. */
export interface Answer {
  status: number;
  body: {
    request_id?: string;
    data?: unknown;
    error?: { type: ErrorType; message: string; issues?: Issue[] };
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

/** The HTTP request of an operation: each field where the operation has it. */
export function requestOf(
  op: Operation,
  input: Readonly<Record<string, unknown>>,
): { method: string; path: string; body?: unknown } {
  const inPath = new Set(pathParameters(op.path));
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(input[name] ?? "")),
  );
  const rest = Object.entries(input).filter(([name]) => !inPath.has(name));
  if (op.method === "POST") return { method: "POST", path, body: Object.fromEntries(rest) };
  const query = new URLSearchParams(rest.map(([name, value]) => [name, textOf(value)]));
  return { method: "GET", path: query.size > 0 ? `${path}?${query}` : path };
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(",");
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

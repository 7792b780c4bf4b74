import type { Dispatcher } from "undici";
import { acceptEncoding, BodyCut, readBody } from "./body.ts";

/** One request as it goes out. */
export interface Outgoing {
  origin: string;
  /** With query. */
  path: string;
  method: string;
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
}

/** One answer as it came in. */
export interface Incoming {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  /** The body ended too early; `bytes` is empty then. */
  cut: boolean;
}

export const bodyLimitBytes = 16 * 1024 * 1024;

/** Sends one request and reads its answer whole. Redirects are answers like any other. */
export async function exchange(
  dispatcher: Dispatcher,
  outgoing: Outgoing,
  signal: AbortSignal,
  limitBytes: number,
  /** Milliseconds within which the answer has to begin; 0 for as long as the signal lets it. */
  silenceMs = 0,
): Promise<Incoming> {
  const { statusCode, headers, body } = await dispatcher.request({
    origin: outgoing.origin,
    path: outgoing.path,
    method: outgoing.method as Dispatcher.HttpMethod,
    headers: { "accept-encoding": acceptEncoding, ...outgoing.headers },
    body: outgoing.body ?? null,
    signal,
    headersTimeout: silenceMs,
  });
  // A body that breaks after its reader has left must not end the process.
  body.on("error", () => {});
  const flat = flatten(headers);
  try {
    const bytes = await readBody(body, flat["content-encoding"], limitBytes);
    return { status: statusCode, headers: flat, bytes, cut: false };
  } catch (error) {
    if (!(error instanceof BodyCut) || signal.aborted) throw error;
    return { status: statusCode, headers: flat, bytes: Buffer.alloc(0), cut: true };
  }
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}

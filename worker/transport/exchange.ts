import type { Dispatcher } from "undici";
import { acceptEncoding, BodyCut, readBody } from "./body.ts";

/** An outgoing request. */
export interface Outgoing {
  origin: string;
  /** With query. */
  path: string;
  method: string;
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
}

/** An incoming answer. */
export interface Incoming {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  /** True when the body ended too early; `bytes` is empty then. */
  cut: boolean;
}

export const bodyLimitBytes = 16 * 1024 * 1024;

/** Sends one request and reads the whole answer. Redirects are not followed. */
export async function exchange(
  dispatcher: Dispatcher,
  outgoing: Outgoing,
  signal: AbortSignal,
  limitBytes: number,
  /** Milliseconds until the answer has to begin; 0 for no limit but the signal. */
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
  // Without a listener, a body that breaks after its reader stopped would end the process.
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

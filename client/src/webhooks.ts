import type { HeaderReader } from "./platform.ts";

/** A webhook was not sent by this gateway, was changed, or is too old or too new. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** Seconds that a webhook's timestamp may differ from the local clock, as Standard Webhooks recommend. */
const toleranceSeconds = 300;

/**
 * Verifies the signature of a webhook (Standard Webhooks 1.0, `v1`) and returns the parsed body.
 * `body` is the request's body as it arrived: a body that was parsed and serialized again fails.
 */
export async function verifyWebhook<Event = unknown>(
  body: string | Uint8Array<ArrayBuffer>,
  headers: HeaderReader | Readonly<Record<string, string | string[] | undefined>>,
  /** `whsec_…`, or several secrets during a rotation. */
  secret: string | readonly string[],
  /** The current time, in unix seconds. */
  now = Date.now() / 1000,
): Promise<Event> {
  const header = (name: string) => {
    const value = isReader(headers) ? headers.get(name) : headers[name];
    if (typeof value !== "string") throw new WebhookError(`${name}: is missing`);
    return value;
  };
  const id = header("webhook-id");
  const timestamp = header("webhook-timestamp");
  const signatures = header("webhook-signature").split(" ");
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookError("webhook-timestamp: is too far from this clock");
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  for (const one of typeof secret === "string" ? [secret] : secret) {
    const key = await crypto.subtle.importKey(
      "raw",
      fromBase64(one.replace(/^whsec_/, "")),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["verify"],
    );
    for (const signature of signatures) {
      const [version, text = ""] = signature.split(",");
      if (version !== "v1") continue;
      // `verify` compares in constant time.
      if (await crypto.subtle.verify("HMAC", key, fromBase64(text), signed)) {
        return JSON.parse(new TextDecoder().decode(bytes)) as Event;
      }
    }
  }
  throw new WebhookError("webhook-signature: does not match");
}

const isReader = (headers: object): headers is HeaderReader =>
  typeof (headers as Partial<HeaderReader>).get === "function";

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    throw new WebhookError("the secret or the signature is not base64");
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

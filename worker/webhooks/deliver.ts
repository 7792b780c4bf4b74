import { request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import type { WebhookAnswer, WebhookFault, WebhookJob } from "../../contract/webhook.ts";
import { EgressError } from "../egress/rules.ts";
import type { EgressPolicy, ResolvedAddress } from "../egress/rules.ts";
import { webhookAddresses } from "../egress/webhooks.ts";

/** As much of an answer's body is read, and no more. */
const bodyBytes = 1024;
/** A receiver that asks for a longer pause than this is asked again after it. */
const longestPauseSeconds = 24 * 3600;

type Told = Omit<WebhookAnswer, "delivery" | "attempt">;

/**
 * One attempt: the name is looked up, its addresses are judged, and exactly those are dialled. A connection
 * is used once, redirects are not followed, and every way it can end is an answer.
 */
export async function deliver(
  job: Pick<WebhookJob, "url" | "headers" | "body">,
  policy: EgressPolicy,
  /** From the look-up of the name to the end of the answer. */
  limitMs: number,
): Promise<Told> {
  const at = Date.now();
  const signal = AbortSignal.timeout(limitMs);
  const started = performance.now();
  const ended = (told: Omit<Told, "at" | "ms">): Told => ({
    at,
    ms: Math.round(performance.now() - started),
    ...told,
  });
  try {
    const url = new URL(job.url);
    const addresses = await before(signal, webhookAddresses(url, policy));
    const answer = await send(url, addresses, job, signal);
    const pause = retryAfter(answer.headers["retry-after"]);
    return ended({
      status: answer.statusCode as number,
      body: await beginning(answer),
      ...(pause === undefined ? {} : { retry_after: pause }),
    });
  } catch (error) {
    return ended({ fault: faultOf(error, signal) });
  }
}

async function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Resolves with the head of the answer. */
function send(
  url: URL,
  addresses: readonly ResolvedAddress[],
  { headers, body }: Pick<WebhookJob, "headers" | "body">,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const lookup: LookupFunction = (_name, options, found) => {
    if (options.all) found(null, [...addresses]);
    else found(null, addresses[0]?.address ?? "", addresses[0]?.family);
  };
  const bytes = Buffer.from(body);
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      agent: false,
      lookup,
      signal,
      maxHeaderSize: 16 * 1024,
      headers: {
        "content-type": "application/json",
        "content-length": bytes.length,
        "user-agent": "Public-Data-Gateway-Webhooks/1",
        connection: "close",
        ...headers,
      },
    });
    sent.once("response", resolve);
    sent.once("error", reject);
    // Answers 101 and 1xx are no answers.
    sent.once("upgrade", (_answer, socket) => {
      socket.destroy();
      reject(Object.assign(new Error("upgraded"), { code: "ECONNRESET" }));
    });
    sent.end(bytes);
  });
}

/** A body that breaks off or never ends does not change what the status said. */
async function beginning(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= bodyBytes) break;
    }
  } catch {
    // What came is what is known.
  }
  answer.destroy();
  return Buffer.concat(chunks).subarray(0, bodyBytes).toString("utf8");
}

/** Seconds; a date is rare here and is not read. */
function retryAfter(value: string | undefined): number | undefined {
  if (value === undefined || !/^\d{1,9}$/.test(value)) return undefined;
  return Math.min(Number(value), longestPauseSeconds);
}

function faultOf(error: unknown, signal: AbortSignal): WebhookFault {
  if (error instanceof EgressError) return error.fault;
  if (signal.aborted) return "timeout";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ECONNREFUSED" || code === "EHOSTUNREACH" || code === "ENETUNREACH")
    return "refused";
  if (code === "ETIMEDOUT") return "timeout";
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|UNABLE_|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO)/.test(code))
    return "tls";
  return "reset";
}

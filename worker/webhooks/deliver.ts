import { request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import type { Turn } from "../../runtime/account-turns.ts";
import type { WebhookFault } from "../../contract/webhook.ts";
import type { WebhookAnswer, WebhookJob } from "../../runtime/webhook-queue.ts";
import { EgressError } from "../../runtime/egress/rules.ts";
import type { EgressPolicy, ResolvedAddress } from "../../runtime/egress/rules.ts";
import { webhookAddresses } from "../../runtime/egress/webhooks.ts";

/** Most bytes of an answer's body that are read. */
const bodyBytes = 1024;
/** Upper bound of a receiver's `Retry-After`. */
const longestPauseSeconds = 24 * 3600;

type AttemptResult = Omit<WebhookAnswer, "delivery" | "attempt">;

/**
 * One delivery attempt. The SSRF filter checks all addresses of the name, and only checked addresses are
 * dialled. A connection is used once, redirects are not followed, and every ending is a result.
 */
export async function deliver(
  job: Pick<WebhookJob, "url" | "headers" | "body">,
  policy: EgressPolicy,
  /** Time limit of the name look-up and the answer together. */
  limitMs: number,
  /** A turn at the receiver ("address:port"): waiting for it takes nothing from the limit. Its error is passed on. */
  turnAt: (receiver: string) => Promise<Turn>,
  /** Aborts when a later attempt replaces this one. */
  late: AbortSignal,
): Promise<AttemptResult> {
  const at = Date.now();
  let signal = AbortSignal.timeout(limitMs);
  let started = performance.now();
  const ended = (result: Omit<AttemptResult, "at" | "ms">): AttemptResult => ({
    at,
    ms: Math.round(performance.now() - started),
    ...result,
  });
  const url = new URL(job.url);
  let addresses: ResolvedAddress[];
  try {
    addresses = await unlessAborted(signal, webhookAddresses(url, policy));
  } catch (error) {
    return ended({ fault: faultOf(error, signal) });
  }
  const lookUpMs = Math.round(performance.now() - started);
  const port = url.port || (url.protocol === "http:" ? "80" : "443");
  const turn = await turnAt(`${addresses[0]?.address}:${port}`);
  started = performance.now() - lookUpMs;
  try {
    signal = AbortSignal.any([late, AbortSignal.timeout(Math.max(1, limitMs - lookUpMs))]);
    const answer = await send(url, addresses, job, signal);
    const pause = retryAfter(answer.headers["retry-after"]);
    return ended({
      status: answer.statusCode as number,
      body: await beginning(answer),
      retry_after: pause,
    });
  } catch (error) {
    return ended({ fault: faultOf(error, signal) });
  } finally {
    turn.end();
  }
}

async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
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
    // A protocol upgrade (101) is no final answer.
    sent.once("upgrade", (_answer, socket) => {
      socket.destroy();
      reject(Object.assign(new Error("upgraded"), { code: "ECONNRESET" }));
    });
    sent.end(bytes);
  });
}

/** The status stays valid when the body breaks off or never ends. */
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
    // The received part is kept.
  }
  answer.destroy();
  return Buffer.concat(chunks).subarray(0, bodyBytes).toString("utf8");
}

/** Seconds of `Retry-After`. Its date form is rare here and is ignored. */
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

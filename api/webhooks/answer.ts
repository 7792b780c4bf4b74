import type { WebhookAnswer } from "../../runtime/webhook-queue.ts";
import type { WebhookResult } from "../../db/webhooks.ts";
import { pauseMs } from "./retry.ts";

/** The result of a delivery attempt, for scheduling the next one and for the log. */

/** Characters of an answer's body that the log keeps. */
const keptLength = 500;

/** Secrets that receivers echo, or reveal themselves. */
const confidential = [
  /\bsvc_(?:live|test)_\w+/g,
  /\bwhsec_[\w+/=-]+/g,
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
  /\bv1a?,[\w+/=]{40,}/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
];

/** The beginning of an answer's body for the log: without secrets and control characters. */
export function shownBody(body: string): string {
  const clean = confidential.reduce((text, secret) => text.replace(secret, "[redacted]"), body);
  return clean
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, keptLength)
    .toWellFormed();
}

/** With this status the receiver declares that the address never takes webhooks again. */
const goneStatus = 410;

export function resultOf(answer: WebhookAnswer, pauses?: readonly number[]): WebhookResult {
  const { delivery, attempt, at, ms, status, fault, body = "", retry_after } = answer;
  const delivered = status !== undefined && status >= 200 && status < 300;
  const text = shownBody(body);
  return {
    delivery,
    attempt,
    delivered,
    gone: status === goneStatus,
    pause_ms: pauseMs(attempt, { pauses, askedSeconds: retry_after }),
    told: {
      attempt,
      at: new Date(at).toISOString(),
      duration_ms: ms,
      status,
      fault,
      body: text === "" ? undefined : text,
    },
  };
}

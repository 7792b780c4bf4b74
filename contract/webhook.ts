import { queuePrefix } from "./job.ts";

/** Webhooks: what callers are told, and what crosses the queue on its way there. */

/** Kinds of events that an endpoint can be registered for. */
export const webhookEvents = {
  "job.ended": "An asynchronous call succeeded, failed or was cancelled",
  "batch.ended": "Every item of a batch has ended, or the batch was cancelled",
  "batch.item_failed": "One item of a batch failed",
  "balance.low": "The balance fell below the account's threshold",
  "budget.threshold": "A share of a budget was spent; once a period",
} as const;

export type WebhookEventType = keyof typeof webhookEvents;

/** An event of `POST /webhooks/{id}/test`. */
export const testEvent = "webhook.test";

/** Request header of a job: the address that is told when it ends. */
export const webhookHeader = "Svc-Webhook-Url";

/** BullMQ queue of attempts. */
export const webhookQueue = "webhooks";

/** One attempt, as a worker sees it. It carries no secret: what is sent is signed already. */
export interface WebhookJob {
  delivery: string;
  attempt: number;
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Unix time in milliseconds, by the clock of Redis, after which another attempt takes its place. */
  deadline: number;
}

/** How an attempt ended. */
export interface WebhookAnswer {
  delivery: string;
  attempt: number;
  /** Unix time in milliseconds. */
  at: number;
  ms: number;
  /** HTTP status; absent where there was no answer. */
  status?: number;
  /** Why there was none. */
  fault?: WebhookFault;
  /** Beginning of the answer's body. */
  body?: string;
  /** Seconds the receiver asks to wait. */
  retry_after?: number;
}

/** `blocked`: the name leads to an address that is not allowed. */
export const webhookFaults = [
  "blocked",
  "no_such_host",
  "lookup_failed",
  "refused",
  "reset",
  "tls",
  "timeout",
] as const;

export type WebhookFault = (typeof webhookFaults)[number];

/** Id of the API process that dispatches; it expires with it. */
export const webhookDispatcherKey = `${queuePrefix}:webhooks:dispatcher`;

/** Redis list of answers (JSON of `WebhookAnswer`) that have not been written down yet. */
export const webhookAnswersKey = `${queuePrefix}:webhooks:answers`;

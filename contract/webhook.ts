import { queuePrefix } from "./job.ts";

/** Webhooks: the events sent to callers, and the messages of deliveries that cross the queue. */

/** Kinds of events that an endpoint can be registered for. */
export const webhookEvents = {
  "job.ended": "An asynchronous call succeeded, failed or was cancelled",
  "batch.ended": "Every item of a batch has ended, or the batch was cancelled",
  "batch.item_failed": "One item of a batch failed",
  "balance.low": "The balance fell below the account's threshold",
  "budget.threshold": "A share of a budget was spent; sent once a period",
} as const;

export type WebhookEventType = keyof typeof webhookEvents;

/** An event of `POST /webhooks/{id}/test`. */
export const testEvent = "webhook.test";

/** Request header with the URL that is called when a job ends. */
export const webhookHeader = "Svc-Webhook-Url";

/** BullMQ queue of delivery attempts. */
export const webhookQueue = "webhooks";

/** One attempt, as a worker sees it: already signed, so that it carries no secret. */
export interface WebhookJob {
  delivery: string;
  attempt: number;
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Unix time in milliseconds, by the clock of Redis, after which the next attempt replaces it. */
  deadline: number;
}

/** How an attempt ended. */
export interface WebhookAnswer {
  delivery: string;
  attempt: number;
  /** Unix time in milliseconds. */
  at: number;
  ms: number;
  /** HTTP status; absent without an answer. */
  status?: number | undefined;
  /** Why there was no answer. */
  fault?: WebhookFault | undefined;
  /** Beginning of the answer's body. */
  body?: string | undefined;
  /** `Retry-After` of the receiver, in seconds. */
  retry_after?: number | undefined;
}

/** `blocked`: the SSRF filter refuses an address of the name. */
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

/** Lease: id of the API process that dispatches webhooks; it expires unless renewed. */
export const webhookDispatcherKey = `${queuePrefix}:webhooks:dispatcher`;

/** Redis list of answers (JSON of `WebhookAnswer`) that are not yet in the database. */
export const webhookAnswersKey = `${queuePrefix}:webhooks:answers`;

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

import type { WebhookFault } from "../contract/webhook.ts";
import { queuePrefix } from "./redis/keys.ts";

/** Attempts to deliver webhooks: what crosses the queue. */

/** BullMQ queue of delivery attempts. */
export const webhookQueue = "webhooks";

/** Deliveries of all endpoints in flight: the bound of the queue. A worker takes them all, and makes them in turns. */
export const webhooksInFlight = 500;

/** One attempt, as a worker sees it: already signed, so that it carries no secret. */
export interface WebhookJob {
  delivery: string;
  attempt: number;
  /** Accounts take turns by it. Absent in jobs of release 0.2.0. */
  account?: string | undefined;
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

/** Lease: id of the API process that dispatches webhooks; it expires unless renewed. */
export const webhookDispatcherKey = `${queuePrefix}:webhooks:dispatcher`;

/** Redis list of answers (JSON of `WebhookAnswer`) that are not yet in the database. */
export const webhookAnswersKey = `${queuePrefix}:webhooks:answers`;

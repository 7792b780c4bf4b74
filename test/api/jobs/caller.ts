import type { Redis } from "ioredis";
import { queueOf, queuePrefix } from "../../../runtime/redis/keys.ts";
import {
  type Answer,
  type Envelope,
  type ErrorEnvelope,
  type Gateway,
  until,
} from "../../gateway.ts";

/** A job as its caller sees it. */
export interface Job {
  request_id: string;
  operation: string;
  state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  created_at: string;
  started_at?: string;
  ended_at?: string;
  position?: number;
  estimated_wait_seconds?: number;
  status?: number;
  error?: { type: string; message: string };
  billing?: { credits_charged: number; balance_remaining: number };
}

export type JobAnswer = Envelope<Job> & ErrorEnvelope;

/** Social areas answer from samples; `slow` takes three seconds. */
export const search = "/shortclip/search?q=street%20food&limit=3";
export const serp = {
  path: "/seo/serp",
  body: { query: "coffee", location: "us", language: "en", limit: 2 },
};

/** No worker of these tests serves its pool. */
export const unserved = { path: "/browser/markdown", body: { url: "https://example.com/" } };

/** A caller in test mode without the rate limit of a new account. */
export const caller = (
  gateway: Gateway,
  { credits = 1000, inFlight }: { credits?: number; inFlight?: number } = {},
) => gateway.key({ mode: "test", credits, rate: 1000, ...(inFlight ? { inFlight } : {}) });

/** Number of queued `unserved` calls. */
export const queued = async (redis: Redis): Promise<number> =>
  (await redis.zcard(`${queue}:prioritized`)) + (await redis.llen(`${queue}:wait`));
const queue = `${queuePrefix}:${queueOf("browser")}`;

interface JobRequest {
  path?: string;
  body?: unknown;
  scenario?: string;
  idempotencyKey?: string;
  prefer?: string;
  url?: string;
}

export function ask(
  gateway: Gateway,
  key: string,
  { path = search, body, scenario, idempotencyKey, prefer, url }: JobRequest = {},
): Promise<Answer<JobAnswer>> {
  return gateway.call<JobAnswer>(key, body === undefined ? "GET" : "POST", path, {
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(prefer === undefined ? {} : { prefer }),
      ...(scenario === undefined ? {} : { "svc-test-scenario": scenario }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
    ...(url === undefined ? {} : { url }),
  });
}

export const submit = (gateway: Gateway, key: string, request: JobRequest = {}) =>
  ask(gateway, key, { prefer: "respond-async", ...request });

export const show = (gateway: Gateway, key: string, id: string) =>
  gateway.call<JobAnswer>(key, "GET", `/jobs/${id}`);

export const result = (gateway: Gateway, key: string, id: string, wait = 0) =>
  gateway.call<JobAnswer>(key, "GET", `/jobs/${id}/result${wait > 0 ? `?wait=${wait}` : ""}`);

export const cancel = (gateway: Gateway, key: string, id: string) =>
  gateway.call<JobAnswer>(key, "DELETE", `/jobs/${id}`);

/** Polls the job until it is in one of these states. */
export async function inState(
  gateway: Gateway,
  key: string,
  id: string,
  states: readonly Job["state"][],
  withinMs = 30_000,
): Promise<Job> {
  let job: Job | undefined;
  await until(async () => {
    const { body } = await show(gateway, key, id);
    job = body.data;
    return job !== undefined && states.includes(job.state);
  }, withinMs);
  return job as Job;
}

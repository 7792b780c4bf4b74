import * as z from "zod";
import { billing, requestId } from "./envelope.ts";
import { errorTypes } from "./errors.ts";
import { id } from "./fields.ts";

/** Jobs: asynchronous calls (`Prefer: respond-async`). */

export const jobStates = ["queued", "running", "succeeded", "failed", "cancelled"] as const;
export type JobState = (typeof jobStates)[number];

const moment = (description: string) => z.string().describe(`${description}, ISO 8601 in UTC`);

export const jobData = z
  .object({
    request_id: requestId,
    operation: z.string(),
    state: z.enum(jobStates),
    created_at: moment("When it was handed in"),
    started_at: moment("When a worker took it").optional(),
    ended_at: moment("When it ended").optional(),
    expires_at: moment("When it and its result are removed, once it has ended"),
    position: z.int().min(1).optional().describe("Its turn in the queue, while it is queued"),
    estimated_wait_seconds: z
      .int()
      .min(0)
      .optional()
      .describe("Until a worker takes it, by what the work takes at the moment"),
    status: z.int().optional().describe("HTTP status of its result"),
    error: z
      .object({ type: z.enum(errorTypes), message: z.string() })
      .optional()
      .describe("Why it failed; the whole error is its result"),
    billing: billing.optional().describe("What it cost, once it is charged"),
  })
  .meta({ id: "Job" });

export type JobData = z.output<typeof jobData>;

export const jobInput = z.strictObject({
  request_id: id(/^svc_[0-9a-f]{32}$/, "Job", "the request_id of a call that was handed in"),
});

export const jobResultInput = jobInput.extend({
  fields: z
    .string()
    .optional()
    .describe("Only these members of each record, as of the call itself: `id,author.name`"),
  wait: z.int().min(0).max(60).default(0).describe("Seconds to wait for the end of the job"),
});

export const jobListInput = z.strictObject({
  state: z.enum(jobStates).optional(),
  operation: z.string().max(100).optional().describe("Id of an operation"),
  cursor: z.string().max(2048).optional(),
  limit: z.int().min(1).max(100).default(20),
});

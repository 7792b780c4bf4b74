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
    created_at: moment("When the job was submitted"),
    started_at: moment("When a worker took the job").optional(),
    ended_at: moment("When the job ended").optional(),
    expires_at: moment("When the job and its result are removed, once it has ended"),
    position: z.int().min(1).optional().describe("Position in the queue, while the job is queued"),
    estimated_wait_seconds: z
      .int()
      .min(0)
      .optional()
      .describe("Estimated time until a worker takes the job"),
    status: z.int().optional().describe("HTTP status of the result"),
    error: z
      .object({ type: z.enum(errorTypes), message: z.string() })
      .optional()
      .describe("Why the job failed; its result is the whole error"),
    billing: billing.optional().describe("Cost of the job, once it is charged"),
  })
  .meta({ id: "Job" });

export type JobData = z.output<typeof jobData>;

export const jobInput = z.strictObject({
  request_id: id(
    /^svc_[0-9a-f]{32}$/,
    "Job",
    "the request_id of the call that was submitted as a job",
  ),
});

export const jobResultInput = jobInput.extend({
  fields: z
    .string()
    .optional()
    .describe(
      "Only these members of each record, as Svc-Fields selects them for a call: `id,author.name`",
    ),
  wait: z.int().min(0).max(60).default(0).describe("Seconds to wait for the end of the job"),
});

export const jobListInput = z.strictObject({
  state: z.enum(jobStates).optional(),
  operation: z.string().max(100).optional().describe("Id of an operation"),
  cursor: z.string().max(2048).optional(),
  limit: z.int().min(1).max(100).default(20),
});

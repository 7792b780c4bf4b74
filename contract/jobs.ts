import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { longestField, mostFields } from "./field-selection.ts";
import { billing, requestId } from "./envelope.ts";
import { errorTypes } from "./errors.ts";
import { id } from "./fields.ts";

/** Jobs: asynchronous calls (`POST /jobs`, or `Prefer: respond-async` of an operation). */

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
      .describe(
        "Why the job failed, with the whole error as its result, or why it was cancelled: its key was revoked",
      ),
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

const jobResultInput = jobInput.extend({
  fields: z
    .string()
    .optional()
    .describe(
      "Only these members of each record, as Svc-Fields selects them for a call: `id,author.name`",
    ),
  wait: z.int().min(0).max(60).default(0).describe("Seconds to wait for the end of the job"),
});

const jobSubmission = z.strictObject({
  operation: z.string().max(100).describe("Id of an operation, as in `GET /operations`"),
  input: z
    .record(z.string(), z.unknown())
    .describe("All parameters of the operation, those of its path and query included"),
  fields: z
    .string()
    .min(1)
    .max(longestField * mostFields)
    .optional()
    .describe("Only these members of each record of the result: `id,author.name`"),
  max_credits: z
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("The most that the job may cost; a list is cut at this limit"),
  webhook_url: z
    .string()
    .min(1)
    .max(2048)
    .optional()
    .describe("https URL that is sent `job.ended`"),
});

const jobListInput = z.strictObject({
  state: z.enum(jobStates).optional(),
  operation: z.string().max(100).optional().describe("Id of an operation"),
  cursor: z.string().max(2048).optional(),
  limit: z.int().min(1).max(100).default(20),
});

export const jobsEndpoints = [
  endpoint({
    id: "gateway.jobs.list",
    method: "GET",
    path: "/jobs",
    summary: "Your jobs of the last 24 hours, newest first",
    input: jobListInput,
    data: z.array(jobData),
    paged: true,
  }),
  endpoint({
    id: "gateway.jobs.submit",
    method: "POST",
    path: "/jobs",
    summary: "Submits a call of any operation as a job",
    description:
      "Same validation, limits and price as the operation itself. Its key is one of jobs: a call with the same Idempotency-Key is another request.",
    input: jobSubmission,
    bodyBytes: 4 * 1024 * 1024 + 8192,
    headers: ["Idempotency-Key", "Svc-Version", "Svc-Test-Scenario"],
    data: jobData,
    status: 202,
    success: "Submitted",
    answerHeaders: {
      Location: "Path of the job",
      "Retry-After": "Seconds until a look at the job makes sense",
      RateLimit: "Calls that the key's rate limit still allows, and seconds until it allows more",
      "RateLimit-Policy": "The key's limits: calls a second, calls at once",
    },
  }),
  endpoint({
    id: "gateway.jobs.get",
    method: "GET",
    path: "/jobs/{request_id}",
    summary: "State of a job; never its result",
    input: jobInput,
    data: jobData,
  }),
  endpoint({
    id: "gateway.jobs.cancel",
    method: "DELETE",
    path: "/jobs/{request_id}",
    summary: "Cancels a job: it stops and costs nothing",
    input: jobInput,
    data: jobData,
    others: { 409: { description: "validation_error: it had ended (`job_ended`)" } },
  }),
  endpoint({
    id: "gateway.jobs.result",
    method: "GET",
    path: "/jobs/{request_id}/result",
    summary: "Status and bytes of the answer that a caller who waits would have had, an error too",
    input: jobResultInput,
    headers: ["Svc-Fields"],
    data: z.unknown().meta({ type: "object", description: "The answer of the job's operation" }),
    bare: "application/json",
    others: {
      409: {
        description: "validation_error: it has not ended yet (`job_not_ended`)",
        headers: ["Retry-After"],
      },
    },
  }),
] as const;

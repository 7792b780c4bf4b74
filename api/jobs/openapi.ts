import * as z from "zod";
import { errorEnvelope } from "../../contract/envelope.ts";
import { jobData, jobInput, jobListInput, jobResultInput } from "../../contract/jobs.ts";
import { errorRefs } from "../openapi/errors.ts";
import { type Json, headerRefs, jsonAnswer, ref } from "../openapi/json.ts";
import type { Schemas } from "../openapi/schemas.ts";

/** Parameter of every operation. */
export const preferHeader = {
  name: "Prefer",
  in: "header",
  description:
    "RFC 7240: `respond-async` answers 202 at once and carries the call out as a job; `wait=20` answers if it ends within so many seconds, else 202. What cannot be read is ignored.",
  schema: { type: "string" },
  example: "respond-async",
};

export const jobHeaders: Json = {
  Location: { description: "Path of the job", schema: { type: "string" } },
  "Preference-Applied": {
    description: "Which of the caller's preferences were followed",
    schema: { type: "string" },
  },
};

const acceptedHeaders = [
  "Location",
  "Preference-Applied",
  "Retry-After",
  "Svc-Version",
  "Svc-Request-Id",
];

/** The answer of an operation that was handed in. */
export function accepted(schemas: Schemas): Json {
  return {
    description: "Handed in with `Prefer`: carried out as a job",
    headers: headerRefs(acceptedHeaders),
    content: { "application/json": { schema: schemas.envelope(jobData) } },
  };
}

/** The paths below `/jobs`. */
export function jobOpenApi(schemas: Schemas): { [path: string]: Json } {
  const parameters = (input: z.ZodObject) => {
    const { properties } = schemas.asked(input) as { properties: { [name: string]: Json } };
    return Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: name === "request_id" ? "path" : "query",
      required: name === "request_id",
      ...(description ? { description } : {}),
      schema,
    }));
  };
  const own = (
    name: string,
    summary: string,
    input: z.ZodObject,
    answer: Json,
    more = {},
    headers: string[] = [],
  ) => ({
    operationId: `gateway.jobs.${name}`,
    tags: ["gateway"],
    summary,
    parameters: [...parameters(input), ...headers.map((one) => ref("parameters", one))],
    responses: {
      "200": jsonAnswer("OK", answer),
      ...errorRefs(),
      ...more,
    },
  });
  const error = schemas.answered(errorEnvelope);
  const conflict = (description: string, headers = {}) => ({
    "409": { description, headers, content: { "application/json": { schema: error } } },
  });
  const job = schemas.envelope(jobData);
  return {
    "/jobs": {
      get: own(
        "list",
        "Your jobs of the last 24 hours, newest first",
        jobListInput,
        schemas.envelope(z.array(jobData), { paged: true }),
      ),
    },
    "/jobs/{request_id}": {
      get: own("get", "State of a job; never its result", jobInput, job),
      delete: own(
        "cancel",
        "Cancels a job: it stops and costs nothing",
        jobInput,
        job,
        conflict("validation_error: it had ended (`job_ended`)"),
      ),
    },
    "/jobs/{request_id}/result": {
      get: own(
        "result",
        "Status and bytes of the answer that a caller who waits would have had, an error too",
        jobResultInput,
        { type: "object", description: "The answer of the job's operation" },
        conflict("validation_error: it has not ended yet (`job_not_ended`)", {
          "Retry-After": ref("headers", "Retry-After"),
        }),
        ["Svc-Fields"],
      ),
    },
  };
}

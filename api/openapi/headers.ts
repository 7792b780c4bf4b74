import { longestField, mostFields } from "../../contract/field-selection.ts";
import * as z from "zod";
import { pagination } from "../../contract/envelope.ts";
import { dryRunData } from "../../contract/pricing.ts";
import { jobData } from "../../contract/jobs.ts";
import { scenarios } from "../../contract/scenario.ts";
import { currentVersion } from "../../contract/version.ts";
import { type Json, components, headerRefs } from "./json.ts";
import type { Schemas } from "./schemas.ts";

const text = (description: string, more: Json = {}) => ({
  description,
  schema: { type: "string", ...more },
});

/** Response headers. */
export const responseHeaders: Json = components({
  "Svc-Version": text("The served version", { const: currentVersion }),
  "Svc-Request-Id": text("Id of the call; equals request_id in the body"),
  "Svc-Dry-Run": text("`true` when the answer is a price only", { const: "true" }),
  "Svc-Mode": text("`test` when the caller used a test key", { const: "test" }),
  Deprecation: text("Time since which the served version is deprecated, as @ and Unix seconds"),
  Sunset: text("Time at which the served version ends, as an HTTP date"),
  "Idempotency-Replayed": text("`true` when an earlier response is replayed", { const: "true" }),
  RateLimit: text("Calls that the key's rate limit still allows, and seconds until it allows more"),
  "RateLimit-Policy": text("The key's limits: calls a second, calls at once"),
  "Svc-Budget": text(
    "Sent when budgets are set. Each has its credits (q), the rest of them (r), and seconds until it renews (t)",
    { examples: ['"account-day";q=1000;r=420;t=3600, "key-month";q=9000;r=8000;t=86400'] },
  ),
  "Retry-After": {
    description: "Seconds until a retry makes sense",
    schema: { type: "integer", minimum: 1 },
  },
  Location: text("Path of the job"),
  "Preference-Applied": text("The preferences that were followed"),
  "WWW-Authenticate": text("`Bearer`", { const: "Bearer" }),
  Allow: text("With status 405: the methods of this path"),
  "Cache-Control": text("Whether the answer may be kept: `no-store` unless it is the same for all"),
  "X-Content-Type-Options": text("`nosniff`", { const: "nosniff" }),
});

/** Headers of every answer, with or without a key. */
export const openHeaders = [
  "Svc-Version",
  "Svc-Request-Id",
  "Cache-Control",
  "X-Content-Type-Options",
];

/** Headers of every answer to a caller with a key. */
export const ownHeaders = [...openHeaders, "Svc-Mode", "Deprecation", "Sunset"];

/** Headers of every answer to a call, errors included. */
export const answerHeaders = [
  ...ownHeaders,
  "RateLimit",
  "RateLimit-Policy",
  "Svc-Budget",
  "Idempotency-Replayed",
  "Preference-Applied",
];

/** The answer of an operation that was submitted as a job. */
export function acceptedAnswer(schemas: Schemas): Json {
  return {
    description: "Submitted with `Prefer`: carried out as a job",
    headers: headerRefs(["Location", "Retry-After", ...answerHeaders]),
    content: { "application/json": { schema: schemas.envelope(jobData) } },
  };
}

/** The answer to `Svc-Dry-Run: true`, for any operation and `POST /batches`. */
export function pricedAnswer(schemas: Schemas): Json {
  return {
    description: "With `Svc-Dry-Run: true`: status 200, the price, and no charge",
    headers: headerRefs([...answerHeaders, "Svc-Dry-Run"]),
    content: { "application/json": { schema: schemas.envelope(dryRunData) } },
  };
}

const selectedRecord = z.record(z.string(), z.unknown());
const selectedData = z
  .union([selectedRecord, z.array(selectedRecord)])
  .describe("The operation's data, with these members of each record alone");

/** The answer to `Svc-Fields` or `fields`, for any operation. */
export function selectedAnswer(schemas: Schemas): Json {
  const { properties, ...envelope } = schemas.envelope(selectedData);
  const paged = { ...(properties as Json), pagination: schemas.output(pagination) };
  return {
    description: "With `fields` or `Svc-Fields`: status 200 and the chosen members of each record",
    headers: headerRefs(answerHeaders),
    content: { "application/json": { schema: { ...envelope, properties: paged } } },
  };
}

const chosen =
  "Returns only these members of each record, at the same price: names separated by commas, `a.b` for a member's member. Returns all of them when absent";

/** Request headers, as parameters. */
export const requestHeaders: Json = components({
  "Svc-Version": {
    name: "Svc-Version",
    in: "header",
    ...text("Pins the version of the contract", { enum: [currentVersion] }),
  },
  "Idempotency-Key": {
    name: "Idempotency-Key",
    in: "header",
    ...text("A retry with the same key within 24 hours gets the first answer again, uncharged", {
      minLength: 1,
      maxLength: 255,
    }),
  },
  "Svc-Fields": {
    name: "Svc-Fields",
    in: "header",
    ...text(chosen, { examples: ["id,author.name"] }),
  },
  fields: {
    name: "fields",
    in: "query",
    style: "form",
    explode: false,
    description: chosen,
    schema: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: longestField },
      minItems: 1,
      maxItems: mostFields,
    },
  },
  "Svc-Dry-Run": {
    name: "Svc-Dry-Run",
    in: "header",
    ...text(
      "`true` only validates and prices the call. The answer has the header `Svc-Dry-Run: true` and a `DryRun` in place of the operation's data",
      { enum: ["true", "false"] },
    ),
  },
  "Svc-Max-Credits": {
    name: "Svc-Max-Credits",
    in: "header",
    description:
      "The most that the call may cost. Records beyond it are not delivered: `truncated_due_to_balance` is true, and the cursor continues behind them",
    schema: { type: "integer", minimum: 1 },
  },
  "Svc-Webhook-Url": {
    name: "Svc-Webhook-Url",
    in: "header",
    ...text("With `Prefer: respond-async`: an https URL that is sent `job.ended`", {
      format: "uri",
      maxLength: 2048,
    }),
  },
  "Svc-Test-Scenario": {
    name: "Svc-Test-Scenario",
    in: "header",
    ...text("With a test key only: forces an answer that is hard to provoke", {
      enum: [...scenarios],
    }),
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    ...text(
      "RFC 7240: `respond-async` answers 202 at once and carries the call out as a job; `wait=20` answers if it ends within so many seconds, else 202. An unreadable preference is ignored.",
    ),
  },
});

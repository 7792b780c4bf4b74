import * as z from "zod";
import { errorTypes } from "./errors.ts";

/** Schemas of the envelopes around every answer; the OpenAPI document is made from them. */

const credits = z.int().min(0);

export const billing = z
  .object({
    credits_charged: credits,
    records_charged: credits,
    balance_remaining: credits,
    truncated_due_to_balance: z
      .boolean()
      .describe(
        "Fewer records than requested, because the balance or Svc-Max-Credits pays for no more",
      ),
  })
  .meta({ id: "Billing", description: "Cost of the call, and the credits that are left" });

export type Billing = z.output<typeof billing>;

export const pagination = z
  .object({
    has_more: z.boolean(),
    next_cursor: z.string().nullable().describe("Always present; `null` at the end of the list"),
  })
  .meta({
    id: "Pagination",
    description: "Whether there are more records, and the cursor to request them",
  });

export type Pagination = z.output<typeof pagination>;

export const requestId = z
  .string()
  .regex(/^svc_[0-9A-Za-z]+$/)
  .describe("Id of this call; also in the header Svc-Request-Id");

export const issue = z
  .object({
    in: z.enum(["body", "query", "path", "header"]),
    path: z.string().describe("The caller's own field in dotted form with indexes"),
    code: z.string(),
    message: z.string(),
  })
  .meta({ id: "Issue" });

export const errorEnvelope = z
  .object({
    error: z.object({
      type: z.enum(errorTypes),
      message: z.string(),
      request_id: requestId.optional(),
      issues: z
        .array(issue)
        .min(1)
        .optional()
        .describe("Present exactly when type is validation_error"),
      billing: z
        .object({
          balance_remaining: credits,
          credits_required: credits.optional(),
          credits_charged: credits.optional(),
          records_charged: credits.optional(),
          truncated_due_to_balance: z.boolean().optional(),
        })
        .optional(),
    }),
  })
  .meta({ id: "ErrorEnvelope" });

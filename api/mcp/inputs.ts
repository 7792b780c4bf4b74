import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import { callInput, operationId, wishes } from "./call.ts";

/** What the tools take; made once for all requests, each of which has a server of its own. */

/** The SDK converts the input of every tool for every list of them: this one keeps what it was converted to. */
function toolInput<S extends z.ZodType>(
  schema: S,
): StandardSchemaWithJSON<z.input<S>, z.output<S>> {
  const standard = schema["~standard"];
  let made: Record<string, unknown> | undefined;
  return {
    "~standard": {
      ...standard,
      jsonSchema: {
        ...standard.jsonSchema,
        input: (options) => (made ??= standard.jsonSchema.input(options)),
      },
    },
  };
}

export const toolInputs = {
  find_operations: toolInput(
    z.object({
      query: z.string().min(1).max(500).describe("What is wanted, e.g. comments of a video"),
      limit: z.int().min(1).max(20).optional(),
    }),
  ),
  describe_operation: toolInput(z.object({ operation: operationId })),
  call_operation: toolInput(callInput),
  job_status: toolInput(
    z.object({
      job: z.string().regex(/^svc_[0-9A-Za-z]+$/),
      from: z.int().min(0).optional().describe("As `rest` said"),
      ...wishes,
      wait_seconds: z.int().min(0).max(60).optional(),
      cancel: z.boolean().optional().describe("Stops it; nothing is charged"),
    }),
  ),
  account: toolInput(z.object({})),
};

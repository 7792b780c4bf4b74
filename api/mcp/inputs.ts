import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import { callInput, operationId, viewOptions } from "./call.ts";

/** The inputs of the tools; built once, because each request creates a server. */

/** Caches the JSON Schema: the SDK converts every tool's input for every list of tools. */
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
    z.strictObject({
      query: z.string().min(1).max(500).describe("The data you need, e.g. comments of a video"),
      limit: z.int().min(1).max(20).optional(),
    }),
  ),
  describe_operation: toolInput(z.strictObject({ operation: operationId })),
  call_operation: toolInput(callInput),
  job_status: toolInput(
    z.strictObject({
      job: z.string().regex(/^svc_[0-9A-Za-z]+$/),
      from: z.int().min(0).optional().describe("The number that `rest` names"),
      ...viewOptions,
      wait_seconds: z.int().min(0).max(60).optional(),
      cancel: z.boolean().optional().describe("Stops it; nothing is charged"),
    }),
  ),
  account: toolInput(z.strictObject({})),
};

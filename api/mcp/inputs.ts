import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import { translate } from "../input-issues.ts";
import { type Refusal, correctArguments, wrongArguments } from "./answers.ts";
import { callInput, operationId, viewOptions } from "./call.ts";

/** The inputs of the tools; built once, because each request creates a server. */

/** The arguments of a tool, or why they are none. */
export type Read<Input> = { input: Input } | { refusal: Refusal };

export type ToolInput<Input> = StandardSchemaWithJSON<unknown, Read<Input>>;

export function readArguments<S extends z.ZodType>(schema: S, sent: unknown): Read<z.output<S>> {
  const { data, error } = schema.safeParse(sent);
  if (!error) return { input: data };
  const faults = error.issues.flatMap((issue) => translate(issue, () => "body"));
  return { refusal: wrongArguments(faults, correctArguments) };
}

/**
 * Caches the JSON Schema, because the SDK converts every tool's input for every list of tools. Wrong arguments are
 * valid here: the SDK's own refusal is a text without a type, issues or a next step.
 */
function toolInput<S extends z.ZodType>(schema: S): ToolInput<z.output<S>> {
  const standard = schema["~standard"];
  let made: Record<string, unknown> | undefined;
  return {
    "~standard": {
      ...standard,
      types: undefined,
      validate: (sent) => ({ value: readArguments(schema, sent) }),
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
      job: z.string().regex(/^svc_[0-9a-f]{32}$/, "must be the id of a job"),
      from: z.int().min(0).optional().describe("The number that `rest` names"),
      ...viewOptions,
      wait_seconds: z.int().min(0).max(60).optional(),
      cancel: z.boolean().optional().describe("Stops it; nothing is charged"),
    }),
  ),
  account: toolInput(z.strictObject({})),
};

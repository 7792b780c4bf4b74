import type * as z from "zod";

/** Reads the text of query parameters as the JSON values of their schemas. */

type JsonKind = "string" | "integer" | "number" | "boolean" | "array";

/** The schema under `optional`, `default`, `nullable` and pipes. */
export function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod as { def: { innerType?: z.core.$ZodType; in?: z.core.$ZodType } };
  const inner = def.innerType ?? def.in;
  return inner ? bare(inner) : schema;
}

export function jsonKind(schema: z.core.$ZodType): JsonKind {
  const { def } = bare(schema)._zod as { def: z.core.$ZodTypeDef & { format?: string } };
  switch (def.type) {
    case "number":
      return def.format === undefined ? "number" : "integer";
    case "int":
      return "integer";
    case "boolean":
      return "boolean";
    case "array":
      return "array";
    default:
      return "string";
  }
}

/** Exponents are allowed: many languages write numbers near zero that way. */
const decimal = /^-?\d{1,15}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/i;

/** Converts the text of a query parameter to its JSON value; a text that does not fit the kind stays text. */
export function typedValue(kind: JsonKind, value: string): unknown {
  // Inexact whole numbers are converted too, so that validation refuses them as too large.
  if (kind === "integer" && /^-?\d{1,20}$/.test(value)) return Number(value);
  if (kind === "number" && decimal.test(value)) return Number(value);
  // A fraction is converted too, so that validation refuses it as a number that is not whole.
  if (kind === "integer" && /^-?\d{1,15}\.\d{0,15}[1-9]$/.test(value)) return Number(value);
  if (kind === "boolean" && (value === "true" || value === "false")) return value === "true";
  return value;
}

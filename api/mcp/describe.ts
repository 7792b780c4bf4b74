import * as z from "zod";
import type { Operation } from "../../contract/operation.ts";

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  description?: string;
  default?: unknown;
  format?: string;
  pattern?: string;
  [bound: string]: unknown;
};

/** An operation as a reader needs it to call it: a line per field. */
export function described(op: Operation): object {
  const input = schemaOf(op.input, "input");
  const required = new Set(input.required ?? []);
  const data = schemaOf(op.data, "output");
  return {
    operation: op.id,
    summary: op.summary,
    ...(op.description ? { description: op.description } : {}),
    price: `1 credit per record returned${op.minimum > 0 ? `, at least ${op.minimum} per call` : ""}; errors are free`,
    input: Object.fromEntries(
      Object.entries(input.properties ?? {}).map(([name, field]) => [
        name,
        `${required.has(name) ? "required " : ""}${lineOf(field, input.$defs ?? {})}`,
      ]),
    ),
    example: op.example,
    answer: membersOf(data, data.$defs ?? {}, 2),
    ...(op.paginated
      ? {
          pages: "next_cursor of an answer is the input `cursor` of the next page; null at the end",
        }
      : {}),
  };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Schema {
  return z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Schema;
}

const resolved = (schema: Schema, defs: Record<string, Schema>): Schema =>
  schema.$ref ? { ...defs[schema.$ref.split("/").at(-1) ?? ""], ...schema } : schema;

const bounds: Readonly<Record<string, string>> = {
  minimum: "≥",
  maximum: "≤",
  minLength: "length ≥",
  maxLength: "length ≤",
  minItems: "items ≥",
  maxItems: "items ≤",
};

/** `integer, ≥ 1, ≤ 100, usual 20: Most records to return`. */
function lineOf(field: Schema, defs: Record<string, Schema>): string {
  const schema = resolved(field, defs);
  const limits = Object.entries(bounds).flatMap(([name, sign]) =>
    typeof schema[name] === "number" && Math.abs(schema[name]) < Number.MAX_SAFE_INTEGER
      ? [`${sign} ${schema[name]}`]
      : [],
  );
  const usual = schema.default === undefined ? [] : [`usual ${JSON.stringify(schema.default)}`];
  const text = [typeOf(schema, defs), ...limits, ...usual].join(", ");
  return schema.description ? `${text}: ${schema.description}` : text;
}

function typeOf(field: Schema, defs: Record<string, Schema>): string {
  const schema = resolved(field, defs);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map((option) => typeOf(option, defs)).join(" | ");
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {}, defs)}`;
  if (schema.type === "object" && schema.properties) {
    return `{ ${Object.keys(schema.properties).join(", ")} }`;
  }
  return [schema.type ?? "any"].flat().join(" | ");
}

/** The members of an answer to a depth: types, and what the contract says of them. */
function membersOf(field: Schema, defs: Record<string, Schema>, depth: number): unknown {
  const schema = resolved(field, defs);
  const list = schema.type === "array" ? resolved(schema.items ?? {}, defs) : undefined;
  const object = list ?? schema;
  if (depth === 0 || !object.properties) return lineOf(field, defs);
  const members = Object.fromEntries(
    Object.entries(object.properties).map(([name, member]) => [
      name,
      membersOf(member, defs, depth - 1),
    ]),
  );
  return list ? [members] : members;
}

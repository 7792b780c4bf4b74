import * as z from "zod";
import { glossary } from "../contract/glossary/glossary.ts";
import type { Operation } from "../contract/operation.ts";

/** Describes operations in words, for agents and for the pages at `/docs`. */

interface Schema {
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
  description?: string;
  default?: unknown;
  [bound: string]: unknown;
}

/** A field of a request. */
export interface Field {
  name: string;
  required: boolean;
  /** For example `string`, `"a" | "b"`, `list of integer`. */
  type: string;
  /** For example `≥ 1, ≤ 100`; empty when there are none. */
  bounds: string;
  /** The default value as JSON. */
  defaultValue: string | undefined;
  description: string;
}

/** A member of an answer's data. */
export interface Member {
  /** Dotted path, with `[]` for the elements of a list. */
  name: string;
  type: string;
  description: string;
}

type Defs = Record<string, Schema>;

function schemaOf(schema: z.ZodType, io: "input" | "output"): Schema {
  return z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Schema;
}

const resolved = (schema: Schema, defs: Defs): Schema =>
  schema.$ref ? { ...defs[schema.$ref.split("/").at(-1) ?? ""], ...schema } : schema;

const meaningOf = (name: string, { description }: Schema): string =>
  description ?? glossary.get(name) ?? "";

export function fieldsOf(op: Operation): Field[] {
  const { properties = {}, required = [], $defs = {} } = schemaOf(op.input, "input");
  return Object.entries(properties).map(([name, field]) => {
    const schema = resolved(field, $defs);
    return {
      name,
      required: required.includes(name),
      type: typeOf(schema, $defs),
      bounds: boundsOf(schema),
      defaultValue: schema.default === undefined ? undefined : JSON.stringify(schema.default),
      description: meaningOf(name, schema),
    };
  });
}

/** The members of `data`, and their members down to a depth. */
export function membersOf(op: Operation, depth = 3): Member[] {
  const schema = schemaOf(op.data, "output");
  return [...members(schema, schema.$defs ?? {}, "", depth)];
}

function* members(field: Schema, defs: Defs, prefix: string, depth: number): Generator<Member> {
  const schema = resolved(field, defs);
  if (schema.type === "array") {
    yield* members(schema.items ?? {}, defs, `${prefix}[]`, depth);
    return;
  }
  if (depth === 0) return;
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const found = resolved(member, defs);
    const whole = prefix === "" ? name : `${prefix}.${name}`;
    yield { name: whole, type: typeOf(found, defs), description: meaningOf(name, found) };
    yield* members(found, defs, whole, depth - 1);
  }
}

const signs: Readonly<Record<string, string>> = {
  minimum: "≥",
  maximum: "≤",
  exclusiveMinimum: ">",
  exclusiveMaximum: "<",
  minLength: "length ≥",
  maxLength: "length ≤",
  minItems: "items ≥",
  maxItems: "items ≤",
};

function boundsOf(schema: Schema): string {
  return Object.entries(signs)
    .flatMap(([name, sign]) => {
      const bound = schema[name];
      const isBound = typeof bound === "number" && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
      return isBound ? [`${sign} ${bound}`] : [];
    })
    .join(", ");
}

function typeOf(field: Schema, defs: Defs): string {
  const schema = resolved(field, defs);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map((option) => typeOf(option, defs)))].join(" | ");
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {}, defs)}`;
  return [schema.type ?? "any"].flat().join(" | ");
}

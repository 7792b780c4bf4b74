import { pathParameters } from "../../contract/operation.ts";
import type { Json } from "./json.ts";

/** The JSON Schema of a flat input. */
export interface Input extends Json {
  properties: { [name: string]: Json };
  required?: string[];
}

/** A field as a parameter. */
export function parameter(
  [name, field]: readonly [string, Json],
  where: "path" | "query",
  { required = [] }: Pick<Input, "required">,
  example?: unknown,
): Json {
  const { description, deprecated, ...schema } = field;
  return {
    name,
    in: where,
    required: where === "path" || required.includes(name),
    ...(description ? { description } : {}),
    ...(deprecated ? { deprecated } : {}),
    ...(schema.type === "array" ? { style: "form", explode: false } : {}),
    schema,
    ...(example === undefined ? {} : { example }),
  };
}

/** Splits the fields of an input by their location in a request: the path, and the query or the body. */
export function split<V>(path: string, fields: Readonly<Record<string, V>>) {
  const names = pathParameters(path);
  return {
    inPath: names.map((name) => [name, fields[name] as V] as const),
    others: Object.entries(fields).filter(([name]) => !names.includes(name)),
  };
}

/** The fields outside the path as the schema of a JSON body. */
export function bodySchema(path: string, { properties, required = [] }: Input): Json {
  const { others } = split(path, properties);
  const needed = required.filter((name) => others.some(([other]) => other === name));
  return {
    type: "object",
    properties: Object.fromEntries(others),
    ...(needed.length > 0 ? { required: needed } : {}),
    additionalProperties: false,
  };
}

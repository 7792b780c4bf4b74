import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { openApi } from "../../api/openapi/openapi.ts";
import { areas } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";

type Json = { [key: string]: unknown };

const document = openApi(areas);
const components = (document.components as { schemas: Json }).schemas;

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
ajv.addSchema({ $id: "gateway:", $defs: pointed(closed(components)) });

/** The schema of `data` as OpenAPI publishes it. */
export function publishedData(op: Operation): Json {
  const item = (document.paths as Json)[op.path] as Json;
  const success = (item[op.method.toLowerCase()] as { responses: Json }).responses["200"] as {
    content: { "application/json": { schema: { properties: { data: Json } } } };
  };
  return success.content["application/json"].schema.properties.data;
}

/** Checks `data` against the published schema, with every undeclared field a fault. */
export function validatorOf(op: Operation): ValidateFunction {
  return ajv.compile(pointed(closed(publishedData(op))) as Json);
}

/** Published objects are open, so that answers may grow; here an undeclared field is a fault. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const node = value as Json;
  if (Array.isArray(node.allOf)) return { ...node, unevaluatedProperties: false };
  const copy = Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, closed(inner)]));
  return node.type === "object" && typeof node.properties === "object"
    ? { ...copy, additionalProperties: false }
    : copy;
}

/** References into the document's components, as seen from another schema. */
function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "$ref"
        ? String(inner).replace("#/components/schemas/", "gateway:#/$defs/")
        : pointed(inner),
    ]),
  );
}

/**
 * Every path at which the published schema allows a field, lists as `[]`. A recursive component is
 * followed once; fields of an open object (`extras`) are not distinguished.
 */
export function fieldPaths(op: Operation): Set<string> {
  const paths = new Set<string>();
  const walk = (schema: Json, path: string, inside: readonly string[]): void => {
    if (typeof schema.$ref === "string") {
      const name = schema.$ref.slice("#/components/schemas/".length);
      if (!inside.includes(name)) walk(components[name] as Json, path, [...inside, name]);
      return;
    }
    for (const key of ["anyOf", "oneOf", "allOf"]) {
      for (const part of (schema[key] ?? []) as Json[]) walk(part, path, inside);
    }
    if (typeof schema.items === "object") walk(schema.items as Json, `${path}[]`, inside);
    for (const [name, field] of Object.entries((schema.properties ?? {}) as Json)) {
      const inner = path === "" ? name : `${path}.${name}`;
      paths.add(inner);
      walk(field as Json, inner, inside);
    }
  };
  walk(publishedData(op), "", []);
  return paths;
}

/** The paths at which `data` has a field, in the form of `fieldPaths`. */
export function presentPaths(data: unknown, into: Set<string> = new Set(), path = ""): Set<string> {
  if (Array.isArray(data)) for (const entry of data) presentPaths(entry, into, `${path}[]`);
  else if (typeof data === "object" && data !== null) {
    for (const [name, value] of Object.entries(data)) {
      const inner = path === "" ? name : `${path}.${name}`;
      into.add(inner);
      presentPaths(value, into, inner);
    }
  }
  return into;
}

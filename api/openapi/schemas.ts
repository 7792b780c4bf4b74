import * as z from "zod";
import { billing, pagination, requestId } from "../../contract/envelope.ts";
import { isNormalised } from "../../contract/fields.ts";
import { type Json, ref } from "./json.ts";

type Direction = "input" | "output";

/** Converts zod schemas to JSON Schemas. Named parts are collected and referenced. */
export class Schemas {
  readonly #named: Json = {};

  /** The schema of a request. */
  input(schema: z.ZodType): Json {
    return this.#made(schema, "input");
  }

  /** The schema of an answer. */
  output(schema: z.ZodType): Json {
    return this.#made(schema, "output");
  }

  /** The success envelope around this data. */
  envelope(data: z.ZodType, { paged }: { paged?: boolean | undefined } = {}): Json {
    return {
      type: "object",
      required: ["request_id", "data", "billing", ...(paged ? ["pagination"] : [])],
      properties: {
        request_id: this.output(requestId),
        data: this.output(data),
        ...(paged ? { pagination: this.output(pagination) } : {}),
        billing: this.output(billing),
      },
    };
  }

  /** The named parts collected so far, for `components`. */
  named(): Json {
    return Object.fromEntries(
      Object.entries(this.#named).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  }

  #made(schema: z.ZodType, direction: Direction): Json {
    const made = z.toJSONSchema(schema, {
      io: direction,
      target: "draft-2020-12",
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }) => publish(zodSchema, jsonSchema, direction),
    }) as Json;
    const { $schema: _schema, $defs, id: _id, ...rest } = made;
    const parts = ($defs ?? {}) as Json;
    for (const [name, part] of Object.entries(parts)) {
      const { id: _partId, ...body } = part as Json;
      if (!unnamed.test(name)) this.#named[name] = relocated(body, parts);
    }
    const name = z.globalRegistry.get(schema)?.id;
    if (name === undefined) return relocated(rest, parts) as Json;
    this.#named[name] ??= relocated(rest, parts);
    return ref("schemas", name);
  }
}

/** Removes keywords that mean nothing to a caller, or promise too much. */
function publish(zodSchema: unknown, jsonSchema: Json, direction: Direction): void {
  const { pattern } = jsonSchema;
  if (typeof pattern === "string" && (isNormalised(zodSchema as z.ZodType) || !isPortable(pattern)))
    delete jsonSchema.pattern;
  // Answers may gain fields within a version; requests may not.
  if (direction === "output" && jsonSchema.additionalProperties === false)
    delete jsonSchema.additionalProperties;
  // The safe-integer bounds that zod adds mean nothing to a reader.
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** Whether ECMA-262, Python and Go read the pattern alike; the description covers other patterns. */
function isPortable(pattern: string): boolean {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, ...found]) => found);
  return (
    !/\(\?[=!<]|\\[pPukxc1-9]/.test(pattern) && counts.every((count) => Number(count ?? 0) <= 1000)
  );
}

/** Names that zod makes up, per conversion, for recursive parts without one. */
const unnamed = /^__schema\d+$/;
const inDefs = "#/$defs/";

/** References lead to components; a part without a name stands where it is referenced. */
function relocated(value: unknown, parts: Json): unknown {
  if (Array.isArray(value)) return value.map((inner) => relocated(inner, parts));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
      if (key !== "$ref" || typeof inner !== "string") return [[key, relocated(inner, parts)]];
      const name = inner.slice(inDefs.length);
      if (unnamed.test(name)) return Object.entries(relocated(parts[name], parts) as Json);
      return [[key, inner.replace(inDefs, "#/components/schemas/")]];
    }),
  );
}

import * as z from "zod";
import { billing, pagination, requestId } from "../../contract/envelope.ts";
import { isNormalised } from "../../contract/fields.ts";
import { type Json, ref } from "./json.ts";

type Direction = "input" | "output";

/** JSON Schemas made from those of zod. Parts that have a name are gathered and referred to. */
export class Schemas {
  readonly #named: Json = {};

  /** Of what a caller sends. */
  asked(schema: z.ZodType): Json {
    return this.#made(schema, "input");
  }

  /** Of what a caller is sent. */
  answered(schema: z.ZodType): Json {
    return this.#made(schema, "output");
  }

  /** The success envelope around this data. */
  envelope(data: z.ZodType, { paged }: { paged?: boolean | undefined } = {}): Json {
    return {
      type: "object",
      required: ["request_id", "data", "billing", ...(paged ? ["pagination"] : [])],
      properties: {
        request_id: this.answered(requestId),
        data: this.answered(data),
        ...(paged ? { pagination: this.answered(pagination) } : {}),
        billing: this.answered(billing),
      },
    };
  }

  /** The named parts of all that was made so far, for `components`. */
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
    for (const [name, part] of Object.entries(($defs ?? {}) as Json)) {
      const { id: _partId, ...body } = part as Json;
      this.#named[name] = relocated(body);
    }
    const name = z.globalRegistry.get(schema)?.id;
    if (name === undefined) return relocated(rest) as Json;
    this.#named[name] ??= relocated(rest);
    return ref("schemas", name);
  }
}

/** Takes away what says nothing to a caller, or more than is promised. */
function publish(zodSchema: unknown, jsonSchema: Json, direction: Direction): void {
  const { pattern } = jsonSchema;
  if (typeof pattern === "string" && (isNormalised(zodSchema as z.ZodType) || !isPortable(pattern)))
    delete jsonSchema.pattern;
  // Answers may grow fields within a version; requests may not.
  if (direction === "output" && jsonSchema.additionalProperties === false)
    delete jsonSchema.additionalProperties;
  // The safe-integer bounds that zod adds say nothing to a reader.
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** Read alike by every engine: ECMA-262, Python, Go. What is not is told by the description. */
function isPortable(pattern: string): boolean {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, ...found]) => found);
  return (
    !/\(\?[=!<]|\\[pPukxc1-9]/.test(pattern) && counts.every((count) => Number(count ?? 0) <= 1000)
  );
}

function relocated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocated);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "$ref" && typeof inner === "string"
        ? inner.replace("#/$defs/", "#/components/schemas/")
        : relocated(inner),
    ]),
  );
}

/** A part of the document. */
export type Json = { [key: string]: unknown };

/** Names what stands once under `components`. */
export const ref = (kind: "headers" | "parameters" | "responses" | "schemas", name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

export const jsonAnswer = (description: string, schema: Json): Json => ({
  description,
  content: { "application/json": { schema } },
});

export const headerRefs = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, ref("headers", name)]));

/** A part of the document. */
export type Json = { [key: string]: unknown };

/** A reference to a component that the document declares once. */
export const ref = (kind: "headers" | "parameters" | "responses" | "schemas", name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

export const jsonAnswer = (description: string, schema: Json): Json => ({
  description,
  content: { "application/json": { schema } },
});

export const headerRefs = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, ref("headers", name)]));

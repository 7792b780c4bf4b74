/** A part of the document. */
export type Json = { [key: string]: unknown };

/** The name of a component, an identifier because generators make one of it: `SvcVersion` for `Svc-Version`. */
const componentName = (name: string): string =>
  name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Components under the names that `ref` gives them. */
export const components = (all: Json): Json =>
  Object.fromEntries(Object.entries(all).map(([name, one]) => [componentName(name), one]));

/** A reference to a component that the document declares once. */
export const ref = (kind: "headers" | "parameters" | "responses" | "schemas", name: string) => ({
  $ref: `#/components/${kind}/${componentName(name)}`,
});

export const jsonAnswer = (description: string, schema: Json): Json => ({
  description,
  content: { "application/json": { schema } },
});

export const headerRefs = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, ref("headers", name)]));

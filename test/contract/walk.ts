import type * as z from "zod";

type Definition = { type: string } & { [key: string]: unknown };

/**
 * Calls `visit` for every schema inside `schema`; `path` names the fields on the way, lists as
 * `[]`.
 */
export function walkSchema(
  schema: z.core.$ZodType,
  visit: (definition: Definition, path: string) => void,
): void {
  const seen = new Set<z.core.$ZodType>();
  const walk = (node: z.core.$ZodType, path: string): void => {
    if (seen.has(node)) return;
    seen.add(node);
    const def = node._zod.def as unknown as Definition;
    visit(def, path);
    if (def.type === "object") {
      for (const [name, field] of Object.entries(def.shape as z.core.$ZodShape)) {
        walk(field, path === "" ? name : `${path}.${name}`);
      }
      if (def.catchall) walk(def.catchall as z.core.$ZodType, `${path}.*`);
      return;
    }
    const { innerType, in: input, out: output, left, right, rest, valueType } = def;
    const parts: unknown[] = [innerType, input, output, left, right, rest, valueType];
    if (Array.isArray(def.options)) parts.push(...(def.options as unknown[]));
    if (Array.isArray(def.items)) parts.push(...(def.items as unknown[]));
    if (def.type === "lazy") parts.push((def.getter as () => unknown)());
    for (const part of parts) if (part) walk(part as z.core.$ZodType, path);
    if (def.element) walk(def.element as z.core.$ZodType, `${path}[]`);
  };
  walk(schema, "");
}

import * as z from "zod";
import { type Operation, pathParameters } from "../../contract/operation.ts";

interface Schema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
  items?: Schema;
  maxItems?: number;
  maxLength?: number;
  pattern?: string;
  properties?: Record<string, Schema>;
}

/** A character, as schemas count them, takes at most four bytes; text with a pattern is ASCII. */
const bytesPerCharacter = 4;
/** Length at which the own check of a text without a length (host, URL, date) ends. */
export const checkedLength = 2048;
const numberBytes = 24;
/** An expression that contains itself (`filters`) is bounded by its own check. */
const expressionBytes = 64 * 1024;

/** Bytes of the largest body that the input's schema admits; Infinity where it has no bound. */
export function largestBody(op: Operation): number {
  const schema = z.toJSONSchema(op.input, { io: "input", unrepresentable: "any" }) as Schema & {
    $defs?: Record<string, Schema>;
  };
  const inPath = pathParameters(op.path);

  /** Whether a definition contains another at any depth. */
  const holds = (definition: Schema, target: string, seen = new Set<string>()): boolean =>
    [...JSON.stringify(definition).matchAll(/"#\/\$defs\/([^"]+)"/g)].some(([, name = ""]) => {
      if (name === target) return true;
      if (seen.has(name)) return false;
      return holds(schema.$defs?.[name] ?? {}, target, seen.add(name));
    });

  const size = (node: Schema, name: string, inside: readonly string[]): number => {
    if (node.enum) return Math.max(...node.enum.map((value) => JSON.stringify(value).length));
    if (node.const !== undefined) return JSON.stringify(node.const).length;
    if (node.$ref !== undefined) {
      const target = node.$ref.slice("#/$defs/".length);
      const definition = schema.$defs?.[target];
      if (!definition) throw new Error(`${op.id} ${name}: ${node.$ref} is not defined`);
      if (holds(definition, target)) return expressionBytes;
      return size(definition, name, [...inside, target]);
    }
    const among = node.anyOf ?? node.oneOf ?? node.allOf;
    if (among) return Math.max(...among.map((part) => size(part, name, inside)));
    switch (node.type) {
      case "string":
        if (node.maxLength === undefined) return 2 + checkedLength;
        return 2 + node.maxLength * (node.pattern ? 1 : bytesPerCharacter);
      case "integer":
      case "number":
        return numberBytes;
      case "array":
        return 2 + (node.maxItems ?? Infinity) * (1 + size(node.items ?? {}, `${name}[]`, inside));
      case "object":
        return Object.entries(node.properties ?? {})
          .filter(([field]) => inside.length > 0 || name !== "" || !inPath.includes(field))
          .reduce((sum, [field, part]) => sum + field.length + 4 + size(part, field, inside), 2);
      case "boolean":
      case "null":
        return 5;
      default:
        return Infinity;
    }
  };
  return size(schema, "", []);
}

/** Input fields that hold texts without a length, alone or in a list. */
export function textsWithoutLength(op: Operation): { name: string; inList: boolean }[] {
  const schema = z.toJSONSchema(op.input, { io: "input", unrepresentable: "any" }) as Schema;
  const isOpen = (node: Schema | undefined) =>
    node?.type === "string" &&
    node.maxLength === undefined &&
    !node.enum &&
    node.const === undefined;
  return Object.entries(schema.properties ?? {})
    .map(([name, field]) => ({
      name,
      inList: field.items !== undefined,
      text: field.items ?? field,
    }))
    .filter(({ text }) => isOpen(text))
    .map(({ name, inList }) => ({ name, inList }));
}

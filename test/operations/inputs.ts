import * as z from "zod";
import { decodeInput, type RawInput } from "../../api/input.ts";
import { type Operation, pathParameters } from "../../contract/operation.ts";
import type { Input } from "./play.ts";

/** A flat input as the HTTP request that carries it. */
export function requestOf(op: Operation, input: Input): RawInput {
  const names = new Set(pathParameters(op.path));
  const rest = Object.entries(input).filter(([name]) => !names.has(name));
  const path = Object.fromEntries([...names].map((name) => [name, written(input[name])]));
  if (op.method === "POST") {
    return { path, query: new URLSearchParams(), body: Object.fromEntries(rest) };
  }
  const query = new URLSearchParams(rest.map(([name, value]) => [name, written(value)]));
  return { path, query, body: undefined };
}

function written(value: unknown): string {
  if (Array.isArray(value)) return value.map(written).join(",");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The operation's example, decoded from the request that OpenAPI shows. */
export function exampleOf(op: Operation): Input {
  return decodeInput(op, requestOf(op, op.example as Input)) as Input;
}

/** `input` with some fields replaced; undefined where the operation refuses it. */
export function changed(op: Operation, changes: Input): Input | undefined {
  const input = Object.entries({ ...(op.example as Input), ...changes }).filter(
    ([, value]) => value !== undefined,
  );
  const parsed = op.input.safeParse(Object.fromEntries(input));
  return parsed.success ? (parsed.data as Input) : undefined;
}

interface FieldSchema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: FieldSchema[];
  oneOf?: FieldSchema[];
  items?: FieldSchema;
  minimum?: number;
  maximum?: number;
}

/**
 * Valid inputs beside the example: every choice of every field, other texts and ids, all switches
 * on. The same on every run.
 */
export function* variants(op: Operation): Generator<Input> {
  const offered: Input[] = [...changesOf(op)];
  offered.push(
    Object.fromEntries(
      fieldsOf(op).flatMap(([name, field]) => {
        const last = choices(field).at(-1);
        return last === undefined || name === "limit" ? [] : [[name, last]];
      }),
    ),
  );
  for (const changes of offered) {
    const input = changed(op, changes);
    if (input) yield input;
  }
}

const fieldsOf = (op: Operation): [name: string, field: FieldSchema][] => {
  const schema = z.toJSONSchema(op.input, { io: "input", unrepresentable: "any" });
  const fields = (schema.properties ?? {}) as Record<string, FieldSchema>;
  return Object.entries(fields).filter(([name]) => name !== "cursor");
};

/** The example with single fields replaced or left out; the operation may refuse some of them. */
export function* changesOf(op: Operation): Generator<Input> {
  const example = op.example as Input;
  for (const [name, field] of fieldsOf(op)) {
    if (name in example) yield { [name]: undefined };
    for (const value of choices(field)) yield { [name]: value };
  }
  for (const seed of [1, 2, 3, 4]) {
    for (const [name, value] of Object.entries(example)) {
      for (const other of reseeded(value, seed)) yield { [name]: other };
    }
  }
}

/** Bounds of an operation's integer fields. */
export function numbersOf(op: Operation): [name: string, from: number, to: number][] {
  return fieldsOf(op).flatMap(([name, { type, minimum, maximum }]) =>
    type === "integer" && minimum !== undefined && maximum !== undefined
      ? [[name, minimum, maximum] as [string, number, number]]
      : [],
  );
}

function choices(field: FieldSchema): unknown[] {
  const among = field.anyOf ?? field.oneOf;
  if (among) return among.flatMap(choices);
  if (field.enum) return field.enum;
  if (field.const !== undefined) return [field.const];
  switch (field.type) {
    case "boolean":
      return [false, true];
    case "integer":
    case "number":
      return [field.minimum, field.maximum].filter(
        (bound) => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER,
      );
    case "array":
      return field.items ? choices(field.items).map((item) => [item]) : [];
    default:
      return [];
  }
}

/** Values of the same form: texts with another word, ids with other digits or letters. */
function reseeded(value: unknown, seed: number): unknown[] {
  if (Array.isArray(value))
    return value.length > 0 ? [value.flatMap((v) => reseeded(v, seed))] : [];
  if (typeof value !== "string") return [];
  return [
    value.replace(/\d(?=\d*$)/, (digit) => String(((Number(digit) + seed - 1) % 9) + 1)),
    value.replace(/[a-z](?=[^a-z]*$)/, (letter) =>
      String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + seed) % 26)),
    ),
  ].filter((other) => other !== value);
}

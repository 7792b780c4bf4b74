import * as z from "zod";
import { maxIssues } from "./errors.ts";

export const filterOperators = [
  "=",
  "<>",
  "<",
  "<=",
  ">",
  ">=",
  "in",
  "not_in",
  "like",
  "not_like",
  "ilike",
  "not_ilike",
  "match",
  "not_match",
] as const;
export type FilterOperator = (typeof filterOperators)[number];

/** Conditions of one expression, all groups together. */
export const mostConditions = 8;

type Scalar = string | number | boolean;

export interface FilterCondition {
  field: string;
  op: FilterOperator;
  value: Scalar | Scalar[];
}

/** A condition, or a group of at least two expressions. */
export type FilterExpression =
  | FilterCondition
  | { and: FilterExpression[] }
  | { or: FilterExpression[] };

const fieldRule = /^[a-z0-9_]+(\.[a-z0-9_]+)*$/;
const fieldLength = 100;
const listOperators: ReadonlySet<FilterOperator> = new Set(["in", "not_in"]);

interface Options {
  /** Name of the component in the OpenAPI document. */
  id: string;
  /** Fields that can be filtered; every field of the records when absent. */
  fields?: readonly [string, ...string[]];
}

/** Schema of a filter expression, with one issue for every fault, at the path of the fault. */
export function filterExpression(options: Options) {
  const field = options.fields
    ? z.enum(options.fields)
    : z.string().min(1).max(fieldLength).regex(fieldRule);
  const scalar = z.union([z.string(), z.number(), z.boolean()]);
  const condition = z
    .strictObject({
      field: field.describe("Name of a field of the records"),
      op: z.enum(filterOperators),
      value: z
        .union([scalar, z.array(scalar).min(1)])
        .describe("An array for `in` and `not_in`; `%` stands for any text in `like` and `ilike`"),
    })
    .meta({ id: `${options.id}Condition` });
  // Every member of the union is a named component: client generators cannot resolve recursion without names.
  const group = <Name extends "and" | "or">(name: Name, id: string) =>
    z
      .strictObject({ [name]: z.array(documented).min(2) } as Record<
        Name,
        z.ZodArray<typeof documented>
      >)
      .meta({ id });
  const documented: z.ZodType<FilterExpression> = z
    .lazy(() =>
      z.union([condition, group("and", `${options.id}All`), group("or", `${options.id}Any`)]),
    )
    .meta({
      id: options.id,
      description: `A condition {field, op, value} or a group of expressions {and: [...]} or {or: [...]}; at most ${mostConditions} conditions in all; op is one of ${filterOperators.join(", ")}`,
    }) as z.ZodType<FilterExpression>;

  // A union reports one fault of one member, so the checker runs first and reports all faults.
  return z.preprocess((value, context) => {
    const checker = new Checker(options.fields);
    checker.expression(value, []);
    for (const fault of checker.faults) context.addIssue(fault);
    return value;
  }, documented);
}

type Path = (string | number)[];
type Fault = Exclude<Parameters<z.RefinementCtx["addIssue"]>[0], string>;

class Checker {
  readonly faults: Fault[] = [];
  readonly #fields: ReadonlySet<string> | undefined;
  #conditions = 0;

  constructor(fields: readonly string[] | undefined) {
    this.#fields = fields && new Set(fields);
  }

  expression(value: unknown, path: Path): void {
    this.#expression(value, path);
    if (this.#conditions <= mostConditions) return;
    const message = `has more than ${mostConditions} conditions`;
    this.faults.unshift({ code: "too_many_conditions", path, message } as unknown as Fault);
  }

  /** True when no further fault would be reported. */
  get #enough(): boolean {
    return this.#conditions > mostConditions || this.faults.length >= maxIssues;
  }

  #expression(value: unknown, path: Path): void {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.#fault("invalid_type", path, "must be a condition or a group");
      return;
    }
    const groups = (["and", "or"] as const).filter((name) => Object.hasOwn(value, name));
    const [group] = groups;
    if (group === undefined) return this.#condition(value as Record<string, unknown>, path);
    this.#unknown(value, groups.length > 1 ? ["and", "or"] : [group], path);
    if (groups.length > 1) this.#fault("ambiguous", path, "must have one of `and` and `or`");
    for (const name of groups)
      this.#group((value as Record<string, unknown>)[name], [...path, name]);
  }

  #group(members: unknown, path: Path): void {
    if (!Array.isArray(members)) {
      this.#fault("invalid_type", path, "must be an array");
      return;
    }
    if (members.length < 2) this.#fault("too_small", path, "must have at least 2 expressions");
    for (const [index, member] of members.entries()) {
      if (this.#enough) return;
      this.#expression(member, [...path, index]);
    }
  }

  #condition(condition: Record<string, unknown>, path: Path): void {
    this.#conditions += 1;
    this.#unknown(condition, ["field", "op", "value"], path);
    for (const name of ["field", "op", "value"]) {
      if (!Object.hasOwn(condition, name)) this.#fault("required", [...path, name], "is required");
    }
    if (Object.hasOwn(condition, "field")) this.#field(condition.field, [...path, "field"]);
    const known = filterOperators.find((op) => op === condition.op);
    if (Object.hasOwn(condition, "op") && known === undefined) {
      this.#fault("invalid_value", [...path, "op"], `must be one of ${filterOperators.join(", ")}`);
    }
    if (Object.hasOwn(condition, "value")) {
      this.#value(condition.value, known, [...path, "value"]);
    }
  }

  #field(field: unknown, path: Path): void {
    if (typeof field !== "string") this.#fault("invalid_type", path, "must be a string");
    else if (this.#fields) {
      if (!this.#fields.has(field))
        this.#fault("invalid_value", path, `must be one of ${[...this.#fields].join(", ")}`);
    } else if (field.length > fieldLength || !fieldRule.test(field)) {
      this.#fault("invalid_format", path, "must be the name of a field");
    }
  }

  #value(value: unknown, op: FilterOperator | undefined, path: Path): void {
    if (!Array.isArray(value)) {
      if (!isScalar(value))
        this.#fault("invalid_type", path, "must be a string, number or boolean");
      else if (op !== undefined && listOperators.has(op))
        this.#fault("invalid_type", path, `must be an array for ${op}`);
      return;
    }
    if (op !== undefined && !listOperators.has(op))
      this.#fault("invalid_type", path, `must not be an array for ${op}`);
    if (value.length === 0) this.#fault("too_small", path, "must have at least 1 value");
    for (const [index, entry] of value.entries()) {
      if (this.#enough) return;
      if (!isScalar(entry))
        this.#fault("invalid_type", [...path, index], "must be a string, number or boolean");
    }
  }

  #unknown(holder: object, known: readonly string[], path: Path): void {
    const keys = Object.keys(holder).filter((key) => !known.includes(key));
    if (keys.length > 0) {
      this.faults.push({ code: "unrecognized_keys", keys, path, input: holder } as Fault);
    }
  }

  #fault(code: string, path: Path, message: string): void {
    this.faults.push({ code, path, message, input: undefined } as unknown as Fault);
  }
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

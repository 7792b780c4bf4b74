import type * as z from "zod";
import { cursorAliasesOf } from "./aliases.ts";
import type { Source } from "./source.ts";

/** Kinds of work; each kind has its own queue and its own workers. */
export const pools = ["browser", "seo", "seo-bulk", "serp", "social"] as const;
export type Pool = (typeof pools)[number];

/**
 * The billed records of an answer. `one`: the answer is a single record, or none where `isNone` returns true.
 * `list`: `rows` finds the delivered rows in `data`, `most` is the most the call can return,
 * `billable` selects the rows that cost a credit (all of them when absent).
 */
export type Records<Input, Data> =
  | { kind: "one"; isNone?: (data: Data) => boolean }
  | {
      kind: "list";
      rows(data: Data): readonly unknown[];
      most(input: Input): number;
      billable?: (row: never) => boolean;
    };

interface Declaration<Id extends string, I extends z.ZodObject, D extends z.ZodType> {
  /** Area-prefixed and stable: the `operationId` of the OpenAPI document. */
  id: Id;
  method: "GET" | "POST";
  /** Every `{name}` is a field of `input`; on GET the other fields are the query, on POST the body. */
  path: string;
  summary: string;
  description?: string;
  /** One flat strict object: path, query and body fields together. */
  input: I;
  data: D;
  records: Records<z.output<I>, z.output<D>>;
  /** True when the list is paginated by cursors; such an operation has `cursor` and `limit`. */
  paginated?: boolean;
  /** True when the answer carries `pagination` although the list always has one page. */
  onePage?: boolean;
  /** Least credits a successful call costs. */
  minimum?: number;
  /** Overrides the area's pool. */
  pool?: Pool;
  /** Open sources of the data, whose licences the documents of the operation name. */
  sources?: readonly Source[];
  /** Time from arrival to the latest answer, in milliseconds. */
  deadlineMs?(input: z.output<I>): number;
  /** A request that answers 200 in test mode. */
  example: z.input<I>;
}

export interface Operation<
  Id extends string = string,
  I extends z.ZodObject = z.ZodObject,
  D extends z.ZodType = z.ZodType,
> {
  readonly id: Id;
  readonly area: string;
  readonly pool: Pool;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly input: I;
  readonly data: D;
  readonly records: Records<z.output<I>, z.output<D>>;
  readonly paginated: boolean;
  readonly onePage: boolean;
  /** Aliases of `cursor`; the API replaces them by `cursor`. */
  readonly cursorAliases: readonly string[];
  readonly minimum: number;
  readonly sources: readonly Source[];
  deadlineMs(input: z.output<I>): number;
  readonly example: z.input<I>;
}

export type InputOf<O> = O extends Operation<string, infer I, z.ZodType> ? z.output<I> : never;
export type DataOf<O> = O extends Operation<string, z.ZodObject, infer D> ? z.output<D> : never;

/** Keeps the literal id and the schema types of a declaration. */
export function operation<const Id extends string, I extends z.ZodObject, D extends z.ZodType>(
  declaration: Declaration<Id, I, D>,
): Declaration<Id, I, D> {
  return declaration;
}

type Declared = Declaration<string, z.ZodObject, z.ZodType>;
type Finished<T> = T extends Declaration<infer Id, infer I, infer D> ? Operation<Id, I, D> : never;

export interface Area<Ops extends readonly Operation[] = readonly Operation[]> {
  /** Tag in the OpenAPI document. */
  readonly name: string;
  readonly summary: string;
  readonly operations: Ops;
}

const defaultDeadlineMs = 60_000;

/** Fills in the area's name, and its pool and deadline where a declaration sets none. */
export function area<const T extends readonly Declared[]>(settings: {
  name: string;
  summary: string;
  pool: Pool;
  deadlineMs?: number;
  operations: T;
}): Area<{ [K in keyof T]: Finished<T[K]> }> {
  const operations = settings.operations.map((declared) => ({
    description: undefined,
    paginated: false,
    onePage: false,
    minimum: 0,
    sources: [],
    pool: settings.pool,
    deadlineMs: () => settings.deadlineMs ?? defaultDeadlineMs,
    ...declared,
    area: settings.name,
    cursorAliases: declared.paginated ? cursorAliasesOf(settings.name, declared.id) : [],
  }));
  return {
    name: settings.name,
    summary: settings.summary,
    operations: operations as unknown as { [K in keyof T]: Finished<T[K]> },
  };
}

/** The most records the call can return, before the balance is considered. */
export function mostRecords<I extends z.ZodObject, D extends z.ZodType>(
  op: Operation<string, I, D>,
  input: z.output<I>,
): number {
  return op.records.kind === "one" ? 1 : op.records.most(input);
}

/** Billable records of a finished answer. */
export function countRecords<D extends z.ZodType>(
  op: Operation<string, z.ZodObject, D>,
  data: z.output<D>,
): number {
  if (op.records.kind === "one") return op.records.isNone?.(data) ? 0 : 1;
  const rows = op.records.rows(data);
  const { billable } = op.records;
  return billable ? rows.filter((row) => billable(row as never)).length : rows.length;
}

/** Price in credits of `records` billable records: 1 each, with the operation's minimum. */
export function creditsFor(op: Pick<Operation, "minimum">, records: number): number {
  return Math.max(op.minimum, records);
}

/** Names of the `{name}` parts of a path. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

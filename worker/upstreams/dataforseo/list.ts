import type { FilterExpression } from "../../../contract/filter.ts";
import type { Json } from "../../../contract/json.ts";
import type { Call } from "../../connector.ts";
import { upstreamFilter } from "./filter.ts";
import { collect } from "../../mapping/list.ts";
import { type Task, ask, itemsOf } from "./client.ts";
import { type Wire, at, count, object, rows, text } from "#wire";

/** Input of every list of the area. */
export interface ListInput {
  limit: number;
  offset?: number | undefined;
  filters?: FilterExpression | undefined;
  order_by?: { field: string; dir: "asc" | "desc" }[] | undefined;
}

interface ListOptions<Row> {
  path: string;
  /** Fields of the task beside `limit`, `offset`, `filters` and `order_by`. */
  task: Task;
  row: (row: Wire) => Row | undefined;
  /** Called with the result of every answer, to read the members beside its list. */
  result?(result: Wire): void;
  /** Names of the token that replaces the offset, in the request and in the answer, and the largest offset in use. */
  token?: { request: string; answer: string; after: number };
  /** The largest offset that the upstream takes; without a token the end of the list. */
  mostOffset?: number;
  /** The upstream's name of a field in `filters` and `order_by`; ours when absent. */
  field?: (name: string) => string;
}

/** Position in a list: a number of rows to skip, or a token with its page size. */
type Position = { skip: number } | { skip: number; token: string; size: number };

const mostRows = 1000;

/** One of DataForSEO's lists, with as many rows as the caller requested or can pay, and the next position. */
export async function list<Row>(call: Call, input: ListInput, options: ListOptions<Row>) {
  const rowLimit = Math.min(input.limit, call.maxRecords);
  let totalCount: number | undefined;
  let delivered = 0;

  const found = await collect<Row>(call, {
    limit: input.limit,
    start: { skip: input.offset ?? 0 },
    async fetch(json) {
      const position = positionFrom(json);
      // A token is valid only for its page size.
      const size =
        "token" in position ? position.size : Math.min(mostRows, Math.max(1, rowLimit - delivered));
      const result = await ask(call, options.path, {
        ...options.task,
        ...shaping(input, options.field),
        limit: size,
        ...("token" in position
          ? { [options.token?.request ?? ""]: position.token }
          : { offset: position.skip }),
      });
      const items = itemsOf(result);
      if (result) options.result?.(result);
      totalCount ??= count(result?.total_count);
      const page = rows(items, "items", options.row);
      delivered += page.length;
      return {
        rows: page,
        next: nextOf(position, items.length, size, result, options),
        more: items.length > 0,
      };
    },
  });
  const { rows: results, ...paged } = found;
  return { listed: { total_count: totalCount, results }, paged };
}

/** `filters` and `order_by` in the upstream's form; `field` maps our names to the upstream's. */
export function shaping(
  input: Pick<ListInput, "filters" | "order_by">,
  field: (name: string) => string = (name) => name,
): Task {
  const { filters, order_by } = input;
  return {
    ...(filters
      ? {
          filters: upstreamFilter(filters, (condition) => ({
            ...condition,
            field: field(condition.field),
          })),
        }
      : {}),
    ...(order_by ? { order_by: order_by.map((by) => `${field(by.field)},${by.dir}`) } : {}),
  };
}

function positionFrom(json: Json | undefined): Position {
  const held = object(json);
  const skip = count(held?.skip) ?? 0;
  const token = text(at(held, "token"));
  return token === undefined ? { skip } : { skip, token, size: count(held?.size) ?? mostRows };
}

/**
 * The next position. A short page may have more after it, so only the total marks the end; without a total,
 * a page that is not full is the last. An answer may lack its token: the offset still leads on, up to the
 * largest one. Null means the end, undefined a missing token behind it.
 */
function nextOf(
  position: Position,
  received: number,
  size: number,
  result: Wire | undefined,
  options: Pick<ListOptions<never>, "token" | "mostOffset">,
): Json | undefined {
  const skip = position.skip + received;
  const total = count(result?.total_count);
  if (received === 0 || (total === undefined ? received < size : skip >= total)) return null;
  const { token: names, mostOffset = Infinity } = options;
  const token = names && text(result?.[names.answer]);
  if (names && token !== undefined && ("token" in position || skip > names.after))
    return { skip, token, size };
  if (skip <= mostOffset) return { skip };
  return names ? undefined : null;
}

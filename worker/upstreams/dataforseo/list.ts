import type { FilterExpression } from "../../../contract/filter.ts";
import type { Json } from "../../../contract/job.ts";
import type { Call } from "../../connector.ts";
import { upstreamFilter } from "./filter.ts";
import { collect } from "../../mapping/list.ts";
import { type Task, ask, itemsOf } from "./client.ts";
import { type Wire, at, count, object, rows, text } from "#wire";

/** What every list of the area takes. */
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
  /** Called with the result of every answer, for what stands beside its list. */
  result?(result: Wire): void;
  /** Names of the token that replaces the offset, in the request and in the answer. */
  token?: { request: string; answer: string };
  /** With a token: the offset is used up to here. Without: the list ends here. */
  mostOffset?: number;
  /** The upstream's name of a field in `filters` and `order_by`; ours when absent. */
  field?: (name: string) => string;
}

/** Where a list continues: a number of rows to skip, or a token with the page size it was given for. */
type Position = { skip: number } | { skip: number; token: string; size: number };

const mostRows = 1000;

/** One of DataForSEO's lists, as many rows as the caller asked for or can pay, and where it goes on. */
export async function list<Row>(call: Call, input: ListInput, options: ListOptions<Row>) {
  const wanted = Math.min(input.limit, call.maxRecords);
  let totalCount: number | undefined;
  let delivered = 0;

  const found = await collect<Row>(call, {
    limit: input.limit,
    async fetch(json) {
      const position = positionFrom(json, input.offset ?? 0);
      // A token is only good for the page size it was given for.
      const size =
        "token" in position ? position.size : Math.min(mostRows, Math.max(1, wanted - delivered));
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

/** `filters` and `order_by` as the upstream takes them; `field` gives its names for ours. */
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

function positionFrom(json: Json | undefined, offset: number): Position {
  const held = object(json);
  const skip = count(held?.skip) ?? offset;
  const token = text(at(held, "token"));
  return token === undefined ? { skip } : { skip, token, size: count(held?.size) ?? mostRows };
}

/**
 * A page may be shorter than asked with more behind it, so only the total tells the end; where there is
 * no total, a page that is not full is the last. Null is the end, undefined a token that is not there.
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
  const within = options.mostOffset === undefined || skip <= options.mostOffset;
  if (within && !("token" in position)) return { skip };
  if (!options.token) return null;
  const token = text(result?.[options.token.answer]);
  return token === undefined ? undefined : { skip, token, size };
}

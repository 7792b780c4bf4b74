import { GatewayError } from "../../../contract/errors.ts";
import { ShapeError, type Wire, array, boolean, id, object, rows } from "#wire";

/** Where lists stand in replies of either upstream, and where a single thing does. */
const lists = ["data", "items", "elements", "posts", "comments", "jobs"];
const things = ["data", "user", "profile", "company", "post"];
/** Deeper than any reply wraps what it holds. */
const deepest = 4;

/** The list of a reply, with what stands beside it on the way in. */
export function pageIn<Row>(
  body: unknown,
  thing: string,
  read: (row: Wire) => Row | undefined,
): { rows: Row[]; beside: Wire; length: number } {
  let beside: Wire = {};
  let here = object(body);
  for (let depth = 0; here && depth < deepest; depth += 1) {
    const holder: Wire = here;
    beside = { ...beside, ...holder };
    const list = lists.map((name) => array(holder[name])).find((value) => value !== undefined);
    if (list) return { rows: rows(list, "data", read), beside, length: list.length };
    if (depth > 0 && lists.some((name) => holder[name] === null)) {
      return { rows: [], beside, length: 0 };
    }
    here = object(holder.data);
  }
  if (isEmpty(body)) throw absent(thing);
  throw new ShapeError("data");
}

/** The innermost object that says who or what it is, by one of `keys`. */
export function thingIn(body: unknown, thing: string, keys: readonly string[]): Wire {
  let here = object(object(body)?.data);
  for (let depth = 0; here && depth < deepest; depth += 1) {
    const holder: Wire = here;
    if (keys.some((key) => id(holder[key]) !== undefined)) return holder;
    here = things.map((name) => object(holder[name])).find((value) => value !== undefined);
  }
  // Private, renamed and missing pages are answered without a name or an id.
  const data = object(body)?.data;
  if (data === null || object(data)) throw absent(thing);
  throw new ShapeError("data");
}

/** The mark of the next page, which stands beside the list or in `paging`. */
export function tokenIn(beside: Wire): string | undefined {
  return id(object(beside.paging)?.pagination_token) ?? id(beside.pagination_token);
}

export function moreIn(beside: Wire): boolean | undefined {
  return tokenIn(beside) === undefined ? boolean(beside.has_more) : true;
}

function isEmpty(body: unknown): boolean {
  const data = object(body)?.data;
  const holder = object(data);
  return data === null || (holder !== undefined && Object.keys(holder).length === 0);
}

function absent(thing: string): GatewayError {
  return new GatewayError("not_found", `There is no such ${thing}`);
}

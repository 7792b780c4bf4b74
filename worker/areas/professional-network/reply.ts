import { GatewayError } from "../../../contract/errors.ts";
import { ShapeError, type Wire, array, boolean, id, object, rows } from "#wire";

/** Keys of lists, and of single records, in replies of both upstreams. */
const lists = ["data", "items", "elements", "posts", "comments", "jobs"];
const things = ["data", "user", "profile", "company", "post"];
/** More levels than any reply has around its content. */
const deepest = 4;

/** The list of a reply, with the members beside it on each level. An empty first reply means that `thing` is missing. */
export function pageIn<Row>(
  body: unknown,
  thing: { name: string; isFirst: boolean },
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
  if (!isEmpty(body)) throw new ShapeError("data");
  if (thing.isFirst) throw absent(thing.name);
  // Behind its last page a list is as empty as that of a missing page.
  return { rows: [], beside, length: 0 };
}

/** The innermost object that has one of the identifying `keys`. */
export function thingIn(body: unknown, thing: string, keys: readonly string[]): Wire {
  let here = object(object(body)?.data);
  for (let depth = 0; here && depth < deepest; depth += 1) {
    const holder: Wire = here;
    if (keys.some((key) => id(holder[key]) !== undefined)) return holder;
    here = things.map((name) => object(holder[name])).find((value) => value !== undefined);
  }
  // Answers about private, renamed and missing pages have neither a name nor an id.
  const data = object(body)?.data;
  if (data === null || object(data)) throw absent(thing);
  throw new ShapeError("data");
}

/** The token of the next page, beside the list or in `paging`. */
export function tokenIn(beside: Wire): string | undefined {
  return id(object(beside.paging)?.pagination_token) ?? id(beside.pagination_token);
}

export function moreIn(beside: Wire): boolean | undefined {
  return tokenIn(beside) === undefined ? boolean(beside.has_more) : true;
}

/** True where `data` is null or holds nothing but, at most, an empty `data` of its own. */
function isEmpty(body: unknown, depth = 0): boolean {
  const data = object(body)?.data;
  const holder = object(data);
  if (!holder) return data === null;
  const names = Object.keys(holder).length;
  return names === 0 || (names === 1 && depth < deepest && isEmpty(holder, depth + 1));
}

function absent(thing: string): GatewayError {
  return new GatewayError("not_found", `There is no such ${thing}`);
}

import { GatewayError } from "../../../contract/errors.ts";
import type { Json } from "../../../contract/json.ts";
import type { Page } from "../../mapping/list.ts";
import { unwrap } from "./client.ts";
import { ShapeError, type Wire, array, at, boolean, id, integer, object, rows, text } from "#wire";

/** Maps an entry of a list; undefined leaves it out. */
type Read<Row> = (row: Wire) => Row | undefined;

interface Listing<Row> {
  /** Possible keys of the list; the first present one counts. */
  keys: readonly string[];
  /** Name of the list in the web's form, where it is a member of its owner. */
  edges?: readonly string[];
  /** Name of the list's owner. */
  thing?: string;
  read: Read<Row>;
  /** Converts the entries to rows. */
  unfold?: (list: readonly unknown[]) => unknown[];
  next?: (beside: Wire) => Json | undefined;
}

/** A page of a reply's list. */
export function pageIn<Row>(body: unknown, listing: Listing<Row>): Page<Row> {
  const { list, beside } = listIn(body, listing);
  const path = `data.${listing.keys[0]}`;
  const entries = listing.unfold ? listing.unfold(list) : list;
  const more = listing.next && list.length > 0 ? claimsMore(beside) : undefined;
  return { rows: rows(entries, path, listing.read), next: listing.next?.(beside), more };
}

/** True where any of a reply's flags states that more follows; the name of the flag varies. */
function claimsMore(beside: Wire): boolean {
  return [
    at(beside, "page_info", "has_next_page"),
    at(beside, "paging_info", "more_available"),
    beside.more_available,
    beside.has_more,
    beside.has_more_comments,
    beside.has_more_headload_comments,
  ].some((flag) => boolean(flag) === true);
}

function listIn(
  body: unknown,
  { keys, edges = [], thing }: Pick<Listing<never>, "keys" | "edges" | "thing">,
): { list: readonly unknown[]; beside: Wire } {
  const connection = connectionIn(body, edges);
  if (connection) return connection;
  const beside = unwrap(body, ...keys);
  const bare = array(at(body, "data")) ?? array(at(body, "data", "data"));
  const key = keys.find((name) => Array.isArray(beside?.[name]));
  const list = key === undefined ? bare : array(beside?.[key]);
  if (list) return { list, beside: beside ?? {} };
  if (beside && keys.some((name) => beside[name] === null)) return { list: [], beside };
  if (thing !== undefined && isNothing(body)) throw absent(thing);
  throw new ShapeError(`data.${keys[0]}`);
}

/** A list of the web's own form: `edge_*` in a user, a post or a place, with `edges` and `page_info`. */
function connectionIn(
  body: unknown,
  names: readonly string[],
): { list: readonly unknown[]; beside: Wire } | undefined {
  let here = object(at(body, "data"));
  while (here) {
    const holders = [here, ...Object.values(object(here.graphql) ?? {}), ...Object.values(here)];
    for (const [holder, name] of holders.flatMap((of) => names.map((n) => [of, n] as const))) {
      const connection = object(at(holder, name));
      const list = array(connection?.edges);
      if (connection && list) return { list, beside: connection };
    }
    here = object(here.data);
  }
  return undefined;
}

/** The object of a reply under the first of `keys` that has one; undefined where there is none. */
export function objectIn(body: unknown, keys: readonly string[]): Wire | undefined {
  const beside = unwrap(body, ...keys);
  const found = keys.map((key) => object(beside?.[key])).find((value) => value !== undefined);
  if (found || keys.some((key) => beside?.[key] === null) || isNothing(body)) return found;
  throw new ShapeError(`data.${keys[0]}`);
}

/** True when `data` is null at every level, or has a null `user`. */
export function isNothing(body: unknown): boolean {
  let data = object(body)?.data;
  for (;;) {
    const inner = object(data);
    if (inner === undefined) return data === null;
    if (inner.user === null) return true;
    data = inner.data;
  }
}

export function absent(thing: string): GatewayError {
  return new GatewayError("not_found", `There is no such ${thing}`);
}

/** `page_info.end_cursor`, unless `page_info` states that there is no next page. */
function afterEdges(beside: Wire): string | undefined {
  const more = boolean(at(beside, "page_info", "has_next_page"));
  return more === false ? undefined : text(at(beside, "page_info", "end_cursor"));
}

/**
 * The next token: beside the list, or in the object where the platform's two forms keep it. An empty token
 * is the end, whatever the flags state; without a token the flags decide.
 */
export function token(...names: string[]): (beside: Wire) => string | null | undefined {
  return (beside) => {
    const found =
      names.map((name) => id(beside[name])).find((value) => value !== undefined) ??
      afterEdges(beside) ??
      id(at(beside, "paging_info", "max_id"));
    return found ?? (names.some((name) => beside[name] === "") ? null : undefined);
  };
}

/** The number of the next page. */
export function nextPage(beside: Wire): number | undefined {
  const page = integer(beside.next_page);
  return page !== undefined && page > 1 ? page : undefined;
}

import type { Page } from "../../mapping/list.ts";
import { unwrap } from "../../upstreams/tikhub/client.ts";
import { ShapeError, type Wire, array, at, boolean, object, rows, text } from "#wire";
import { absent, isNothing } from "../../upstreams/tikhub/instagram-reply.ts";
import { numberOf } from "./posts.map.ts";

/** A post of a reply together with the number of the one above it; null where that one has no readable number. */
export interface Item {
  post: Wire;
  parent: string | null | undefined;
}

/** Keys of the objects that contain the entries of a list. */
const holders = ["mediaData", "searchResults", "xdt_api__v1__users__search_connection"];

interface Listing<Row> {
  /** Name of the list's owner; an empty reply means that the owner is not found. */
  thing?: string;
  /** Selects the posts of one entry that are rows. */
  choose?: (items: Item[]) => Item[];
  read: (post: Wire, parent: Item["parent"]) => Row | undefined;
}

/** A page of posts. Entries contain chains of posts; only a cursor means that a page follows. */
export function pageIn<Row>(body: unknown, listing: Listing<Row>): Page<Row> {
  const { list, beside } = listIn(body, listing.thing);
  const choose = listing.choose ?? ((items) => items);
  // An entry without posts counts as a row that does not fit.
  const found = list.flatMap((entry) => {
    const items = itemsOf(entry);
    return items ? choose(items) : [entry];
  });
  const kept = rows(found, "edges", (row) => {
    const item = object(row.post);
    if (!item) throw new ShapeError("edges[].node.thread_items[].post");
    return listing.read(item, row.parent === null ? null : text(row.parent));
  });
  // Posts that are gone may fill a page.
  return { rows: kept, next: nextOf(beside), advances: kept.length === 0 && list.length > 0 };
}

/** The entries of a reply's list, and the members beside them. */
export function listIn(body: unknown, thing?: string): { list: readonly unknown[]; beside: Wire } {
  const reply = unwrap(body, ...holders, "edges", "threads");
  const holder = holders.map((name) => object(reply?.[name])).find((found) => found) ?? reply;
  const list = array(holder?.edges) ?? array(holder?.threads);
  if (list) return { list, beside: { ...reply, ...holder } };
  if (thing !== undefined && isNothing(body)) throw absent(thing);
  throw new ShapeError("edges");
}

/** The chain of posts in an entry; undefined where there is none. */
export function itemsOf(entry: unknown): Item[] | undefined {
  const node = at(entry, "node") ?? entry;
  const chain = array(at(node, "thread", "thread_items")) ?? array(at(node, "thread_items"));
  // Entries of flat lists are the post itself.
  const posts = chain?.map((item) => at(item, "post")) ?? [at(node, "post") ?? node];
  const items = posts.map((post, index) => ({
    post: object(post),
    parent: index === 0 ? undefined : (numberOf(posts[index - 1]) ?? null),
  }));
  const good = items.filter((item): item is Item => item.post !== undefined);
  return good.length > 0 ? good : undefined;
}

/** The next cursor. `has_next_page` is true even on last pages, which have no cursor. */
function nextOf(beside: Wire): string | undefined {
  const flat = boolean(beside.has_more) === false ? undefined : beside;
  return (
    text(at(beside, "page_info", "end_cursor")) ?? text(flat?.next_cursor) ?? text(flat?.end_cursor)
  );
}

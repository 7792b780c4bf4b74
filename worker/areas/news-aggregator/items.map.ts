import type {
  NewsAggregatorItem,
  NewsAggregatorUser,
} from "../../../contract/areas/news-aggregator/index.ts";
import { type Wire, array, boolean, count, defined, each, integer, need, object } from "#wire";

/** An item; undefined where the site answers `null`: no such item, or one too new to be served. */
export function item(body: unknown): NewsAggregatorItem | undefined {
  if (body === null) return undefined;
  const row = need(object(body), "item");
  return defined({
    id: need(integer(row.id), "item.id"),
    type: anyText(row.type),
    by: anyText(row.by),
    time: integer(row.time),
    title: anyText(row.title),
    text: anyText(row.text),
    url: anyText(row.url),
    score: integer(row.score),
    descendants: count(row.descendants),
    kids: numbers(row, "kids"),
    parent: integer(row.parent),
    poll: integer(row.poll),
    parts: numbers(row, "parts"),
    dead: boolean(row.dead),
    deleted: boolean(row.deleted),
  });
}

/** A user; undefined where the site answers `null`: no such user, or none with public activity. */
export function user(body: unknown): NewsAggregatorUser | undefined {
  if (body === null) return undefined;
  const row = need(object(body), "user");
  const id = anyText(row.id);
  return defined({
    id: need(id === "" ? undefined : id, "user.id"),
    created: integer(row.created),
    karma: integer(row.karma),
    about: anyText(row.about),
    submitted: numbers(row, "submitted"),
  });
}

/** Ids of a story list; a list without stories is `null`. */
export function storyIds(body: unknown): number[] {
  const list = body === null ? [] : need(array(body), "stories");
  const ids = each(list, integer);
  need(list.length > 0 && ids.length === 0 ? undefined : ids, "stories[]");
  return ids;
}

export function updates(body: unknown): { items: number[]; profiles: string[] } {
  const row = need(object(body), "updates");
  return {
    items: each(need(array(row.items), "updates.items"), integer),
    profiles: each(need(array(row.profiles), "updates.profiles"), anyText),
  };
}

/** Texts of the site, empty ones included. */
function anyText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numbers(row: Wire, name: string): number[] | undefined {
  const list = array(row[name]);
  return list && each(list, integer);
}

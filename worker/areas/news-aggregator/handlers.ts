import type { newsAggregator } from "../../../contract/areas/news-aggregator/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Json } from "../../../contract/json.ts";
import type { Call, Connector } from "../../connector.ts";
import { collect, listed, type Page } from "../../mapping/list.ts";
import { inParallel } from "../../mapping/parallel.ts";
import { hackernews } from "../../upstreams/hackernews/client.ts";
import { hnSearch } from "../../upstreams/hn-search/client.ts";
import { at, count, found, integer, need } from "#wire";
import { item, storyIds, updates, user } from "./items.map.ts";
import { hitsOf } from "./search.map.ts";

/** Concurrent item requests of one call. */
const itemsAtOnce = 16;
/** Items of one page: few, so that the deadline is checked in between. */
const itemsPerPage = 32;

export default {
  "news_aggregator.items.get": async (input, call) => ({
    data: found(item(await get(call, `/v0/item/${input.id}.json`)), "item"),
  }),
  "news_aggregator.users.get": async (input, call) => ({
    data: found(user(await get(call, `/v0/user/${encodeURIComponent(input.id)}.json`)), "user"),
  }),
  "news_aggregator.stories.ids": async (input, call) => {
    const stories = await storiesOf(call, input.feed);
    const rowLimit = Math.min(input.limit, call.maxRecords);
    const list = await collect(call, {
      limit: input.limit,
      fetch: async (position) => slice(stories, position, rowLimit),
    });
    return { data: list.rows, pagination: list.pagination, truncated: list.truncated };
  },
  "news_aggregator.stories.items": async (input, call) => {
    const stories = await storiesOf(call, input.feed);
    let missing = Math.min(input.limit, call.maxRecords);
    const list = await collect(call, {
      limit: input.limit,
      async fetch(position) {
        const ids = slice(stories, position, Math.min(missing, itemsPerPage));
        const rows = await itemsOf(call, ids.rows);
        missing -= rows.length;
        return { rows, next: ids.next, advances: ids.next !== undefined };
      },
    });
    return { data: list.rows, pagination: list.pagination, truncated: list.truncated };
  },
  "news_aggregator.max_item.get": async (_input, call) => ({
    data: { max_item: need(integer(await get(call, "/v0/maxitem.json")), "maxitem") },
  }),
  "news_aggregator.updates.get": async (_input, call) => ({
    data: updates(await get(call, "/v0/updates.json")),
  }),
  "news_aggregator.search": (input, call) => {
    const { from_date, to_date } = input;
    if (from_date !== undefined && to_date !== undefined && from_date > to_date) {
      throw invalid("query", "from_date", "invalid_value", "from_date: must not be after to_date");
    }
    return listed(call, {
      limit: input.limit,
      start: { page: 0, size: input.limit },
      key: (row) => String(row.id),
      async fetch(position) {
        const page = need(count(at(position, "page")), "page");
        const hitsPerPage = need(count(at(position, "size")), "size");
        const { body } = await call.send(hnSearch, {
          method: "GET",
          path: input.sort === "newest" ? "/api/v1/search_by_date" : "/api/v1/search",
          query: { query: input.q, ...filtersOf(input), page, hitsPerPage },
        });
        const { rows, pages } = hitsOf(body);
        return { rows, next: page + 1 < pages ? { page: page + 1, size: hitsPerPage } : null };
      },
    });
  },
} satisfies Connector<typeof newsAggregator>;

/** Marks of the search service for kinds of items. */
const marks = { story: "story", comment: "comment", poll: "poll", ask: "ask_hn", show: "show_hn" };

const secondsOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000;

interface Filters {
  type?: keyof typeof marks | undefined;
  by?: string | undefined;
  min_score?: number | undefined;
  from_date?: string | undefined;
  to_date?: string | undefined;
}

/** Conditions of a search, which must all hold. */
function filtersOf({ type, by, min_score, from_date, to_date }: Filters) {
  const tags = [
    ...(type === undefined ? [] : [marks[type]]),
    ...(by === undefined ? [] : [`author_${by}`]),
  ];
  const numbers = [
    ...(min_score === undefined ? [] : [`points>=${min_score}`]),
    ...(from_date === undefined ? [] : [`created_at_i>=${secondsOf(from_date)}`]),
    ...(to_date === undefined ? [] : [`created_at_i<${secondsOf(to_date) + 86_400}`]),
  ];
  return {
    tags: tags.length === 0 ? undefined : tags.join(","),
    numericFilters: numbers.length === 0 ? undefined : numbers.join(","),
  };
}

async function get(call: Call, path: string): Promise<unknown> {
  return (await call.send(hackernews, { method: "GET", path })).body;
}

async function storiesOf(call: Call, feed: string): Promise<number[]> {
  const name = feed === "jobs" ? "job" : feed;
  return [...new Set(storyIds(await get(call, `/v0/${name}stories.json`)))];
}

/**
 * Ids from `position` on. The list changes between calls, so a position is the last delivered id, and the
 * index it had, in case the id has left the list.
 */
export function slice(
  stories: readonly number[],
  position: Json | undefined,
  most: number,
): Page<number> {
  const last = stories.indexOf(integer(at(position, "last")) ?? Number.NaN);
  const start = last < 0 ? (count(at(position, "offset")) ?? 0) : last + 1;
  const rows = stories.slice(start, start + most);
  const end = start + rows.length;
  const more = rows.length > 0 && end < stories.length;
  return { rows, next: more ? { offset: end, last: rows.at(-1) as number } : undefined };
}

/**
 * The items that exist and are not deleted. A few failures are left out; more than half means that the
 * upstream is at fault.
 */
async function itemsOf(call: Call, ids: readonly number[]) {
  const outcomes = await inParallel(itemsAtOnce, ids, async (id) =>
    item(await get(call, `/v0/item/${id}.json`)),
  );
  const failed = outcomes.filter((outcome) => outcome.status === "rejected");
  if (failed[0] && failed.length * 2 > outcomes.length) throw failed[0].reason;
  return outcomes
    .map((outcome) => (outcome.status === "fulfilled" ? outcome.value : undefined))
    .filter((record) => record !== undefined)
    .filter((record) => record.deleted !== true);
}

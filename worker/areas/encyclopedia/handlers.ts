import type { encyclopedia } from "../../../contract/areas/encyclopedia/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { listed } from "../../mapping/list.ts";
import { getMoved } from "../../transport/moved.ts";
import type { Upstream } from "../../transport/upstream.ts";
import { wikidata, wikidataQuery, wikimedia, wikipedia } from "../../upstreams/wikimedia/client.ts";
import { array, at, count, found as foundOrThrow, integer, need, rows } from "#wire";
import { entity, entityFound } from "./entity.map.ts";
import { event, found, languages, page, pageOf, summary, views } from "./page.map.ts";
import { queryAnswer } from "./query.map.ts";

type Query = Readonly<Record<string, string | number | undefined>>;

async function get(call: Call, upstream: Upstream, path: string, query: Query = {}) {
  return (await call.send(upstream, { method: "GET", path, query })).body;
}

const action = (call: Call, upstream: Upstream, query: Query) =>
  get(call, upstream, "/w/api.php", { format: "json", formatversion: 2, ...query });

/** One page by its title; redirects are followed by the source. */
async function pageBy(call: Call, input: { title: string; language: string }, query: Query) {
  const body = await action(call, wikipedia(input.language), {
    action: "query",
    titles: input.title,
    redirects: 1,
    ...query,
  });
  return foundOrThrow(pageOf(body), "page");
}

const dayMs = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** First and last day of the counts; those of today are not complete. */
function daysOf(
  input: {
    from_date?: string | undefined;
    to_date?: string | undefined;
    granularity: "daily" | "monthly";
  },
  now: number,
) {
  const to = input.to_date ?? dayOf(now - dayMs);
  const from = input.from_date ?? dayOf(Date.parse(to) - 29 * dayMs);
  if (from > to) {
    throw invalid("query", "from_date", "invalid_value", "from_date: must not be after to_date");
  }
  return input.granularity === "daily" ? { from, to } : monthsOf(from, to, now);
}

/** The whole months from that of `from` to that of `to`. The source refuses a span without one, and leaves out the running one. */
function monthsOf(from: string, to: string, now: number) {
  const first = `${from.slice(0, 7)}-01`;
  const [year = 0, month = 0] = to.split("-").map(Number);
  const last = dayOf(Date.UTC(year, month, 0));
  const lastComplete = dayOf(Date.parse(`${dayOf(now).slice(0, 7)}-01`) - dayMs);
  if (first > lastComplete) {
    const message = "from_date: the count of a month is complete after its last day";
    throw invalid("query", "from_date", "invalid_value", message);
  }
  return { from: first, to: last < lastComplete ? last : lastComplete };
}

/** The position keeps the size of the pages, so that a caller may change `limit` between two pages. */
const slicePosition = (position: unknown) => ({
  offset: need(count(at(position, "offset")), "offset"),
  size: need(count(at(position, "size")), "size"),
});

/** Wikidata's codes of languages that have another one as a Wikipedia. */
const dataLanguages: Readonly<Record<string, string>> = { simple: "en", no: "nb" };
const dataLanguage = (language: string) => dataLanguages[language] ?? language;

/** Most rows of one request of the Action API. */
const most = { search: 100, entities: 50 };
/** Pages that a search shows; one that reaches behind them is refused. */
const mostFound = 10_000;

export default {
  "encyclopedia.summary": async (input, call) => ({
    data: summary(
      await pageBy(call, input, {
        prop: "extracts|pageimages|description|coordinates|info|pageprops|revisions",
        exintro: 1,
        explaintext: 1,
        piprop: "thumbnail|original",
        pithumbsize: 640,
        inprop: "url",
        rvprop: "timestamp",
      }),
      input.language,
    ),
  }),
  "encyclopedia.page": async (input, call) => ({
    data: page(
      await pageBy(call, input, {
        prop: "extracts|info|pageprops|revisions",
        explaintext: 1,
        exsectionformat: "wiki",
        inprop: "url",
        rvprop: "timestamp",
      }),
      input.language,
    ),
  }),
  "encyclopedia.search": (input, call) =>
    listed(call, {
      limit: input.limit,
      start: { offset: 0, size: Math.min(input.limit, most.search) },
      key: (row) => String(row.page_id),
      async fetch(position) {
        const { offset, size } = slicePosition(position);
        const body = await action(call, wikipedia(input.language), {
          action: "query",
          list: "search",
          srsearch: input.q,
          srlimit: Math.min(size, mostFound - offset),
          sroffset: offset,
          srprop: "size|wordcount|timestamp|snippet",
        });
        const next = integer(at(body, "continue", "sroffset"));
        return {
          rows: rows(at(body, "query", "search"), "query.search", (row) =>
            found(row, input.language),
          ),
          next: next === undefined || next >= mostFound ? null : { offset: next, size },
        };
      },
    }),
  "encyclopedia.page_views": async (input, call) => {
    const { from, to } = daysOf(input, call.startedAt);
    const { title, language, granularity } = input;
    const article = encodeURIComponent(title.replaceAll(" ", "_"));
    const range = `${granularity}/${from.replaceAll("-", "")}/${to.replaceAll("-", "")}`;
    const path = `/api/rest_v1/metrics/pageviews/per-article/${language}.wikipedia/all-access/user/${article}/${range}`;
    const series = rows(at(await get(call, wikimedia, path), "items"), "items", views);
    const view_count = series.reduce((sum, one) => sum + one.view_count, 0);
    return { data: { title, language, granularity, view_count, series } };
  },
  "encyclopedia.on_this_day": (input, call) =>
    listed(call, {
      limit: input.limit,
      start: { offset: 0, size: input.limit },
      async fetch(position) {
        const { offset, size } = slicePosition(position);
        const [month, day] = [input.month, input.day].map((one) => String(one).padStart(2, "0"));
        const path = `/api/rest_v1/feed/onthisday/${input.type}/${month}/${day}`;
        const body = await get(call, wikipedia(input.language), path);
        const all = need(array(at(body, input.type)), input.type);
        const end = offset + size;
        return {
          rows: rows(all.slice(offset, end), input.type, event),
          next: end < all.length ? { offset: end, size } : null,
        };
      },
    }),
  "encyclopedia.languages": async (input, call) => ({
    data: languages(
      await pageBy(call, input, {
        prop: "langlinks|info|pageprops",
        lllimit: 500,
        llprop: "url|langname|autonym",
        inprop: "url",
      }),
      input.language,
    ),
  }),
  "encyclopedia.entities.get": async (input, call) => {
    const path = `/w/rest.php/wikibase/v1/entities/items/${input.id}`;
    const { body } = await getMoved(call, wikidata, { path }, "entity");
    return { data: entity(body, dataLanguage(input.language)) };
  },
  "encyclopedia.entities.search": (input, call) =>
    listed(call, {
      limit: input.limit,
      start: { offset: 0, size: Math.min(input.limit, most.entities) },
      key: (row) => row.id,
      async fetch(position) {
        const { offset, size } = slicePosition(position);
        const language = dataLanguage(input.language);
        const body = await action(call, wikidata, {
          action: "wbsearchentities",
          search: input.q,
          language,
          uselang: language,
          type: "item",
          limit: size,
          continue: offset,
        });
        const next = integer(at(body, "search-continue"));
        return {
          rows: rows(at(body, "search"), "search", (row) => entityFound(row, language)),
          next: next === undefined ? null : { offset: next, size },
        };
      },
    }),
  "encyclopedia.query": async ({ query, limit }, call) => {
    const { body } = await call.send(wikidataQuery, {
      method: "POST",
      path: "/sparql",
      form: { query },
      headers: { accept: "application/sparql-results+json" },
    });
    return { data: queryAnswer(body, limit) };
  },
} satisfies Connector<typeof encyclopedia>;

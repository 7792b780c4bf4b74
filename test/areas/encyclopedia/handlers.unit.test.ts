import { expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import { entity } from "../../../worker/areas/encyclopedia/entity.map.ts";
import {
  event,
  found,
  markdownOf,
  page,
  pageOf,
  summary,
  views,
} from "../../../worker/areas/encyclopedia/page.map.ts";
import { wikipedia as bundled } from "../../../worker/areas/encyclopedia/samples/answers.ts";
import type { Outbound } from "../../../worker/run.ts";
import { createSandbox } from "../../../worker/sandbox/sandbox.ts";
import { samples } from "../../../worker/sandbox/samples.ts";
import type { Upstream, UpstreamRequest } from "../../../worker/transport/upstream.ts";
import { wikidata, wikipedia } from "../../../worker/upstreams/wikimedia/client.ts";
import { ShapeError } from "#wire";
import { ask } from "../answering.ts";
import { expectValues, issues } from "../input.ts";
import { play as playOperation } from "../../operations/play.ts";
import { play, playToEnd } from "../play.ts";

/** The requests of a call. */
async function sentBy(id: string, given: Record<string, unknown>, startedAt?: number) {
  const op = operations.get(id);
  if (!op) throw new Error(id);
  const sent: { upstream: Upstream; request: UpstreamRequest }[] = [];
  const sandbox = createSandbox(samples);
  const outbound: Outbound = {
    ...sandbox,
    send(upstream, request, call) {
      sent.push({ upstream, request });
      return sandbox.send(upstream, request, call);
    },
  };
  const input = op.input.parse(given) as Record<string, unknown>;
  const played = await playOperation(op, input, {
    outbound,
    ...(startedAt === undefined ? {} : { startedAt }),
  });
  return { sent, played };
}

const query = (...pages: unknown[]) => ({ batchcomplete: true, query: { pages } });

test("encyclopedia surprise 1: missing and impossible pages, and faults, come with status 200", async () => {
  expect(pageOf(query({ ns: 0, title: "Nothing", missing: true }))).toBeUndefined();
  expect(pageOf(query({ title: "A<b", invalid: true, invalidreason: "…" }))).toBeUndefined();
  expect(() => pageOf({ batchcomplete: true })).toThrow(ShapeError);
  const none = [{ ...bundled, answers: { "GET /w/api.php": () => query({ missing: true }) } }];
  const played = await play("encyclopedia.page", { title: "Nothing" }, { samples: none });
  expect(played).toMatchObject({ ok: false, type: "not_found" });
  const judged = (code: string) =>
    wikidata.judge({ status: 200, headers: {}, body: { error: { code, info: "…" } } });
  expect(judged("maxlag")).toMatchObject({ type: "upstream_unavailable", retry: true });
  expect(judged("ratelimited")).toMatchObject({ type: "upstream_unavailable", retry: true });
  expect(judged("internal_api_error_DBQueryError")).toMatchObject({ retry: true });
  expect(judged("badvalue")).toMatchObject({ type: "upstream_error" });
  expect(wikidata.judge({ status: 403, headers: {}, body: undefined })).toMatchObject({
    operator: "access refused",
  });
});

const whole = {
  pageid: 1,
  title: "Berlin",
  canonicalurl: "https://en.wikipedia.org/wiki/Berlin",
  lastrevid: 99,
  revisions: [{ timestamp: "2026-05-04T10:00:00Z" }],
  pageprops: { wikibase_item: "Q64" },
};
const shared = {
  page_id: 1,
  title: "Berlin",
  language: "en",
  url: "https://en.wikipedia.org/wiki/Berlin",
  entity_id: "Q64",
  revision_id: 99,
  updated_at: "2026-05-04T10:00:00Z",
};

test.each([
  ["of another wiki", { interwiki: [{ title: "fr:Paris", iw: "fr" }] }],
  ["of a page that is made when it is read", { pages: [{ ns: -1, title: "X", special: true }] }],
])("encyclopedia surprise 1: a title %s is no page", async (_name, answer) => {
  for (const id of ["summary", "page", "languages"]) {
    const { played } = await ask(`encyclopedia.${id}`, { title: "fr:Paris" }, () => ({
      body: { batchcomplete: true, query: answer },
    }));
    expect(played).toMatchObject({ ok: false, type: "not_found" });
  }
});

test("a page without text is free", async () => {
  const answer = query({ pageid: 3, title: "Category:X", extract: "\n" });
  const { played } = await ask("encyclopedia.page", { title: "Category:X" }, () => ({
    body: answer,
  }));
  expect(played).toMatchObject({ ok: true, data: { markdown: "" }, records: 0 });
});

test("a search ends at the last page that the source shows", async () => {
  const found = (limit: number, offset: number) =>
    play(
      "encyclopedia.search",
      { q: "x", limit },
      {
        cursor: { u: { offset, size: limit } },
        samples: [
          {
            ...bundled,
            answers: {
              "GET /w/api.php": ({ query: asked }) => {
                const [first, size] = [Number(asked?.sroffset), Number(asked?.srlimit)];
                if (first + size > 10_000) throw new Error("cirrussearch-offset-too-large");
                const search = Array.from({ length: size }, (_, index) => ({
                  pageid: first + index + 1,
                  title: "X",
                }));
                return { continue: { sroffset: first + size }, query: { search } };
              },
            },
          },
        ],
      },
    );
  expect(await found(30, 9990)).toMatchObject({ records: 10, pagination: { has_more: false } });
  expect(await found(20, 9980)).toMatchObject({ records: 20, pagination: { has_more: false } });
  expect(await found(20, 9960)).toMatchObject({ records: 20, pagination: { has_more: true } });
});

test("a row that moves to the next page between two requests is delivered once", async () => {
  const pages = await ask("encyclopedia.search", { q: "x", limit: 4 }, ({ query: asked }) => ({
    body:
      asked?.sroffset === 0
        ? {
            continue: { sroffset: 4 },
            query: { search: [1, 2].map((pageid) => ({ pageid, title: "X" })) },
          }
        : { query: { search: [2, 3].map((pageid) => ({ pageid, title: "X" })) } },
  }));
  expect(pages.played).toMatchObject({
    data: [{ page_id: 1 }, { page_id: 2 }, { page_id: 3 }],
    records: 3,
  });
  const entities = await ask(
    "encyclopedia.entities.search",
    { q: "x", limit: 4 },
    ({ query: asked }) => ({
      body:
        asked?.continue === 0
          ? { "search-continue": 4, search: [{ id: "Q1" }, { id: "Q2" }] }
          : { search: [{ id: "Q2" }, { id: "Q3" }] },
    }),
  );
  expect(entities.played).toMatchObject({
    data: [{ id: "Q1" }, { id: "Q2" }, { id: "Q3" }],
    records: 3,
  });
});

test("encyclopedia surprise 2: a redirect gives the page that it leads to", async () => {
  const { sent } = await sentBy("encyclopedia.page", { title: " Berlin ", language: "de" });
  expect(sent[0]?.upstream.baseUrl.default).toBe("https://de.wikipedia.org");
  expect(sent[0]?.request.query).toMatchObject({ titles: "Berlin", redirects: 1 });
  expect(page({ ...whole, extract: "A city.\n\n\n== History ==\nOld." }, "en")).toEqual({
    ...shared,
    markdown: "A city.\n\n## History\n\nOld.",
  });
  expect(page({ ...whole, extract: "" }, "en").markdown).toBe("");
  expect(() => page(whole, "en")).toThrow(ShapeError);
});

test("encyclopedia surprise 2: a merged item is the one that it leads to", async () => {
  const items = "/w/rest.php/wikibase/v1/entities/items";
  const { played } = await ask("encyclopedia.entities.get", { id: "Q7" }, ({ path }) =>
    path === `${items}/Q9`
      ? { body: { id: "Q9", labels: { en: "Sample" } } }
      : { status: 308, headers: { location: `https://www.wikidata.org${items}/Q9` }, body: {} },
  );
  expect(played).toMatchObject({ ok: true, data: { id: "Q9", label: "Sample" } });
});

test("encyclopedia surprise 3: lists follow their continuation to the end", async () => {
  const pages = await playToEnd("encyclopedia.search", { q: "x", limit: 50 });
  expect(pages.map((rows) => rows.length)).toEqual([50, 50, 20]);
  const entities = await playToEnd("encyclopedia.entities.search", { q: "x", limit: 60 });
  expect(entities.map((rows) => rows.length)).toEqual([60, 30]);
  const { sent } = await sentBy("encyclopedia.entities.search", { q: "x", limit: 60 });
  expect(sent.map(({ request }) => [request.query?.continue, request.query?.limit])).toEqual([
    [0, 50],
    [50, 50],
  ]);
});

test("encyclopedia surprise 4: headings by their level, and no lists that are none", () => {
  const extract =
    "Intro.\n\n\n== A == b ==\n1. One\n- Two\n# Three\n1984 was.\n\n\n===== Deep =====\nEnd.";
  expect(markdownOf(extract).split("\n\n")).toEqual([
    "Intro.",
    "## A == b",
    "\\1. One",
    "\\- Two",
    "\\# Three",
    "1984 was.",
    "##### Deep",
    "End.",
  ]);
  expect(
    markdownOf("A.\n== Empty ==\n== Full ==\n=== Empty ===\n=== Full ===\nB.\n== End =="),
  ).toBe("A.\n\n## Full\n\n### Full\n\nB.");
});

test("encyclopedia surprise 5: page views keep the title's case, and end yesterday", async () => {
  const now = Date.UTC(2026, 5, 15, 12);
  const { sent, played } = await sentBy("encyclopedia.page_views", { title: "AC/DC live" }, now);
  expect(sent[0]?.request.path).toBe(
    "/api/rest_v1/metrics/pageviews/per-article/en.wikipedia/all-access/user/AC%2FDC_live/daily/20260516/20260614",
  );
  expect(played).toMatchObject({
    ok: true,
    data: { series: [{ date: "2026-05-01" }, {}, {}, {}, {}] },
  });
  expect(views({ timestamp: "2026050200", views: 7 })).toEqual({
    date: "2026-05-02",
    view_count: 7,
  });
  const turned = { title: "A", from_date: "2026-05-02", to_date: "2026-05-01" };
  const { played: refused } = await sentBy("encyclopedia.page_views", turned);
  expect(refused).toMatchObject({ ok: false, type: "validation_error" });
});

test("encyclopedia surprise 5: months are whole, and the running one has no count yet", async () => {
  const now = Date.UTC(2026, 5, 15, 12);
  const rangeOf = async (days: object) => {
    const input = { title: "x", granularity: "monthly", ...days };
    const { sent, played } = await sentBy("encyclopedia.page_views", input, now);
    return played.ok ? sent[0]?.request.path.split("/").slice(-3).join("/") : played.type;
  };
  expect(await rangeOf({})).toBe("monthly/20260501/20260531");
  expect(await rangeOf({ from_date: "2026-01-20", to_date: "2026-02-03" })).toBe(
    "monthly/20260101/20260228",
  );
  expect(await rangeOf({ from_date: "2026-06-02" })).toBe("validation_error");
});

test("encyclopedia surprise 6: every form of a statement's value", () => {
  const value = (content: unknown) => ({ type: "value", content });
  const of = (given: unknown, data_type = "string") => {
    const statements = { P1: [{ property: { id: "P1", data_type }, value: given }] };
    return entity({ id: "Q1", statements }, "en").statements[0]?.value;
  };
  expect(of({ type: "novalue" })).toEqual({ type: "none" });
  expect(of({ type: "somevalue" })).toEqual({ type: "unknown" });
  expect(of(value("Q5"), "wikibase-item")).toEqual({ type: "entity", entity_id: "Q5" });
  expect(of(value("Q5"), "external-id")).toEqual({ type: "text", text: "Q5" });
  expect(of(value("0000 0001"))).toEqual({ type: "text", text: "0000 0001" });
  expect(of(value({ language: "de", text: "Hallo" }))).toEqual({
    type: "text",
    text: "Hallo",
    language: "de",
  });
  expect(of(value({ time: "+1952-03-11T00:00:00Z", precision: 9 }))).toEqual({
    type: "time",
    time: "+1952-03-11T00:00:00Z",
    precision: "year",
  });
  expect(of(value({ amount: "-1.50", unit: "http://www.wikidata.org/entity/Q11573" }))).toEqual({
    type: "quantity",
    amount: "-1.50",
    unit: "Q11573",
  });
  expect(of(value({ amount: "+3", unit: "1" }))).toEqual({ type: "quantity", amount: "3" });
  expect(of(value({ latitude: 52.5, longitude: 13.25 }))).toEqual({
    type: "coordinate",
    latitude: 52.5,
    longitude: 13.25,
  });
  expect(of(value({ odd: 1 }))).toEqual({ type: "unknown" });
});

test("encyclopedia surprise 7: a summary, and the mark of a list of pages", () => {
  const row = {
    ...whole,
    extract: "Berlin is a city.",
    description: "Capital of Germany",
    thumbnail: { source: "https://i.example/640.jpg" },
    original: { source: "https://i.example/a.jpg" },
    coordinates: [{ lat: 52.52, lon: 13.405, primary: true }],
  };
  expect(summary(row, "en")).toEqual({
    ...shared,
    description: "Capital of Germany",
    summary: "Berlin is a city.",
    is_disambiguation: false,
    thumbnail_url: "https://i.example/640.jpg",
    image_url: "https://i.example/a.jpg",
    latitude: 52.52,
    longitude: 13.405,
  });
  const list = { pageid: 2, title: "Mercury", pageprops: { disambiguation: "" } };
  expect(summary(list, "en")).toEqual({
    page_id: 2,
    title: "Mercury",
    language: "en",
    is_disambiguation: true,
  });
});

test("encyclopedia surprise 8: labels in the language that Wikidata has", async () => {
  const id = "Q42000001";
  for (const [language, code] of [
    ["no", "nb"],
    ["simple", "en"],
    ["de", "de"],
  ] as const) {
    const { played } = await sentBy("encyclopedia.entities.get", { id, language });
    expect(played).toMatchObject({ ok: true, data: { language: code, label: expect.any(String) } });
  }
  const names = { labels: { mul: "Ada", de: "Ada (de)" }, aliases: { mul: ["A."], de: ["Adda"] } };
  expect(entity({ id: "Q7", ...names }, "en")).toMatchObject({ label: "Ada", aliases: ["A."] });
  expect(entity({ id: "Q7", ...names }, "de")).toMatchObject({
    label: "Ada (de)",
    aliases: ["Adda", "A."],
  });
});

test("events: a holiday has no year, years before the first are negative", () => {
  expect(event({ text: "A feast", pages: [] })).toEqual({ text: "A feast", pages: [] });
  const pages = [
    {
      title: "A_b",
      titles: { normalized: "A b" },
      content_urls: { desktop: { page: "https://x" } },
    },
  ];
  expect(event({ text: "T", year: -43, pages })).toEqual({
    text: "T",
    year: -43,
    pages: [{ title: "A b", url: "https://x" }],
  });
});

test("a search result has plain text", () => {
  const row = { pageid: 7, title: "T", snippet: 'a <span class="searchmatch">b</span> &amp; c' };
  expect(found(row, "fr")).toEqual({
    page_id: 7,
    title: "T",
    language: "fr",
    snippet: "a b & c",
    url: "https://fr.wikipedia.org/?curid=7",
  });
});

test("titles and ids: what cannot be one is refused before anything is sent", () => {
  expectValues(
    "encyclopedia.page",
    "title",
    ["AC/DC", "C. S. Lewis", "Ä"],
    ["", "..", "a#b", "{x}", "a|b", "/", "x".repeat(256)],
  );
  expectValues("encyclopedia.entities.get", "id", ["q42", "Q1"], ["42", "P31", "Q0", "Q"]);
});

test("one request at a time, and all languages share the limits", () => {
  expect(wikipedia("de").name).toBe(wikipedia("en").name);
  expect(wikipedia("de").limits).toMatchObject({ simultaneous: 1 });
});

test("a title leaves no folder: its parts between slashes are no dots", () => {
  const titles = ["AC/DC", "...And Justice for All", "A/.b", "A/...", "../x", "a/../b", "x/.."];
  const refused = titles.filter((title) => issues("encyclopedia.page_views", { title }).length > 0);
  expect(refused).toEqual(["../x", "a/../b", "x/.."]);
  for (const title of ["./x", "a/./b", "x/.", " ../x"])
    expect(issues("encyclopedia.page", { title }), title).toEqual(["title"]);
});

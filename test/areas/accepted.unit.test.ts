import { expect, test } from "vitest";
import { openApi } from "../../api/openapi/openapi.ts";
import { areas, operations } from "../../contract/index.ts";
import { exampleOf } from "../operations/inputs.ts";
import { play, sandbox } from "../operations/play.ts";

type Json = Record<string, unknown>;

/** The upstream request for an operation's example with these additional fields. */
async function sentFor(id: string, more: Json) {
  const op = operations.get(id);
  if (!op) throw new Error(id);
  const input = op.input.parse({ ...op.example, ...more }) as Json;
  const sent: Json[] = [];
  const played = await play(op, input, {
    outbound: {
      ...sandbox,
      send(upstream, request, call) {
        const body = Array.isArray(request.body) ? (request.body[0] as Json) : request.body;
        sent.push({ ...request.query, ...(body as Json | undefined) });
        return sandbox.send(upstream, request, call);
      },
      fetchFor: (upstream, call) => async (url, init) => {
        sent.push(JSON.parse(await new Request(url, init).clone().text()) as Json);
        return sandbox.fetchFor(upstream, call)(url, init);
      },
    },
  });
  expect(played).toMatchObject({ ok: true, faults: [] });
  return { sent, data: played.ok ? played.data : undefined };
}

const page = { google_domain: "google.co.uk", remove_url_params: ["srsltid", "utm_source"] };
const screen = {
  include_pixel_rankings: true,
  viewport: { width: 1280, height: 720, device_scale_factor: 2 },
};
const pageSent = { se_domain: "google.co.uk", remove_from_url: ["srsltid", "utm_source"] };
const screenSent = {
  calculate_rectangles: true,
  browser_screen_width: 1280,
  browser_screen_height: 720,
  browser_screen_resolution_ratio: 2,
};
const isModel = { field: "model", op: "=", value: "gpt-5" };
const overview = { surface: "ai_overview" };

/** Operation, the caller's fields, and their form in the upstream request. */
const accepted: readonly (readonly [string, Json, Json])[] = [
  ["seo.serp.search", { depth: 100 }, { depth: 100 }],
  ["seo.serp.search", { limit: 20, page: 2 }, { depth: 40 }],
  ["seo.serp.search", { ...page, ...screen }, { ...pageSent, ...screenSent }],
  ["seo.serp.search", { expand_related_results: true }, { group_organic_results: false }],
  ["seo.serp.search", { expand_related_results: false }, { group_organic_results: true }],
  ["seo.serp.search", {}, { group_organic_results: true }],
  ["geo.serp", { ...overview, depth: 200 }, { depth: 200 }],
  ["geo.serp", { ...overview, ...page, ...screen }, { ...pageSent, ...screenSent }],
  ["geo.serp", { ...overview, expand_related_results: true }, { group_organic_results: false }],
  ["geo.serp", screen, screenSent],
  [
    "seo.serp.search",
    { viewport: { width: 400, height: 800, pixel_ratio: 3 } },
    { browser_screen_resolution_ratio: 3 },
  ],
  ["seo.serp.search", { google_search_params: "tbs=qdr:w" }, { search_param: "&tbs=qdr:w" }],
  [
    "seo.serp.search",
    { google_search_params: "&tbs=qdr:w&hl=de", include_omitted_results: true },
    { search_param: "&filter=0&tbs=qdr:w&hl=de" },
  ],
  ["geo.serp", { ...overview, google_search_params: "gl=de" }, { search_param: "&gl=de" }],
  [
    "hotels.info",
    { load_prices_by_dates: true, prices_date_range: "next_30_days" },
    { prices_date_range: "month" },
  ],
  ["microblog.communities.about", { max_results: 5, pagination_token: "a", next_token: "b" }, {}],
  ["geo.mentions.search", { engine: "chatgpt" }, { platform: "chat_gpt" }],
  ["geo.mentions.search", { engine: "google" }, { platform: "google" }],
  ["geo.mentions.aggregated_metrics", { engine: "chatgpt" }, { platform: "chat_gpt" }],
  ["geo.mentions.top_pages", { engine: "google" }, { platform: "google" }],
  ["geo.mentions.search", { filters: isModel }, { filters: ["model_name", "=", "gpt-5"] }],
  ["geo.mentions.search", { offset: 30 }, { offset: 30 }],
  ["microblog.trends.by_woeid", { limit: undefined, max_trends: 7 }, { max_trends: 7 }],
  [
    "videosite.trending",
    { section: "music", language_code: "pt-BR" },
    { context: { client: { hl: "pt-BR" } } },
  ],
  [
    "videosite.trending",
    { section: "gaming", language_code: "de" },
    { context: { client: { hl: "de" } } },
  ],
];

test.each(accepted)("%s %j reaches the upstream", async (id, more, expected) => {
  const { sent } = await sentFor(id, more);
  expect(sent).toContainEqual(expect.objectContaining(deep(expected)));
});

function deep(expected: Json): Json {
  return Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [
      name,
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? expect.objectContaining(deep(value as Json))
        : value,
    ]),
  );
}

test("an answer names the engine in one way, whatever name was requested", async () => {
  const { data } = await sentFor("geo.mentions.search", { engine: "chatgpt" });
  expect(data).toMatchObject({ engine: "assistant" });
});

test("screen positions are in extras in every view, when requested", async () => {
  for (const id of ["seo.serp.search", "geo.serp"]) {
    for (const view of ["summary", "standard", "full"]) {
      const rectangles = async (more: Json) => {
        const { data } = await sentFor(id, { view, ...more });
        const { results } = data as { results: { extras?: Json }[] };
        return results
          .map(({ extras }) => extras?.rectangle)
          .filter((found) => found !== undefined);
      };
      expect(await rectangles({}), `${id} ${view}`).toEqual([]);
      const [first] = await rectangles({ include_pixel_rankings: true });
      const number = expect.any(Number) as number;
      expect(first, `${id} ${view}`).toEqual({
        x: number,
        y: number,
        width: number,
        height: number,
      });
    }
  }
});

test("explore has one page: a cursor yields no rows and no upstream request", async () => {
  const { sent, data } = await sentFor("photosite.explore", { cursor: "abc" });
  expect([sent, data]).toEqual([[], []]);
});

/** Values beyond the upstream's range, and the range in the refusal. */
const refused: readonly (readonly [string, Json, RegExp])[] = [
  ["seo.serp.search", { depth: 201 }, /depth: .*200/],
  ["seo.serp.search", { viewport: { width: 239, height: 720 } }, /viewport\.width: .*240/],
  ["seo.serp.search", { remove_url_params: Array(11).fill("a") }, /remove_url_params: .*10/],
  ["seo.serp.search", { google_domain: "example.com" }, /google_domain: .*such as google\.co\.uk/],
  [
    "seo.serp.search",
    { viewport: { width: 400, height: 800, pixel_ratio: 3, device_scale_factor: 3 } },
    /viewport\.pixel_ratio: is given beside device_scale_factor/,
  ],
  ["seo.serp.search", { google_search_params: "a b" }, /google_search_params: .*such as tbs=qdr:w/],
  ["geo.serp", { ...overview, depth: 201 }, /depth: .*200/],
  ["geo.serp", { depth: 20 }, /depth: .*ai_overview/],
  ["geo.serp", { google_domain: "google.de" }, /google_domain: .*ai_overview/],
  ["geo.mentions.search", { offset: 1_000_001 }, /offset: .*1000000/],
  ["geo.mentions.search", { offset: 1, cursor: "abc" }, /offset: must not be given beside cursor/],
  ["microblog.trends.by_woeid", { limit: undefined, max_trends: 51 }, /max_trends: .*50/],
  ["videosite.trending", { language_code: "english" }, /language_code: .*such as en/],
  [
    "seo.backlinks.bulk_new_lost_backlinks",
    { date_from: "2019-02-01" },
    /date_from: .*from 20\d\d-\d\d-\d\d to/,
  ],
  [
    "seo.competitors.historical_serps",
    { date_from: "2021-02-01" },
    /date_from: .*from 20\d\d-\d\d-\d\d to/,
  ],
];

test.each(refused)("%s %j is refused with its range", (id, more, range) => {
  const op = operations.get(id);
  const { error } = op?.input.safeParse({ ...op.example, ...more }) ?? {};
  const issues = error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
  expect(issues.join("\n")).toMatch(range);
});

test("all accepted fields are described in OpenAPI", () => {
  const text = JSON.stringify(openApi(areas));
  const names = accepted.flatMap(([, more]) => Object.keys(more));
  expect(names.filter((name) => !text.includes(`"${name}"`))).toEqual([]);
  expect(Object.keys(exampleOf(operations.get("photosite.explore") as never))).toEqual([]);
});

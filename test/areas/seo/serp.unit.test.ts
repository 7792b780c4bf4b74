import { expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import seo from "../../../worker/areas/seo/handlers.ts";
import { play } from "../play.ts";
import { dataforseoCalls } from "../dataforseo-call.ts";

const callOf = dataforseoCalls("seo.keywords.ideas", 1000);

const id = "seo.serp.search";
const input = { query: "running shoes" };

interface Page {
  results: { type: string; is_billable: boolean; is_target?: boolean; rank: number }[];
  result_count: number;
  item_types: string[];
  rank_window: object;
  summary: Record<string, unknown>;
  questions: { question: string; rank: number; source?: string }[];
  target?: { present: boolean; best_rank?: number };
  competitors: { domain: string }[];
}

async function page(more: object = {}, options: { maxRecords?: number } = {}) {
  const played = await play(id, { ...input, ...more }, options);
  if (!played.ok) throw new Error(played.message);
  return { ...played, data: played.data as Page };
}

/** The upstream task of a request. */
async function taskOf(more: object) {
  const { call, tasks } = callOf([{ items: [] }], { operation: id });
  const parsed = operations.get(id)?.input.parse({ ...input, ...more });
  await seo[id](parsed as Parameters<(typeof seo)[typeof id]>[0], call);
  return tasks[0];
}

test("seo surprise 33: the depth counts organic results, and other elements come beside them", async () => {
  const { data, records } = await page({ limit: 3 });
  expect(records).toBe(3);
  expect(data.results.filter(({ type }) => type === "organic")).toHaveLength(3);
  expect(data.results.at(-1)?.type).toBe("organic");
  expect(data.result_count).toBe(data.results.length);
  expect(data.results.length).toBeGreaterThan(3);
  for (const { type, is_billable } of data.results) expect(is_billable).toBe(type === "organic");
});

test("the second page continues where the first one ended", async () => {
  const [first, second] = [await page({ limit: 3 }), await page({ limit: 3, page: 2 })];
  const ranks = [...first.data.results, ...second.data.results].map(({ rank }) => rank);
  expect(ranks).toEqual(ranks.map((_, index) => index + 1));
  expect(second.records).toBe(3);
  expect(second.data.rank_window).toEqual({
    page: 2,
    depth: 6,
    start_rank: first.data.results.length + 1,
    end_rank: ranks.length,
  });
});

test("a balance cuts the elements, but not the findings about the target", async () => {
  const target = "shop.example.com";
  const [whole, cut] = [await page({ target }), await page({ target }, { maxRecords: 1 })];
  expect(cut).toMatchObject({ records: 1, truncated: true });
  expect(cut.data.result_count).toBe(cut.data.results.length);
  expect(cut.data.summary).toMatchObject({ organic_results: 1, billable_results: 1 });
  expect(cut.data.target).toEqual(whole.data.target);
  expect(cut.data.competitors).toEqual(whole.data.competitors);
  expect(cut.data.item_types).toEqual(whole.data.item_types);
});

test("the target's elements are marked, and none without a target", async () => {
  const marked = await page({ target: "example.com" });
  expect(marked.data.results.every(({ is_target }) => is_target !== undefined)).toBe(true);
  expect(marked.data.summary).toMatchObject({ target_present: true });
  const plain = await page();
  expect(plain.data.results.some((element) => "is_target" in element)).toBe(false);
  expect(plain.data).not.toHaveProperty("target");
  expect(plain.data.competitors.length).toBeGreaterThan(0);
});

test("types of element narrow down where the target counts", async () => {
  const none = await page({ target: "example.com", target_element_types: ["local_pack"] });
  expect(none.data.target).toMatchObject({ present: false });
  expect(none.data.results.some(({ is_target }) => is_target)).toBe(false);
});

test("questions carry the rank of their block and the page that answers", async () => {
  const { data } = await page();
  const block = data.results.find(({ type }) => type === "people_also_ask");
  expect(data.questions).toHaveLength(3);
  expect(new Set(data.questions.map(({ rank }) => rank))).toEqual(new Set([block?.rank]));
  expect(data.questions[0]?.source).toMatch(/^https:/);
  expect(data.questions[2]).not.toHaveProperty("source");
});

test("a search without results is an empty page that costs nothing", async () => {
  const played = await play(id, { ...input, target: "example.com" }, { scenario: "empty" });
  expect(played).toMatchObject({
    ok: true,
    records: 0,
    data: { results: [], result_count: 0, competitors: [], target: { present: false } },
  });
});

test("the request to the source", async () => {
  expect(await taskOf({ query: "50% off c++" })).toEqual({
    keyword: "50%25 off c%2B%2B",
    location_code: 2840,
    language_code: "en",
    device: "desktop",
    os: "windows",
    depth: 10,
    group_organic_results: true,
    load_async_ai_overview: undefined,
    people_also_ask_click_depth: undefined,
    search_param: undefined,
  });
  expect(
    await taskOf({
      device: "mobile",
      limit: 20,
      page: 3,
      target: "https://www.example.com/",
      stop_at_target: true,
      target_element_types: ["organic"],
      include_ai_overview: true,
      include_omitted_results: true,
      people_also_ask_depth: 2,
    }),
  ).toMatchObject({
    os: "android",
    depth: 60,
    load_async_ai_overview: true,
    people_also_ask_click_depth: 2,
    search_param: "&filter=0",
    stop_crawl_on_match: [{ match_value: "example.com", match_type: "with_subdomains" }],
    find_targets_in: ["organic"],
    target_search_mode: "any",
  });
  expect(await taskOf({ target: "*example.com/shop*", stop_at_target: true })).toMatchObject({
    stop_crawl_on_match: [{ match_value: "*example.com/shop*", match_type: "wildcard" }],
  });
  expect(await taskOf({ target: "example.com" })).not.toHaveProperty("stop_crawl_on_match");
});

test("an operating system of another device is refused with those of both", () => {
  const parsed = operations.get(id)?.input.safeParse({ ...input, os: "ios" });
  expect(parsed?.error?.issues[0]?.message).toBe(
    "must be windows or macos on a desktop, android or ios on a mobile",
  );
});

test.each([
  [{ os: "ios" }, "os"],
  [{ limit: 100, page: 3 }, "page"],
  [{ stop_at_target: true }, "stop_at_target"],
  [{ target: "no domain" }, "target"],
  [{ target: "***" }, "target"],
])("%j is refused at %s", (more, path) => {
  const parsed = operations.get(id)?.input.safeParse({ ...input, ...more });
  expect(parsed?.error?.issues).toMatchObject([{ path: [path] }]);
});

import { expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import { mostRecords } from "../../../contract/operation.ts";
import {
  historicalSerp,
  intersectionField,
  metricsByType,
  pagesKeyword,
  rankedField,
  rankedKeyword,
  serpCompetitor,
  sharedKeyword,
  trafficHistory,
} from "../../../worker/areas/seo/competitors.map.ts";
import { play } from "../play.ts";

const shape = expect.objectContaining({ type: "response_shape_error" }) as Error;
const data = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const keyword_data = { keyword: "red shoes", keyword_info: { search_volume: 90 } };
const element = {
  type: "organic",
  rank_group: 2,
  rank_absolute: 4,
  position: "left",
  domain: "example.com",
  title: "Shoes",
  url: "https://example.com/shoes",
  etv: 27.36,
  main_domain: "example.com",
};

test("seo surprise 3: ranked and shared keywords have their figures under keyword_data", () => {
  const seen = { serp_item: element, is_lost: false, se_results_count: 375_000_000 };
  expect(data(rankedKeyword({ keyword_data, ranked_serp_element: seen }, "full"))).toMatchObject({
    keyword: "red shoes",
    search_volume: 90,
    rank_group: 2,
    rank_absolute: 4,
    url: "https://example.com/shoes",
    is_lost: false,
    serp_results_count: 375_000_000,
    element: { type: "organic", is_billable: false, extras: { main_domain: "example.com" } },
  });
  expect(() => rankedKeyword({ ranked_serp_element: seen }, "full")).toThrow(shape);
});

test("seo surprise 2: pages of an intersection are numbered, and those without a rank are null", () => {
  const pages = ["https://example.com/a", "https://example.org/*", "https://example.net/"];
  const row = { keyword_data, intersection_result: { "3": [element], "1": element, "2": null } };
  const { page_rankings } = pagesKeyword(row, pages, "summary");
  expect(page_rankings.map(({ page }) => page)).toEqual([pages[0], pages[2]]);
});

test("the second domain is absent where only the first one ranks", () => {
  const row = { keyword_data, first_domain_serp_element: element };
  const shared = data(sharedKeyword({ ...row, second_domain_serp_element: null }, "standard"));
  expect(shared).toMatchObject({ first_domain: { rank_group: 2 } });
  expect(shared).not.toHaveProperty("second_domain");
  expect(shared).not.toHaveProperty("first_domain.element");
});

test("metrics of a kind that is null are absent, and ranks are in the full view only", () => {
  const value = { organic: { count: 3, etv: 1.5, pos_1: 2 }, paid: null };
  expect(data(metricsByType(value, "full"))).toEqual({ organic: { count: 3, etv: 1.5, pos_1: 2 } });
  expect(data(metricsByType(value, "summary"))).toEqual({ organic: { count: 3, etv: 1.5 } });
  expect(metricsByType(null, "full")).toBeUndefined();
});

test("seo surprise 26: positions come as an object of keywords and are returned as a list", () => {
  const row = { domain: "example.com", keywords_positions: { shoes: [1, 5, null], boots: [] } };
  expect(serpCompetitor(row, "full").keyword_positions).toEqual([
    { keyword: "shoes", positions: [1, 5] },
    { keyword: "boots", positions: [] },
  ]);
});

test("seo surprise 24: months of traffic are returned oldest first", async () => {
  const month = (year: number, number: number) => ({ year, month: number, etv: 1, count: 2 });
  const { organic, paid } = trafficHistory({ organic: [month(2026, 1), month(2025, 12)] });
  expect(organic?.map(({ year }) => year)).toEqual([2025, 2026]);
  expect(paid).toBeUndefined();
  const played = await play("seo.competitors.historical_rank_overview", {
    target: "example.com",
    date_from: "2025-11-01",
    date_to: "2026-02-28",
  });
  if (!played.ok) throw new Error(played.message);
  const { results } = played.data as { results: { year: number; month: number }[] };
  expect(results.map(({ year, month: number }) => `${year}-${number}`)).toEqual([
    "2025-11",
    "2025-12",
    "2026-1",
    "2026-2",
  ]);
});

test("a stored result page keeps its elements, and a lost one loses no other", () => {
  const page = { datetime: "2026-07-01 10:00:00 +00:00", se_results_count: 0 };
  const stored = historicalSerp({ ...page, items: [element, { title: "?" }] }, "standard");
  expect(stored).toMatchObject({ items_count: 1, item_types: ["organic"] });
  expect(stored.total_results).toBeUndefined();
  expect(historicalSerp({ ...page, items: null }, "full").results).toEqual([]);
  expect(() => historicalSerp({ items: [] }, "full")).toThrow(shape);
});

test.each([
  ["rank_group", "ranked_serp_element.serp_item.rank_group"],
  ["is_lost", "ranked_serp_element.is_lost"],
  ["keyword_difficulty", "keyword_data.keyword_properties.keyword_difficulty"],
  ["ranked_serp_element.serp_item.type", "ranked_serp_element.serp_item.type"],
])("%s of a ranked keyword is %s at the source", (name, place) => {
  expect(rankedField(name)).toBe(place);
});

test.each([
  ["first_domain.rank_group", "first_domain_serp_element.rank_group"],
  ["second_domain.url", "second_domain_serp_element.url"],
  ["2.rank_absolute", "intersection_result.2.rank_absolute"],
  ["cpc", "keyword_data.keyword_info.cpc"],
])("%s of an intersection is %s at the source", (name, place) => {
  expect(intersectionField(name)).toBe(place);
});

test("traffic of many targets comes in their order, and unknown ones are named", async () => {
  const targets = ["Example.com", "blog.example.org", "example.net"];
  const played = await play("seo.competitors.bulk_traffic", { targets });
  if (!played.ok) throw new Error(played.message);
  const { results, missing_targets } = played.data as {
    results: { target: string }[];
    missing_targets: string[];
  };
  expect(results.map(({ target }) => target)).toEqual(["Example.com", "example.net"]);
  expect(missing_targets).toEqual(["blog.example.org"]);
  expect(played.records).toBe(2);
});

test.each([
  [{ date_from: "2025-01-01", date_to: "2025-12-31" }, 12],
  [{}, 12],
])("%j requests at most %i months", (period, most) => {
  const op = operations.get("seo.competitors.historical_rank_overview");
  if (!op) throw new Error("no such operation");
  expect(mostRecords(op, op.input.parse({ target: "example.com", ...period }))).toBe(most);
});

test("where months or days are the records, the price covers them", () => {
  for (const [name, text] of [
    ["historical_rank_overview", "Every month is one record."],
    ["historical_serps", "Every result page is one record"],
  ]) {
    const op = operations.get(`seo.competitors.${name}`);
    expect(op?.description, name).toContain(text);
  }
});

test.each([
  [{ pages: ["https://example.com/a"] }, "intersect"],
  [{ pages: ["https://example.com/*"], exclude_pages: ["https://example.org/"] }, "union"],
])("%j are searched in mode %s", async (input, mode) => {
  const played = await play("seo.competitors.page_intersection", input);
  expect(played).toMatchObject({ ok: true, data: { intersection_mode: mode } });
});

test("pages must be absolute, and a period must not end before it begins", () => {
  const refused = (id: string, input: object) => operations.get(id)?.input.safeParse(input).error;
  expect(refused("seo.competitors.page_intersection", { pages: ["example.com"] })).toBeDefined();
  const dayBefore = (days: number) =>
    new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  expect(
    refused("seo.competitors.historical_serps", {
      keyword: "shoes",
      date_from: dayBefore(30),
      date_to: dayBefore(60),
    })?.issues,
  ).toMatchObject([{ path: ["date_to"] }]);
});

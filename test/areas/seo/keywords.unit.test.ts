import { expect, test } from "vitest";
import {
  keywordField,
  keywordHistory,
  keywordIntent,
  keywordRecord,
  relatedKeyword,
  rounded,
  sentKeyword,
  suggestion,
} from "../../../worker/areas/seo/keyword.map.ts";
import seo from "../../../worker/areas/seo/handlers.ts";
import { play } from "../play.ts";
import { dataforseoCalls } from "../dataforseo-call.ts";

const callOf = dataforseoCalls("seo.keywords.ideas", 1000);

const shape = expect.objectContaining({ type: "response_shape_error" }) as Error;

const row = {
  keyword: "red shoes",
  location_code: 2840,
  language_code: "en",
  keyword_info: {
    last_updated_time: "2026-07-01 10:00:00 +00:00",
    competition: 0.019999999552965164,
    competition_level: "LOW",
    cpc: 1.2345678,
    search_volume: 90,
    categories: [10_001, "x", 10_002],
    monthly_searches: [{ year: 2026, month: 6, search_volume: 50 }, { year: "?" }],
    search_volume_trend: { monthly: -12, quarterly: 3, yearly: null },
  },
  keyword_properties: { keyword_difficulty: 12, core_keyword: null },
  serp_info: null,
  avg_backlinks_info: { backlinks: 218.8000030517578 },
  search_intent_info: { main_intent: "commercial", foreign_intent: ["navigational"] },
};
const locality = { location: "us", language: "en" };
const found = { limit: 100, view: "full", include_serp_info: false, ...locality } as const;

test("seo surprise 3: related keywords have their figures under keyword_data, the others on the row", () => {
  const nested = { keyword_data: row, depth: 2, related_keywords: ["blue shoes", null] };
  expect(relatedKeyword(nested, "summary")).toMatchObject({
    keyword: "red shoes",
    search_volume: 90,
    depth: 2,
    related_keywords: ["blue shoes"],
  });
  expect(() => relatedKeyword({ keyword: "red shoes" }, "summary")).toThrow(shape);
  expect(() => keywordRecord(nested, "summary")).toThrow(shape);
  expect(keywordField("keyword_data.", "search_volume")).toBe(
    "keyword_data.keyword_info.search_volume",
  );
  expect(keywordField("", "avg_backlinks.rank")).toBe("avg_backlinks_info.rank");
  expect(keywordField("", "keyword_info.cpc")).toBe("keyword_info.cpc");
});

test("seo surprise 6: blocks that were not requested are null and leave no fields", () => {
  const record = keywordRecord({ keyword: "rare", keyword_info: null, serp_info: null }, "full");
  expect(JSON.parse(JSON.stringify(record))).toEqual({ keyword: "rare" });
});

test("seo surprise 8: a limit is sent with every list, also where the source has another default", async () => {
  const { call, tasks } = callOf([{ total_count: 1, items: [row] }]);
  const input = { keywords: ["shoes"], closely_variants: false, ignore_synonyms: false, ...found };
  await seo["seo.keywords.ideas"]({ ...input, limit: 100 }, call);
  expect(tasks[0]).toMatchObject({ limit: 100, offset: 0 });
});

test("seo surprise 21: % and + are sent encoded, since the source decodes them", async () => {
  expect(sentKeyword("c++ 100%")).toBe("c%2B%2B 100%25");
  const { call, tasks } = callOf([{ items: [{ keyword: "c++", keyword_difficulty: 3 }] }]);
  const input = { keywords: ["C++"], ...locality };
  const { data } = await seo["seo.keywords.difficulty"](input, call);
  expect(tasks[0]?.keywords).toEqual(["c%2B%2B"].map((text) => text.replace("c", "C")));
  expect(data.results).toEqual([{ keyword: "C++", keyword_difficulty: 3 }]);
});

test("seo surprise 22: keywords come in lower case and any order, and some are left out", async () => {
  const played = await play("seo.keywords.overview", {
    keywords: ["Running Shoes", "trail shoes", "shoe care", "RUNNING shoes"],
  });
  if (!played.ok) throw new Error(played.message);
  const { results, missing_keywords } = played.data as {
    results: { keyword: string }[];
    missing_keywords: string[];
  };
  expect(results.map(({ keyword }) => keyword)).toEqual(["Running Shoes", "shoe care"]);
  expect(missing_keywords).toEqual(["trail shoes"]);
  expect(played.records).toBe(2);
});

test("keywords beyond the balance are named", async () => {
  const keywords = ["one shoe", "two shoes", "three shoes"];
  const played = await play("seo.keywords.difficulty", { keywords }, { maxRecords: 1 });
  if (!played.ok) throw new Error(played.message);
  expect(played).toMatchObject({
    records: 1,
    truncated: true,
    data: { unprocessed_keywords: ["two shoes", "three shoes"] },
  });
});

test("seo surprise 23: noise of 32-bit floats is rounded off prices and competition", () => {
  expect(keywordRecord(row, "summary")).toMatchObject({ competition: 0.02, cpc: 1.2346 });
  expect(rounded(1e308)).toBe(1e308);
});

test("seo surprise 24: months come newest first, and a history is returned oldest first", () => {
  const point = (year: number, month: number) => ({ year, month, keyword_info: row.keyword_info });
  const { history } = keywordHistory({
    keyword: "shoes",
    history: [point(2026, 1), point(2025, 12), { year: 2025 }, null],
  });
  expect(history.map(({ year, month }) => [year, month])).toEqual([
    [2025, 12],
    [2026, 1],
  ]);
});

test("a view decides how much of a keyword is returned", () => {
  const brief = keywordRecord(row, "summary");
  expect(Object.keys(brief)).not.toContain("monthly_searches");
  const standard = keywordRecord(row, "standard");
  expect(standard.monthly_searches).toEqual([{ year: 2026, month: 6, search_volume: 50 }]);
  expect(standard).not.toHaveProperty("categories");
  const full = keywordRecord(row, "full");
  expect(full.categories).toEqual([10_001, 10_002]);
  expect(full.avg_backlinks?.backlinks).toBeCloseTo(218.8);
});

test("an intent without a second one, and a suggestion of nothing but its text", () => {
  const intent = { keyword: "shoes", keyword_intent: { label: "commercial", probability: 0.91 } };
  expect(keywordIntent({ ...intent, secondary_keyword_intents: null })).toEqual({
    keyword: "shoes",
    search_intent: "commercial",
    probability: 0.91,
    secondary_intents: [],
  });
  const bare = suggestion({ suggestion: "shoes", rank_absolute: 1, relevance: null });
  expect(JSON.parse(JSON.stringify(bare))).toEqual({ suggestion: "shoes", rank: 1 });
});

test("seo surprise 25: past 10,000 keywords the offset token continues the list", async () => {
  const page = (token: string) => ({ total_count: 30_000, items: [row], offset_token: token });
  const { call, tasks } = callOf([page("next")], {
    cursor: { u: { skip: 10_001, token: "here", size: 1000 } },
  });
  const { pagination } = await seo["seo.keywords.for_site"](
    { target: "example.com", include_subdomains: true, ...found, limit: 1 },
    call,
  );
  expect(tasks[0]).toMatchObject({ offset_token: "here", limit: 1000 });
  expect(tasks[0]).not.toHaveProperty("offset");
  expect(pagination?.next?.u).toEqual({ skip: 10_002, token: "next", size: 1000 });
});

test("the requested keyword comes beside the list and is free", async () => {
  const input = { keyword: "running shoes", include_seed_keyword: true, limit: 3 };
  const played = await play("seo.keywords.suggestions", input);
  expect(played).toMatchObject({
    ok: true,
    records: 3,
    data: { seed_keyword: "running shoes", seed: { keyword: "running shoes" } },
  });
});

test("fields of filters and order have the source's own names in the request", async () => {
  const { call, tasks } = callOf([{ total_count: 0, items: null }]);
  await seo["seo.keywords.related"](
    {
      keyword: "shoes",
      depth: 1,
      include_seed_keyword: false,
      replace_with_core_keyword: false,
      ignore_synonyms: false,
      ...found,
      filters: {
        and: [
          { field: "search_volume", op: ">", value: 10 },
          { field: "keyword", op: "like", value: "%red%" },
        ],
      },
      order_by: [{ field: "cpc", dir: "desc" }],
    },
    call,
  );
  expect(tasks[0]).toMatchObject({
    filters: [
      ["keyword_data.keyword_info.search_volume", ">", 10],
      "and",
      ["keyword_data.keyword", "like", "%red%"],
    ],
    order_by: ["keyword_data.keyword_info.cpc,desc"],
  });
});

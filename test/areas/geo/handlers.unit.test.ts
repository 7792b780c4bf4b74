import { expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import {
  countRecords,
  creditsFor,
  mostRecords,
  type Operation,
} from "../../../contract/operation.ts";
import {
  breakdown,
  inOrder,
  keywordVolume,
  mention,
  mentionGroup,
  totals,
} from "../../../worker/areas/geo/mentions.map.ts";
import { geoElement } from "../../../worker/areas/geo/serp.map.ts";
import geo from "../../../worker/areas/geo/handlers.ts";
import { targetOf, visibility } from "../../../worker/upstreams/dataforseo/serp-visibility.map.ts";
import { literal } from "../../../worker/upstreams/dataforseo/client.ts";
import { dataforseoCalls } from "../dataforseo-call.ts";
import { issues, parse } from "../input.ts";

const callOf = dataforseoCalls("geo.mentions.search", 1000);

const aggregated = "geo.mentions.aggregated_metrics";
const cross = "geo.mentions.cross_aggregated_metrics";

const group = (mentions: number) => ({
  platform: [{ key: "google", mentions, ai_search_volume: 10 }],
  sources_domain: [{ key: "a.example", mentions, ai_search_volume: null }],
  location: [{ key: 2840, mentions }],
});

test("geo surprise 1: figures are present beside a list that is empty and counted as empty", async () => {
  const result = { total_count: 0, items_count: 0, items: [], aggregated_metrics: group(7) };
  const { call } = callOf([result]);
  const given = parse(aggregated, { target: [{ domain: "example.com" }] }).data as never;
  const { data } = await geo[aggregated](given, call);
  expect(data.totals.by_platform).toEqual([
    { type: "platform", value: "searchengine", mentions: 7, ai_search_volume: 10 },
  ]);
  expect(data.totals.by_location).toEqual([{ type: "location", value: "2840", mentions: 7 }]);
  expect(data.totals.by_source_domain[0]).toEqual({
    type: "source_domain",
    value: "a.example",
    mentions: 7,
  });
  expect(data.totals.by_brand_entity_title).toEqual([]);
});

test("geo surprise 2: a compared group has a key, and a single group is requested without comparison", async () => {
  const target = [{ domain: "example.com" }];
  const two = { groups: ["a", "b"].map((label) => ({ label, target })) };
  const items = [
    { key: "b", ...group(3) },
    { key: "a", ...group(5) },
  ];
  const pair = callOf([{ aggregated_metrics: group(6), items }]);
  const answer = await geo[cross](parse(cross, two).data as never, pair.call);
  expect(answer.data.results.map(({ key, mentions }) => [key, mentions])).toEqual([
    ["a", 5],
    ["b", 3],
  ]);
  expect(pair.requests[0]?.path).toContain("multi_target_metrics");
  expect(pair.tasks[0]?.targets).toMatchObject([{ key: "a" }, { key: "b" }]);

  const short = callOf([{ aggregated_metrics: group(5), items: null }], { maxRecords: 1 });
  const cut = await geo[cross](parse(cross, two).data as never, short.call);
  expect(short.requests[0]?.path).toMatch(/\/target_metrics\/live$/);
  expect(cut).toMatchObject({ truncated: true, data: { results: [{ key: "a", mentions: 5 }] } });
  expect(issues(cross, { groups: [two.groups[0], two.groups[0]] })).toEqual(["groups.1.label"]);
});

test("geo surprise 3: the target's own domain is among the cited ones, and is no competitor", () => {
  const [own, other] = ["www.example.com", "other.example"].map((domain) => ({
    url: `https://${domain}/a`,
    domain,
  }));
  const target = targetOf("example.com");
  const options = { view: "standard", target, isAnswerOnly: false, position: 1 } as const;
  const { row, evidence } = geoElement({ type: "ai_overview", references: [own, other] }, options);
  expect(row.references?.map((found) => found.is_target)).toEqual([true, false]);
  const seen = visibility([evidence], target);
  expect(seen.competitors).toEqual([{ domain: "other.example", best_rank: 1, citation_count: 1 }]);
  expect(seen.target).toMatchObject({ present: true, best_rank: 1, matches: [] });
});

test("geo surprise 4: an answer that took minutes and found nothing is an answer", async () => {
  const given = parse(aggregated, { target: [{ keyword: "100% a+b" }] }).data as never;
  const { call, requests, tasks } = callOf([null]);
  const { data } = await geo[aggregated](given, call);
  expect(Object.values(data.totals)).toEqual([[], [], [], [], [], [], []]);
  expect(requests).toHaveLength(1);
  expect(tasks[0]?.target).toMatchObject([{ keyword: "100%25 a%2Bb" }]);
  expect(operations.get(aggregated)?.deadlineMs({} as never)).toBeGreaterThan(120_000);
  expect(literal("50% + 1")).toBe("50%25 %2B 1");
});

test("geo surprise 5: markdown may hold whole pictures and is kept", () => {
  const markdown = `![a](data:image/png;base64,${"A".repeat(10_000)})`;
  const options = {
    view: "standard",
    target: undefined,
    isAnswerOnly: false,
    position: 1,
  } as const;
  const { row } = geoElement({ type: "ai_overview", markdown }, options);
  expect(row.markdown).toBe(markdown);
});

test("geo surprise 6: the same page with another passage marked is one reference", () => {
  const urls = [
    "https://a.example/p#:~:text=x",
    "https://a.example/p#:~:text=y",
    "https://b.example",
  ];
  const items = [{ type: "ai_overview_element", references: urls.map((url) => ({ url })) }];
  const options = { view: "summary", target: undefined, isAnswerOnly: false, position: 1 } as const;
  const { row } = geoElement({ type: "ai_overview", references: null, items }, options);
  expect(row.references?.map(({ url }) => url)).toEqual([urls[0], urls[2]]);
});

test("geo surprise 7: ranks inside an answer have no meaning outside of it", () => {
  const items = [
    { type: "ai_overview_element", rank_group: 0, rank_absolute: 0, text: "First." },
    { type: "ai_overview_element", rank_group: 9, rank_absolute: 9, text: "Second." },
  ];
  const options = { view: "full", target: undefined, isAnswerOnly: false, position: 4 } as const;
  const { row } = geoElement({ type: "ai_overview", rank_absolute: 2, items }, options);
  expect(row).toMatchObject({ rank: 2, text: "First.\n\nSecond." });
  expect(row.sections).toEqual([
    { type: "ai_overview_element", text: "First." },
    { type: "ai_overview_element", text: "Second." },
  ]);
});

test("geo surprise 8: adverts inside an answer are shown and never the target's", () => {
  const paid = {
    type: "ai_overview_paid",
    text: "Ad",
    items: [{ type: "x", url: "https://example.com/ad", title: "Buy" }],
  };
  const target = targetOf("example.com");
  const options = { view: "full", target, isAnswerOnly: false, position: 1 } as const;
  const { row, evidence } = geoElement({ type: "ai_overview", items: [paid] }, options);
  expect(row.is_target).toBe(false);
  expect(row.sections?.[0]).toMatchObject({ extras: { is_paid: true } });
  expect(row.sections?.[0]?.nested_items?.[0]).toMatchObject({ extras: { is_paid: true } });
  expect(row.sections?.[0]?.nested_items?.[0]).not.toHaveProperty("is_target");
  expect(visibility([evidence], target).target?.present).toBe(false);
});

test("geo surprise 9: pictures on the vendor's own hosts name its task and are left out", () => {
  const images = [
    { alt: "a", url: null, image_url: "https://api.dataforseo.com/cdn/i/1-2:0" },
    { alt: "b", url: null, image_url: "https://images.example/b.webp" },
  ];
  const items = [{ type: "ai_overview_element", images }];
  const options = {
    view: "standard",
    target: undefined,
    isAnswerOnly: false,
    position: 1,
  } as const;
  const { row } = geoElement({ type: "ai_overview", items }, options);
  expect(row.images).toEqual([{ alt: "b", image_url: "https://images.example/b.webp" }]);
});

test("geo surprise 10: a table without a header has its header in the first row", () => {
  const section = (table: unknown) => {
    const options = {
      view: "standard",
      target: undefined,
      isAnswerOnly: false,
      position: 1,
    } as const;
    const items = [{ type: "ai_overview_table_element", table }];
    return geoElement({ type: "ai_overview", items }, options).row.sections?.[0]?.table;
  };
  const table_content = [["a", null], "broken", ["b", "2"]];
  expect(section({ table_header: null, table_content })).toEqual({
    rows: [
      ["a", ""],
      ["b", "2"],
    ],
  });
  expect(section({ table_header: ["A", "B"], table_content: [] })).toEqual({
    header: ["A", "B"],
    rows: [],
  });
  expect(section({ table_header: ["A"], table_content: null })).toBeUndefined();
});

test("geo surprise 11: keywords come in lower case, some are missing, and some have no figures", async () => {
  const id = "geo.keywords.search_volume";
  const keywords = ["Running Shoes", "running shoes", "unknown", "Rare"];
  const items = [
    { keyword: "rare", ai_search_volume: null, ai_monthly_searches: null },
    {
      keyword: "running shoes",
      ai_search_volume: 5,
      ai_monthly_searches: [{ year: 2026, month: 5, ai_search_volume: null }, { year: null }],
    },
  ];
  const { call, tasks } = callOf([{ items }]);
  const { data } = await geo[id](parse(id, { keywords }).data as never, call);
  expect(tasks[0]?.keywords).toEqual(["Running Shoes", "unknown", "Rare"]);
  expect(data).toMatchObject({ location: "us", language: "en", missing_keywords: ["unknown"] });
  expect(data.results).toEqual([
    { keyword: "Running Shoes", ai_search_volume: 5, monthly_searches: [{ year: 2026, month: 5 }] },
    { keyword: "Rare", monthly_searches: [] },
  ]);
  expect(() => keywordVolume({ ai_search_volume: 1 })).toThrow();
});

test("geo surprise 12: answers of the older interface hold their breakdown under total", () => {
  expect(totals({ total: group(4), items: [] })).toEqual(breakdown(group(4)));
  const row = { key: "a", location: null, total: { mentions: 8 } };
  expect(mentionGroup(row, "key")).toMatchObject({ key: "a", mentions: 8 });
  expect(inOrder(["z"], []).map(({ key, mentions }) => [key, mentions])).toEqual([["z", 0]]);
});

test("an overview's page bills the generated answer alone, a conversation everything but adverts", () => {
  const billable = (type: string, isAnswerOnly: boolean) => {
    const options = { view: "summary", target: undefined, isAnswerOnly, position: 1 } as const;
    return geoElement({ type }, options).row.is_billable;
  };
  expect(["ai_overview", "organic", "paid"].map((type) => billable(type, true))).toEqual([
    true,
    false,
    false,
  ]);
  expect(["ai_overview", "organic", "paid"].map((type) => billable(type, false))).toEqual([
    true,
    true,
    false,
  ]);
});

test("a target is a domain or a keyword, with scopes of its kind", () => {
  const of = (target: unknown) => issues(aggregated, { target: [target] });
  expect(of({ domain: "example.com", match: "partial", scope: ["sources"] })).toEqual([]);
  expect(of({ keyword: "a", include_subdomains: true, scope: ["answer", "any"] })).toEqual([]);
  expect(of({ domain: "example.com", scope: ["any", "answer"] })).toEqual(["target.0.scope.1"]);
  expect(of({ keyword: "a", scope: ["sources"] })).toEqual(["target.0.scope.0"]);
  expect(of({})).toEqual(["target.0"]);
  expect(of({ domain: "a.example", keyword: "a" })).toEqual(["target.0"]);
  expect(of({ domain: "www.example.com" })).toEqual(["target.0.domain"]);
  expect(of({ domain: "https://example.com" })).toEqual(["target.0.domain"]);
});

test("the assistant is available for one country and language", () => {
  const target = [{ keyword: "a" }];
  const of = (more: object) => issues(aggregated, { target, engine: "assistant", ...more });
  expect(of({})).toEqual([]);
  expect(of({ location: "United States", language: "English" })).toEqual([]);
  expect(of({ location: 2840 })).toEqual([]);
  expect(of({ location: "de", language: "de" })).toEqual(["location", "language"]);
});

test("filters name assistant and searchengine, the upstream names its platforms", async () => {
  const filters = {
    or: [
      { field: "platform", op: "in", value: ["assistant", "searchengine"] },
      { field: "platform", op: "=", value: "assistant" },
      { field: "mentions", op: ">", value: 3 },
    ],
  };
  const target = [{ domain: "example.com" }];
  const { call, tasks } = callOf([{}]);
  await geo[aggregated](
    parse(aggregated, { target, filters, internal_list_limit: 20 }).data as never,
    call,
  );
  expect(tasks[0]).toMatchObject({
    platform: "google",
    internal_list_limit: 10,
    initial_dataset_filters: [
      ["platform", "in", ["chat_gpt", "google"]],
      "or",
      ["platform", "=", "chat_gpt"],
      "or",
      ["mentions", ">", 3],
    ],
  });
  expect(issues(aggregated, { target, filters: { field: "rank", op: "=", value: 1 } })).toEqual([
    "filters.field",
  ]);
});

test("a recorded answer is short in the summary and whole in the full view", () => {
  const row = {
    platform: "chat_gpt",
    question: "why",
    answer: "because",
    sources: [{ rank: 1, url: "https://a.example", source_name: "A" }, null],
    brand_entities: null,
    is_web_search_based: true,
  };
  expect(mention(row, "summary")).toEqual({
    platform: "assistant",
    question: "why",
    is_web_search_based: true,
  });
  expect(mention(row, "full")).toMatchObject({
    answer: "because",
    sources: [{ rank: 1, url: "https://a.example", source: "A" }],
  });
  expect(mention(row, "full")).not.toHaveProperty("brand_entities");
});

test("every answer on a page is delivered and priced: 1 credit each above the minimum of 10", async () => {
  const op = operations.get("geo.serp") as Operation;
  const items = Array.from({ length: 30 }, (_, index) => ({
    type: "ai_overview",
    rank_absolute: index + 1,
    markdown: `answer ${index}`,
  }));
  const given = parse("geo.serp", { query: "heat pumps" }).data as never;
  const outcomeOf = async (maxRecords: number) => {
    const { call } = callOf([{ items }], {
      maxRecords,
      shortOfCredits: maxRecords < mostRecords(op, given),
    });
    const { data, truncated } = await geo["geo.serp"](given, call);
    const credits = creditsFor(op, countRecords(op, data as never));
    return { delivered: data.results.length, truncated, credits };
  };
  expect(await outcomeOf(mostRecords(op, given))).toEqual({
    delivered: 30,
    truncated: false,
    credits: 30,
  });
  expect(await outcomeOf(12)).toEqual({ delivered: 12, truncated: true, credits: 12 });
  expect(await outcomeOf(3)).toEqual({ delivered: 3, truncated: true, credits: 10 });
});

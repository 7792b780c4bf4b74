import { expect, test } from "vitest";
import local from "../../../../worker/areas/local/handlers.ts";
import maps from "../../../../worker/areas/maps/handlers.ts";
import { newsElement } from "../../../../worker/areas/news/article.map.ts";
import news from "../../../../worker/areas/news/handlers.ts";
import { localElement, mapElement } from "../../../../worker/upstreams/dataforseo/places.map.ts";
import { mapTask } from "../../../../worker/upstreams/dataforseo/search-page.ts";
import { dataforseoCalls } from "../../../areas/dataforseo-call.ts";
import { issues as issuesOf, parse as parseAny } from "../../../areas/input.ts";

const callOf = dataforseoCalls("maps.search", 700);
const parse = (id: string, given: object) => parseAny(id, { query: "cafe", ...given });
const issues = (id: string, given: object) => issuesOf(id, { query: "cafe", ...given });

test("search-pages surprise 1: a total of 0 means unknown", async () => {
  const page = {
    se_results_count: 0,
    item_types: null,
    items: [{ type: "maps_search", title: "A" }],
  };
  const { data } = await maps["maps.search"](
    parse("maps.search", {}).data as never,
    callOf([page]).call,
  );
  expect(data).not.toHaveProperty("total_results");
  expect(data).toMatchObject({ item_types: ["maps_search"], result_count: 1 });
  const empty = await maps["maps.search"](
    parse("maps.search", {}).data as never,
    callOf([null]).call,
  );
  expect(empty.data).toMatchObject({ results: [], item_types: [], result_count: 0 });
});

test.each([
  ["5+ years in business · 12 Main St, Springfield\nOpen", "12 Main St, Springfield"],
  [
    "10+ years in business · Bartlesville, OK, United States \nMon: 9AM–7PM",
    "Bartlesville, OK, United States",
  ],
  ["5+ years in business \nMon: 9AM–5PM · +1 555-555-0100", undefined],
  ["Closed ⋅ Opens 9 AM Mon · +1 555-555-0100", undefined],
  ["In Grand Mall · 1 Plaza", "1 Plaza"],
  ['"Great nails"', undefined],
  ["", undefined],
])("search-pages surprise 2: the address in %j", (description, address) => {
  const element = { type: "local_pack", title: "A", description };
  expect(localElement(element, "standard", 1).address).toBe(address);
  const own = { ...element, address: "1 Own Street" };
  expect(localElement(own, "standard", 1).address).toBe("1 Own Street");
});

test("search-pages surprise 3: zero and zero is no location, except with an address", () => {
  const point = { type: "maps_search", latitude: 0, longitude: 0 };
  expect(mapElement(point, "standard", 1)).not.toHaveProperty("latitude");
  expect(mapElement({ ...point, address: "Null Island" }, "standard", 1)).toMatchObject({
    latitude: 0,
    longitude: 0,
  });
});

test("search-pages surprise 4: a picture on the vendor's own host is left out", () => {
  const element = { type: "news_search", title: "A" };
  const own = { ...element, image_url: "https://api.dataforseo.com/cdn/i/0113-1535:0" };
  expect(JSON.stringify(newsElement(own, "full", 1))).not.toContain("0113-1535");
  const other = { ...element, image_url: "https://i.example/a.webp" };
  expect(newsElement(other, "standard", 1).image_url).toBe("https://i.example/a.webp");
});

test("search-pages surprise 5: ranks within a kind repeat, stories in a block are not billed", async () => {
  const story = { type: "top_stories_element", title: "S", source: "Times", date: "1 day ago" };
  const items = [
    {
      type: "news_search",
      rank_group: 1,
      rank_absolute: 1,
      title: "N",
      timestamp: "2026-01-12 22:07:51 +00:00",
      time_published: null,
    },
    { type: "top_stories", rank_group: 1, rank_absolute: 2, title: "T", items: [story] },
  ];
  const page = { items, includes_non_news_search_results: true, se_results_count: 77 };
  const { call, tasks } = callOf([page]);
  const given = parse("news.search", { time_range: "week" }).data as never;
  const { data } = await news["news.search"](given, call);
  expect(tasks[0]).toMatchObject({ search_param: "&tbs=qdr:w", depth: 10, location_code: 2840 });
  expect(data.results.map((row) => [row.rank, row.group_rank, row.is_billable])).toEqual([
    [1, 1, true],
    [2, 1, true],
  ]);
  expect(data.results[0]?.extras).toEqual({ published_at: 1_768_255_671 });
  expect(data.results[1]?.nested_items?.[0]).toMatchObject({
    is_billable: false,
    extras: { source: "Times", date: "1 day ago" },
  });
  expect(data).toMatchObject({ includes_non_news_search_results: true, total_results: 77 });
});

test("search-pages surprise 6: closed days are left out of opening hours", () => {
  const monday = [{ open: { hour: 8, minute: 0 }, close: { hour: 17, minute: 0 } }];
  const hours = (work_hours: unknown) =>
    mapElement({ type: "maps_search", work_hours }, "standard", 1).extras?.work_hours;
  expect(hours({ timetable: { monday, sunday: null }, current_status: "open" })).toEqual({
    timetable: { monday },
    current_status: "open",
  });
  expect(hours({ timetable: null, current_status: "close" })).toEqual({ current_status: "close" });
});

test("search-pages surprise 7: a point on a map has a zoom and few decimals", () => {
  const input = { query: "q", location: "us", language: "en", view: "full", limit: 1 } as const;
  const coordinate = { latitude: 41.123_456_789, longitude: -87.5, zoom: 15 };
  expect(mapTask({ ...input, coordinate })).toMatchObject({
    location_coordinate: "41.1234568,-87.5,15z",
  });
  expect(mapTask({ ...input, location: "41.1,-87.5,2500" })).toMatchObject({
    location_coordinate: "41.1,-87.5",
  });
  expect(mapTask({ ...input, location: "41.1,-87.5,12z" })).toMatchObject({
    location_coordinate: "41.1,-87.5,12z",
  });
  expect(mapTask({ ...input, location: "41.123456789, -87.5" })).toMatchObject({
    location_coordinate: "41.1234568,-87.5",
  });
  expect(mapTask({ ...input, coordinate: { latitude: 0.0000005, longitude: 6.7 } })).toEqual({
    location_coordinate: "0.0000005,6.7",
    language_code: "en",
  });
  expect(mapTask(input)).toEqual({ location_code: 2840, language_code: "en" });
});

test("search-pages surprise 8: adverts on maps are free, and the credits pay for no more than the rest", async () => {
  const types = ["maps_search", "maps_paid_item", "maps_search", "maps_search"];
  const items = types.map((type, index) => ({ type, title: String(index) }));
  const given = parse("maps.search", { limit: 3 }).data as never;
  const short = callOf([{ items }], { maxRecords: 2, shortOfCredits: true });
  const { data, truncated } = await maps["maps.search"](given, short.call);
  expect(short.tasks[0]?.depth).toBe(2);
  expect(data.results.map((row) => row.is_billable)).toEqual([true, false, true]);
  expect([data.result_count, truncated]).toEqual([3, true]);
});

test("the device follows the operating system, and never contradicts it", async () => {
  const { call, tasks } = callOf([{ items: [] }, { items: [] }]);
  const given = { os: "ios", min_rating: 2, time_filter: "friday;18" };
  await local["local.search"](parse("local.search", given).data as never, call);
  expect(tasks[0]).toMatchObject({
    device: "mobile",
    os: "ios",
    min_rating: 2,
    time_filter: "friday;18",
  });
  await local["local.search"](parse("local.search", {}).data as never, call);
  expect(tasks[1]).toMatchObject({ device: "desktop" });
  expect(tasks[1]?.time_filter).toBeUndefined();
  const contrary = { device: "desktop", os: "ios" };
  expect(issues("local.search", contrary)).toEqual(["os"]);
  expect(parse("local.search", contrary).error?.issues[0]?.message).toBe(
    "must be windows or macos on a desktop, android or ios on a mobile",
  );
  expect(issues("local.search", { min_rating: 2.5 })).toEqual(["min_rating"]);
  expect(issues("local.search", { time_filter: "friday;24" })).toEqual(["time_filter"]);
});

test("a page has no more rows than its limit, adverts included", async () => {
  const rows = (kind: string) => [
    { type: kind, title: "Advert", is_paid: true },
    { type: kind, title: "A" },
    { type: kind, title: "B" },
  ];
  const limited = (id: string) => ({ ...(parse(id, {}).data as object), limit: 2 }) as never;
  const found = [
    await maps["maps.search"](
      limited("maps.search"),
      callOf([{ items: rows("maps_search") }]).call,
    ),
    await local["local.search"](
      limited("local.search"),
      callOf([{ items: rows("local_pack") }]).call,
    ),
  ];
  for (const { data } of found) {
    expect(data.results.map(({ title }) => title)).toEqual(["Advert", "A"]);
    expect(data.result_count).toBe(2);
  }
});

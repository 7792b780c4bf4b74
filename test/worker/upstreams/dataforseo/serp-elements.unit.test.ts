import { expect, test } from "vitest";
import { cleaned } from "../../../../worker/mapping/cleaned.map.ts";
import {
  pageFields,
  serpElement,
  untilBillable,
} from "../../../../worker/upstreams/dataforseo/serp-elements.map.ts";

const shape = expect.objectContaining({ type: "response_shape_error" }) as Error;

const shop = {
  type: "organic",
  rank_group: 3,
  rank_absolute: 7,
  position: "left",
  page: 1,
  xpath: "/html[1]",
  rectangle: null,
  title: "Shoes",
  url: "https://shop.example/shoes",
  description: "All shoes",
  breadcrumb: "shop > shoes",
  rating: { value: 4.5, votes_count: null, rating_type: "Max5", rating_max: 5 },
  cache_url: null,
  links: [{ title: "More", description: null }],
  latitude: 0,
  longitude: 0,
};

test("the views of an element differ in their fields, never in the element", () => {
  const summary = serpElement(shop, { view: "summary", position: 1 });
  expect(summary).toEqual({
    type: "organic",
    is_billable: true,
    rank: 7,
    group_rank: 3,
    title: "Shoes",
    url: "https://shop.example/shoes",
    domain: "shop.example",
    rating: { value: 4.5, rating_type: "Max5", rating_max: 5 },
  });
  const standard = serpElement(shop, { view: "standard", position: 1, curated: ["breadcrumb"] });
  expect(standard).toEqual({
    ...summary,
    snippet: "All shoes",
    extras: { breadcrumb: "shop > shoes" },
  });
  expect(serpElement(shop, { view: "full", position: 1 })).toEqual({
    ...summary,
    snippet: "All shoes",
    extras: {
      breadcrumb: "shop > shoes",
      links: [{ title: "More" }],
      position: "left",
      page: 1,
    },
  });
});

test.each(["paid", "maps_paid_item", "shopping", "commercial_units", "local_services"])(
  "seo surprise 27: %s is an advert whatever its other fields are",
  (type) => {
    const element = serpElement({ type, is_paid: false }, { view: "summary", position: 2 });
    expect(element).toMatchObject({ is_paid: true, is_billable: false, rank: 2, group_rank: 2 });
  },
);

test("seo surprise 28: a rank of 0 means none: the position in the list, and nothing inside an element", () => {
  const stories = {
    type: "top_stories",
    rank_absolute: 0,
    items: [
      {
        type: "top_stories_element",
        rank_absolute: 0,
        title: "Flood",
        source: "The Paper",
        date: "2 hours ago",
        timestamp: "2026-07-01 10:00:00 +00:00",
        image_url: "https://api.dataforseo.com/cdn/i/0701:1",
        badges: ["Live"],
      },
      "no object",
      { title: "no type" },
    ],
  };
  const published = { source: "The Paper", date: "2 hours ago", published_at: 1_782_900_000 };
  expect(serpElement(stories, { view: "standard", position: 5 })).toEqual({
    type: "top_stories",
    is_billable: true,
    rank: 5,
    group_rank: 5,
    nested_items: [
      { type: "top_stories_element", is_billable: false, title: "Flood", extras: published },
    ],
  });
});

test("seo surprise 29: pictures on the vendor's own hosts carry its ids and are left out", () => {
  const image_url = "https://api.dataforseo.com/cdn/i/0701:1";
  const element = serpElement(
    { type: "organic", image_url, images: [{ alt: "A", image_url }] },
    { view: "full", position: 1 },
  );
  expect(JSON.stringify(element)).not.toContain("dataforseo");
  expect(element.extras).toEqual({ images: [{ alt: "A" }] });
  expect(cleaned("https://dataforseo.com.example/x")).toBe("https://dataforseo.com.example/x");
});

test("items of plain text are in extras, and cells of tables keep their positions", () => {
  const searches = { type: "related_searches", items: ["red shoes", "blue shoes"] };
  expect(serpElement(searches, { view: "full", position: 1 }).extras).toEqual({
    items: ["red shoes", "blue shoes"],
  });
  expect(cleaned({ table: [["a", null], [""]] })).toEqual({ table: [["a", null], [""]] });
});

test("an element without a type does not fit, and one that contains itself to any depth does", () => {
  expect(() => serpElement({ title: "?" }, { view: "full", position: 1 })).toThrow(shape);
  let deep: Record<string, unknown> = { type: "leaf" };
  for (let depth = 0; depth < 2000; depth += 1) deep = { type: "box", items: [deep], more: [deep] };
  expect(serpElement(deep, { view: "full", position: 1 }).type).toBe("box");
});

test("coordinates of zero count only beside an address", () => {
  const zero = { type: "maps_search", latitude: "0", longitude: 0 };
  expect(serpElement(zero, { view: "full", position: 1 })).not.toHaveProperty("latitude");
  const island = { ...zero, address: "Null Island" };
  expect(serpElement(island, { view: "full", position: 1 })).toMatchObject({
    latitude: 0,
    longitude: 0,
  });
});

test("the domain is that of the address, unless it is one of the search engine's own", () => {
  const domainOf = (url: string) =>
    serpElement({ type: "organic", url }, { view: "summary", position: 1 }).domain;
  expect(domainOf("https://WWW.shop.example:8080/x?y")).toBe("www.shop.example");
  expect(domainOf("https://www.google.com.br/search?q=x")).toBeUndefined();
  expect(domainOf("/search?q=x")).toBeUndefined();
});

test("seo surprise 30: a total of 0 means unknown", () => {
  const result = { se_results_count: 0, item_types: null, check_url: "https://search.example/" };
  expect(pageFields(result, ["organic", "paid", "organic"])).toEqual({
    search_url: "https://search.example/",
    item_types: ["organic", "paid"],
  });
  expect(pageFields(undefined, [])).toEqual({ item_types: [] });
});

test("a list ends with its last billable element, and adverts before it stay", () => {
  const rows = [false, true, false, true, false].map((is_billable) => ({ is_billable }));
  expect(untilBillable(rows, 1)).toEqual({ rows: rows.slice(0, 2), isCut: true });
  expect(untilBillable(rows, 2)).toEqual({ rows: rows.slice(0, 4), isCut: false });
  expect(untilBillable(rows, 3)).toEqual({ rows, isCut: false });
});

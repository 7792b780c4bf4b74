import { expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import { counts, day, time } from "../../../worker/upstreams/dataforseo/values.map.ts";
import seo from "../../../worker/areas/seo/handlers.ts";
import {
  anchorProfile,
  backlink,
  competitor,
  domainIntersection,
  domainPage,
  linkProfile,
  linkSummary,
  networkProfile,
  oldestFirst,
  pageIntersection,
  timePoint,
} from "../../../worker/areas/seo/backlinks.map.ts";
import { dataforseoCalls } from "../dataforseo-call.ts";
import { parse } from "../input.ts";
import { play } from "../play.ts";

const shape = expect.objectContaining({ type: "response_shape_error" }) as Error;

const callOf = dataforseoCalls("seo.backlinks.list", 1000);

const scope = {
  include_subdomains: true,
  include_indirect_links: true,
  exclude_internal_backlinks: true,
  backlinks_status_type: "live",
  rank_scale: "one_thousand",
  internal_list_limit: 10,
} as const;
const shaped = { view: "full", limit: 100 } as const;

test("seo surprise 14: times with a blank before the offset are read the same everywhere", () => {
  expect(time("2026-07-01 12:30:05 +00:00")).toBe("2026-07-01T12:30:05Z");
  expect(time("2026-07-01 12:30:05 +02:00")).toBe("2026-07-01T10:30:05Z");
  expect(time("2026-07-01T12:30:05Z")).toBe("2026-07-01T12:30:05Z");
  for (const value of ["2026-13-01 00:00:00 +00:00", "yesterday", "", 1_782_900_000, null])
    expect(time(value)).toBeUndefined();
  expect(day("2026-07-01 00:00:00 +00:00")).toBe("2026-07-01");
  expect(day("2026-07-01")).toBe("2026-07-01");
  expect(day("2026-07-011")).toBeUndefined();
});

test("seo surprise 7: a breakdown of null is empty, and an entry without a name is unknown", () => {
  expect(counts(null)).toEqual({});
  expect(counts({ "": 3, com: 2 })).toEqual({ unknown: 3, com: 2 });
  expect(counts({ unknown: 4, "": 3 })).toEqual({ unknown: 7 });
  expect(counts({ com: "many", net: 1 })).toEqual({ net: 1 });
  expect(counts(undefined)).toBeUndefined();
  expect(counts([1])).toBeUndefined();
});

test("seo surprise 9: a rank of 0 stays and a country of null is absent", () => {
  const row = { url_from: "https://a.example/1", rank: 0, domain_from_rank: 0 };
  const found = backlink(
    { ...row, domain_from_country: null, prev_seen: null, attributes: null },
    "full",
  );
  expect(found).toMatchObject({ rank: 0, domain_from_rank: 0, attributes: [] });
  expect(JSON.parse(JSON.stringify(found))).toEqual({
    url_from: "https://a.example/1",
    rank: 0,
    domain_from_rank: 0,
    attributes: [],
  });
});

test("seo surprise 5: the status codes of pages are those of their own HTTP answers", () => {
  const page = domainPage({ page: "https://a.example/", status_code: 301, meta: null }, "full");
  expect(page).toMatchObject({ url: "https://a.example/", status_code: 301 });
  expect(page.meta).toBeUndefined();
  const path = [{ type: "redirect", status_code: 302, url: "https://b.example/" }, { type: "x" }];
  const link = backlink({ url_from: "https://a.example/", indirect_link_path: path }, "full");
  expect(link.indirect_link_path).toEqual([path[0]]);
});

test("seo surprise 4: target means the domain that links, or the one that competes", () => {
  const found = domainIntersection(
    { domain_intersection: { 1: { target: "linker.example", rank: 3 } } },
    ["asked.example"],
    "full",
  );
  expect(found).toMatchObject({
    domain: "linker.example",
    referring_to: [{ target: "asked.example", metrics: { rank: 3 } }],
  });
  expect(competitor({ target: "rival.example", rank: 5, intersections: 2 })).toEqual({
    target: "rival.example",
    rank: 5,
    intersections: 2,
  });
});

test("seo surprise 2: intersections are numbered objects, of objects by domain and of lists by page", () => {
  const targets = ["a.example", "b.example", "c.example"];
  const byDomain = domainIntersection(
    {
      domain_intersection: {
        3: { target: "linker.example", backlinks: 30 },
        1: { target: "linker.example", backlinks: 10 },
        2: null,
        4: { target: "linker.example" },
        x: {},
      },
      summary: { intersections_count: 2 },
    },
    targets,
    "full",
  );
  expect(byDomain.intersections_count).toBe(2);
  expect(byDomain.referring_to.map(({ target, metrics }) => [target, metrics.backlinks])).toEqual([
    ["a.example", 10],
    ["c.example", 30],
  ]);
  const link = (url_from: string) => ({ url_from, domain_from: "linker.example" });
  const byPage = pageIntersection(
    {
      page_intersection: {
        2: [link("https://linker.example/1"), { rank: 1 }, link("https://linker.example/1")],
        1: null,
        3: [],
      },
    },
    targets,
    "full",
  );
  expect(byPage).toMatchObject({
    url_from: "https://linker.example/1",
    domain_from: "linker.example",
  });
  expect(byPage.links_to.map(({ target, links }) => [target, links.length])).toEqual([
    ["b.example", 2],
  ]);
  expect(() => domainIntersection({ domain_intersection: [] }, targets, "full")).toThrow(shape);
  expect(() => pageIntersection({ page_intersection: { 1: {} } }, targets, "full")).toThrow(shape);
});

test("a fault in one field loses that field alone", () => {
  const row = { target: "a.example", rank: "high", backlinks: -1, referring_pages: 4 };
  expect(
    JSON.parse(JSON.stringify(linkSummary({ ...row, info: "none" }, "A.example", "full"))),
  ).toEqual({
    target: "A.example",
    view: "full",
    referring_pages: 4,
  });
  expect(() => linkSummary({ rank: 1 }, "a.example", "full")).toThrow(shape);
});

test("an anchor without text is a row, one without figures is not", () => {
  expect(anchorProfile({ anchor: null, backlinks: 2 }, "summary")).toMatchObject({ backlinks: 2 });
  expect(() => anchorProfile({ anchor: "x" }, "summary")).toThrow(shape);
});

test("a network has no spam score, and a summary no breakdowns", () => {
  const row = {
    network_address: "192.0.2.1",
    backlinks_spam_score: 5,
    rank: 1,
    lost_date: "2026-01-02 03:04:05 +00:00",
    referring_links_tld: { com: 1 },
  };
  expect(networkProfile(row, "full")).not.toHaveProperty("backlinks_spam_score");
  expect(linkProfile(row, "full")).toMatchObject({
    referring_links_tld: { com: 1 },
    lost_date: "2026-01-02T03:04:05Z",
  });
  expect(linkProfile(row, "summary")).not.toHaveProperty("referring_links_tld");
  const link = { url_from: "https://a.example/", anchor: "x", text_pre: "y" };
  expect(backlink(link, "summary")).toMatchObject({ anchor: "x" });
  expect(backlink(link, "summary")).not.toHaveProperty("text_pre");
});

test("texts, tags and technologies of a page come under their names", () => {
  const meta = {
    title: "Title",
    htags: { h1: ["One"], h2: ["", "Two"], h3: "three" },
    charset: 65001,
    page_spam_score: 4,
    technologies: { servers: { cdn: ["Somecache", 1], other: "x" }, broken: 1 },
    social_media_tags: { "og:title": "Title", "og:width": 200 },
  };
  const { title, meta: found } = domainPage({ page: "https://a.example/", meta }, "full");
  expect(title).toBe("Title");
  expect(JSON.parse(JSON.stringify(found))).toEqual({
    spam_score: 4,
    charset: "65001",
    h1: ["One"],
    h2: ["Two"],
    technologies: { servers: { cdn: ["Somecache"] } },
    social_media_tags: { "og:title": "Title" },
  });
});

test("seo surprise 19: a series is oldest first, and new and lost links may be absent", async () => {
  const { call } = callOf([
    {
      items: [
        { date: "2021-06-01 00:00:00 +00:00", backlinks: 3, new_backlinks: 1 },
        { date: "2021-04-01 00:00:00 +00:00", backlinks: 1 },
        { date: "2021-05-01 00:00:00 +00:00", backlinks: 2, new_backlinks: 0 },
        { backlinks: 9 },
      ],
    },
  ]);
  const input = { target: "a.example", rank_scale: "one_thousand", view: "full" } as const;
  const { data } = await seo["seo.backlinks.history"](input, call);
  expect(data.series.map((point) => [point.date, point.new_backlinks])).toEqual([
    ["2021-04-01", undefined],
    ["2021-05-01", 0],
    ["2021-06-01", 1],
  ]);
  expect(oldestFirst([])).toEqual([]);
});

test("a point of a series has the nofollow links beside all of them", () => {
  const row = { date: "2026-06-30 00:00:00 +00:00", backlinks: 9, backlinks_nofollow: 2 };
  expect(timePoint(row)).toMatchObject({
    date: "2026-06-30",
    backlinks: 9,
    backlinks_nofollow: 2,
  });
});

test("one task goes out, in the upstream's names and with the host in its plain form", async () => {
  const { call, requests } = callOf([{ target: "a.example" }]);
  await seo["seo.backlinks.summary"](
    {
      ...scope,
      target: "A.Example",
      view: "full",
      backlinks_filters: { field: "dofollow", op: "=", value: true },
    },
    call,
  );
  expect(requests).toEqual([
    {
      method: "POST",
      path: "/v3/backlinks/summary/live",
      body: [{ ...scope, target: "a.example", backlinks_filters: ["dofollow", "=", true] }],
    },
  ]);
});

test("seo surprise 11: nothing known about a target is not found, for an object and for a series", async () => {
  const notFound = expect.objectContaining({ type: "not_found" }) as Error;
  await expect(
    seo["seo.backlinks.summary"](
      { ...scope, target: "a.example", view: "full" },
      callOf([null]).call,
    ),
  ).rejects.toThrow(notFound);
  const period = { target: "a.example", group_range: "month", include_subdomains: true } as const;
  await expect(
    seo["seo.backlinks.timeseries_new_lost"](period, callOf([null]).call),
  ).rejects.toThrow(notFound);
});

test("a list without matches is empty", async () => {
  const { call } = callOf([null]);
  const found = await seo["seo.backlinks.anchors"](
    { ...scope, ...shaped, target: "a.example" },
    call,
  );
  expect(found.data).toMatchObject({ target: "a.example", view: "full", results: [] });
  expect(found.pagination).toEqual({ has_more: false });
});

test("targets of an intersection are sent by number and named in the caller's spelling", async () => {
  const row = { domain_intersection: { 2: { target: "linker.example", rank: 1 } } };
  const { call, requests } = callOf([{ total_count: 1, items: [row] }]);
  const found = await seo["seo.backlinks.domain_intersection"](
    { ...scope, ...shaped, targets: ["A.example", "B.example"], intersection_mode: "partial" },
    call,
  );
  expect((requests[0] as { body: object[] }).body[0]).toMatchObject({
    targets: { 1: "a.example", 2: "b.example" },
    intersection_mode: "partial",
  });
  expect(found.data.results[0]?.referring_to.map(({ target }) => target)).toEqual(["B.example"]);
});

test("filters and order of pages take the names of the records, or the source's own", async () => {
  const { call, tasks } = callOf([null]);
  const given = parse("seo.backlinks.domain_pages", {
    target: "a.example",
    filters: {
      and: [
        { field: "backlinks", op: ">", value: 5 },
        { field: "url", op: "like", value: "%sites%" },
        { field: "page_summary.rank", op: ">", value: 1 },
        { field: "status_code", op: "=", value: 200 },
      ],
    },
    order_by: [{ field: "referring_links_tld.com" }, { field: "title", dir: "asc" }],
  });
  await seo["seo.backlinks.domain_pages"](given.data as never, call);
  expect(tasks[0]).toMatchObject({
    filters: [
      ["page_summary.backlinks", ">", 5],
      "and",
      ["page", "like", "%sites%"],
      "and",
      ["page_summary.rank", ">", 1],
      "and",
      ["status_code", "=", 200],
    ],
    order_by: ["page_summary.referring_links_tld.com,desc", "meta.title,asc"],
  });
});

test("excluded targets are sent in the upstream's form, like the targets", async () => {
  const given = parse("seo.backlinks.domain_intersection", {
    targets: ["https://a.example/"],
    exclude_targets: ["https://B.example/", "bücher.example", "https://c.example/größe*"],
  });
  const { call, tasks } = callOf([null]);
  await seo["seo.backlinks.domain_intersection"](given.data as never, call);
  expect(tasks[0]).toMatchObject({
    targets: { 1: "a.example" },
    exclude_targets: ["b.example", "xn--bcher-kva.example", "https://c.example/gr%C3%B6%C3%9Fe*"],
  });
});

test("seo surprise 32: all is every backlink of any target, partial the shared ones", async () => {
  const linking = async (intersection_mode: "all" | "partial") => {
    const targets = ["a.example", "b.example", "c.example"];
    const input = { targets, intersection_mode, limit: 20 };
    const domains = await play("seo.backlinks.domain_intersection", input);
    const pages = await play("seo.backlinks.page_intersection", input);
    if (!domains.ok || !pages.ok) throw new Error("no answer");
    const shared = (row: { referring_to?: unknown[]; links_to?: unknown[] }) =>
      (row.referring_to ?? row.links_to ?? []).length;
    return [domains, pages].map(({ data }) => (data as { results: object[] }).results.map(shared));
  };
  for (const counts of await linking("partial")) expect(new Set(counts)).toEqual(new Set([3]));
  for (const counts of await linking("all")) expect(new Set(counts)).toEqual(new Set([1, 3]));
  const described = operations.get("seo.backlinks.page_intersection")?.input.shape;
  expect(described?.intersection_mode?.description).toMatch(/every backlink of any .* in common/);
});

test("seo surprise 17: page summaries match by url, other answers by target", async () => {
  const pages = callOf([
    { items: [{ url: "https://www.a.example/", rank: 4, main_domain_rank: 9 }] },
  ]);
  const summaries = await seo["seo.backlinks.bulk_pages_summary"](
    { targets: ["a.example"], include_subdomains: true, rank_scale: "one_thousand", view: "full" },
    pages.call,
  );
  expect(summaries.data).toMatchObject({
    results: [{ target: "a.example", url: "https://www.a.example/", rank: 4, main_domain_rank: 9 }],
  });
  const ranks = callOf([{ items: [{ target: "b.example", rank: 0 }, { rank: 7 }] }]);
  const found = await seo["seo.backlinks.bulk_ranks"](
    { targets: ["a.example", "b.example"], rank_scale: "one_hundred" },
    ranks.call,
  );
  expect(found.data).toEqual({
    results: [{ target: "b.example", rank: 0 }],
    missing_targets: ["a.example"],
  });
});

test("a page beyond ASCII is found again in the form in which it was sent", async () => {
  const target = "https://bücher.example/größe";
  const sent = "https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe";
  const { call, tasks } = callOf([{ items: [{ target: sent, rank: 3 }] }]);
  const { data } = await seo["seo.backlinks.bulk_ranks"](
    { targets: [target], rank_scale: "one_thousand" },
    call,
  );
  expect(tasks[0]).toMatchObject({ targets: [sent] });
  expect(data).toEqual({ results: [{ target, rank: 3 }] });
});

test("page summaries of 250 hosts are three calls", async () => {
  const targets = Array.from({ length: 250 }, (_, at) => `s${at}.example`);
  const { call, requests } = callOf([]);
  await seo["seo.backlinks.bulk_pages_summary"](
    { targets, include_subdomains: true, rank_scale: "one_thousand", view: "full" },
    call,
  );
  const sizes = requests.map(({ body }) => (body as { targets: string[] }[])[0]?.targets.length);
  expect(sizes).toEqual([100, 100, 50]);
});

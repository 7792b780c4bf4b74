import { expect, test } from "vitest";
import { decodeInput } from "../../../api/input.ts";
import type { Issue } from "../../../contract/errors.ts";
import { operations } from "../../../contract/index.ts";
import type { Operation } from "../../../contract/operation.ts";
import { asciiDomain, isPage } from "../../../contract/target.ts";

function decode(id: string, body: unknown): { input?: Record<string, unknown>; issues: Issue[] } {
  const op = operations.get(id) as Operation;
  try {
    const raw = { path: {}, query: new URLSearchParams(), body };
    return { input: decodeInput(op, raw) as Record<string, unknown>, issues: [] };
  } catch (error) {
    return { issues: (error as { issues: Issue[] }).issues };
  }
}
const places = (id: string, body: unknown) => decode(id, body).issues.map(({ path }) => path);

test.each([
  ["example.com", "example.com"],
  [" https://Example.com/ ", "Example.com"],
  ["http://blog.example.com", "blog.example.com"],
  ["example.com/", "example.com"],
  ["https://example.com/page/", "https://example.com/page/"],
  ["https://example.com/?q=1", "https://example.com/?q=1"],
  ["bücher.example", "bücher.example"],
])("target %j is read as %j", (target, expected) => {
  expect(decode("seo.backlinks.summary", { target }).input?.target).toBe(expected);
});

test.each([
  "",
  "example",
  "example.com/page",
  "ftp://example.com/x",
  "a b.example",
  "-a.example",
  7,
])("target %j is refused", (target) => {
  expect(decode("seo.backlinks.summary", { target }).issues).toMatchObject([
    { in: "body", path: "target" },
  ]);
});

test("a page is no target where a domain is expected", () => {
  expect(places("seo.backlinks.history", { target: "https://example.com/page" })).toEqual([
    "target",
  ]);
  expect(places("seo.backlinks.history", { target: "https://example.com/" })).toEqual([]);
});

test("seo surprise 18: malformed targets are named by their index before any request is sent", () => {
  const targets = ["example.com", "not a host", "a.example", "b.example/x", "http://"];
  expect(places("seo.backlinks.bulk_ranks", { targets })).toEqual([
    "targets[1]",
    "targets[3]",
    "targets[4]",
  ]);
});

test("one to a thousand targets", () => {
  const some = (count: number) => Array.from({ length: count }, (_, at) => `s${at}.example`);
  expect(places("seo.backlinks.bulk_ranks", { targets: [] })).toEqual(["targets"]);
  expect(places("seo.backlinks.bulk_ranks", { targets: some(1000) })).toEqual([]);
  expect(places("seo.backlinks.bulk_ranks", { targets: some(1001) })).toEqual(["targets"]);
});

test("host names beyond ASCII and in capitals have one form, and other text is no host", () => {
  expect(asciiDomain("BÜCHER.example")).toBe("xn--bcher-kva.example");
  expect(asciiDomain("Example.COM")).toBe("example.com");
  for (const text of ["", "localhost", "a..example", `${"a".repeat(64)}.example`, "a.example:80"])
    expect(asciiDomain(text), text).toBeUndefined();
  expect(asciiDomain(`${"a.".repeat(130)}example`)).toBeUndefined();
});

test("pages are absolute http(s) URLs without credentials", () => {
  expect(isPage("https://example.com/a?b=c#d")).toBe(true);
  for (const text of [
    "//example.com/a",
    "https://u:p@example.com/",
    "https://a b/",
    "javascript:1",
  ])
    expect(isPage(text), text).toBe(false);
  expect(isPage(`https://example.com/${"a".repeat(2048)}`)).toBe(false);
});

test("cursor and offset exclude each other", () => {
  const list = { target: "example.com", offset: 10, cursor: "x" };
  expect(places("seo.backlinks.anchors", list)).toEqual(["offset"]);
  expect(places("seo.backlinks.anchors", { target: "example.com", offset: 10 })).toEqual([]);
  expect(places("seo.backlinks.list", { target: "example.com", offset: 20_001 })).toEqual([
    "offset",
  ]);
});

test("order is one to three fields with a direction, downwards by default", () => {
  const of = (order_by: unknown) =>
    decode("seo.backlinks.anchors", { target: "a.example", order_by });
  expect(of([{ field: "rank" }]).input?.order_by).toEqual([{ field: "rank", dir: "desc" }]);
  expect(of([]).issues).toMatchObject([{ path: "order_by" }]);
  expect(of(["rank,desc"]).issues).toMatchObject([{ path: "order_by[0]" }]);
  expect(of([{ field: "rank", dir: "down" }]).issues).toMatchObject([{ path: "order_by[0].dir" }]);
  expect(of(Array(4).fill({ field: "rank" })).issues).toMatchObject([{ path: "order_by" }]);
});

test("dates exist, are not before the earliest and are in order", () => {
  const of = (period: object) =>
    places("seo.backlinks.timeseries", { target: "a.example", ...period });
  expect(of({ date_from: "2025-01-31", date_to: "2025-01-31" })).toEqual([]);
  expect(of({ date_from: "2025-02-30" })).toEqual(["date_from"]);
  expect(of({ date_from: "2019-01-29" })).toEqual(["date_from"]);
  expect(of({ date_from: "yesterday" })).toEqual(["date_from"]);
  expect(of({ date_from: "2025-02-01", date_to: "2025-01-31" })).toEqual(["date_to"]);
});

test("targets to exclude may end in a wildcard", () => {
  const of = (exclude_targets: string[]) =>
    places("seo.backlinks.domain_intersection", { targets: ["a.example"], exclude_targets });
  expect(of(["b.example", "https://c.example/docs/*", "https://c.example/*"])).toEqual([]);
  expect(of(["*", "b.example", "not a host*"])).toEqual([
    "exclude_targets[0]",
    "exclude_targets[2]",
  ]);
});

test("unknown fields are refused by name", () => {
  expect(places("seo.backlinks.summary", { target: "a.example", depth: 1 })).toEqual(["depth"]);
});

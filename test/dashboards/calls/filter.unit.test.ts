import { expect, test } from "vitest";
import { addressOf, filterOf, givenOf, positionText } from "../../../dashboards/calls/filter.ts";

/** The filter of the list of calls: from the address and back. */

test("every field of the address counts, and an empty one does not", () => {
  const query = {
    account: " acme ",
    key: "",
    operation: "seo.backlinks.list",
    status: "5xx",
    type: ["upstream_error", "internal_error"],
    mode: "live",
    hours: "6",
    until: "2026-01-05T12:30",
    order: "slowest",
    other: "x",
  };
  const given = givenOf(query);
  expect(addressOf(given)).toBe(
    "/calls?account=acme&operation=seo.backlinks.list&status=5xx&type=upstream_error&mode=live&hours=6&until=2026-01-05T12%3A30&order=slowest",
  );
  expect(addressOf({})).toBe("/calls");
  expect(filterOf(given)).toEqual({
    objections: [],
    filter: {
      account: "acme",
      key: undefined,
      operations: ["seo.backlinks.list"],
      status: [500, 599],
      type: "upstream_error",
      mode: "live",
      hours: 6,
      until: Date.UTC(2026, 0, 5, 12, 30),
      slowest: true,
      after: undefined,
    },
  });
});

test("an area stands for its operations", () => {
  const { filter } = filterOf({ area: "news-aggregator" });
  expect(filter.operations?.length).toBeGreaterThan(1);
  expect(filter.operations?.every((id) => id.startsWith("news_aggregator."))).toBe(true);
  expect(filterOf({ area: "seo", operation: "maps.search" }).objections).toEqual([
    "The operation maps.search is not in the area seo.",
  ]);
});

test.each<[Record<string, string>, RegExp]>([
  [{ operation: "maps.serch" }, /^There is no operation maps.serch. Near names: maps.search/],
  [{ area: "map" }, /^There is no area map: .*maps/],
  [{ status: "six" }, /^status is a status such as 502, a class such as 5xx, or failed.$/],
  [{ status: "700" }, /^status is /],
  [{ type: "timeout" }, /^There is no error type timeout: .*upstream_error/],
  [{ mode: "demo" }, /^mode is live or test.$/],
  [{ hours: "169" }, /^hours is a number up to 168.$/],
  [{ hours: "-1" }, /^hours is /],
  [{ until: "noon" }, /^until is a time in UTC/],
  [{ until: "2026-13-01" }, /^until is a time in UTC/],
  [{ order: "oldest" }, /^order is newest or slowest.$/],
  [{ after: "x" }, /^after is not a position/],
])("%j is refused with a sentence", (given, sentence) => {
  const { objections } = filterOf(given);
  expect(objections).toHaveLength(1);
  expect(objections[0]).toMatch(sentence);
});

test("a position keeps microseconds, and may stand before all calls of its moment", () => {
  const at = 1_767_615_000_123.456;
  expect(filterOf({ after: positionText({ value: at, id: "svc_1-a" }) }).filter.after).toEqual({
    value: at,
    id: "svc_1-a",
  });
  expect(positionText({ value: 1_767_615_000_000, id: "" })).toBe("1767615000000_");
  expect(filterOf({ after: "1767615000000_" }).filter.after).toEqual({
    value: 1_767_615_000_000,
    id: "",
  });
});

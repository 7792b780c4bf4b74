import { expect, test } from "vitest";
import type { FilterExpression } from "../../../../contract/filter.ts";
import { upstreamFilter } from "../../../../worker/upstreams/dataforseo/filter.ts";

const a: FilterExpression = { field: "rank", op: ">", value: 10 };
const b: FilterExpression = { field: "anchor", op: "like", value: "%guide%" };
const c: FilterExpression = { field: "tld", op: "in", value: ["com", "net"] };

test("a lone condition is not wrapped", () => {
  expect(upstreamFilter(a)).toEqual(["rank", ">", 10]);
});

test("members of a group are separated by its operator", () => {
  expect(upstreamFilter({ and: [a, b] })).toEqual([
    ["rank", ">", 10],
    "and",
    ["anchor", "like", "%guide%"],
  ]);
  expect(upstreamFilter({ or: [a, b, c] })).toEqual([
    ["rank", ">", 10],
    "or",
    ["anchor", "like", "%guide%"],
    "or",
    ["tld", "in", ["com", "net"]],
  ]);
});

test("groups nest", () => {
  expect(upstreamFilter({ and: [{ or: [a, b] }, { and: [b, { or: [a, c] }] }] })).toEqual([
    [["rank", ">", 10], "or", ["anchor", "like", "%guide%"]],
    "and",
    [
      ["anchor", "like", "%guide%"],
      "and",
      [["rank", ">", 10], "or", ["tld", "in", ["com", "net"]]],
    ],
  ]);
});

test("conditions on our names become conditions on the upstream's", () => {
  const upper = upstreamFilter({ and: [a, b] }, (condition) => ({
    ...condition,
    field: condition.field.toUpperCase(),
  }));
  expect(upper).toEqual([["RANK", ">", 10], "and", ["ANCHOR", "like", "%guide%"]]);
});

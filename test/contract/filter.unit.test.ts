import { expect, test } from "vitest";
import * as z from "zod";
import { decodeInput } from "../../api/input.ts";
import type { Issue } from "../../contract/errors.ts";
import { filterExpression } from "../../contract/filter.ts";
import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";

const anchors = operations.get("seo.backlinks.anchors") as Operation;

/** A caller's view of the issues of a request with this filter. */
function issuesOf(filters: unknown): Issue[] {
  const body = { target: "example.com", filters };
  try {
    decodeInput(anchors, { path: {}, query: new URLSearchParams(), body });
    return [];
  } catch (error) {
    return (error as { issues: Issue[] }).issues;
  }
}
const paths = (filters: unknown) => issuesOf(filters).map(({ path }) => path);

const condition = { field: "rank", op: ">", value: 10 };
const conditions = (count: number) => Array.from({ length: count }, () => condition);

test.each([
  condition,
  { field: "anchor", op: "like", value: "%guide%" },
  { field: "summary.backlinks", op: "in", value: [1, "two", true] },
  { field: "1.backlinks", op: "not_in", value: ["x"] },
  { and: [condition, condition] },
  { or: [condition, { and: [condition, { or: [condition, condition] }] }] },
  { and: conditions(8) },
])("%j is accepted unchanged", (filters) => {
  expect(issuesOf(filters)).toEqual([]);
  expect(anchors.input.parse({ target: "example.com", filters }).filters).toEqual(filters);
});

test("every operator of the contract is accepted", () => {
  for (const op of ["=", "<>", "<", "<=", ">", ">=", "like", "not_like", "ilike", "not_ilike"]) {
    expect(issuesOf({ field: "rank", op, value: "1" }), op).toEqual([]);
  }
  for (const op of ["match", "not_match"]) {
    expect(issuesOf({ field: "rank", op, value: "1" }), op).toEqual([]);
  }
});

test.each([
  ["text", ["filters"]],
  [null, ["filters"]],
  [[], ["filters"]],
  [{}, ["filters.field", "filters.op", "filters.value"]],
  [{ field: "rank" }, ["filters.op", "filters.value"]],
  [{ ...condition, more: 1 }, ["filters.more"]],
  [{ ...condition, field: "" }, ["filters.field"]],
  [{ ...condition, field: "Rank" }, ["filters.field"]],
  [{ ...condition, field: "a..b" }, ["filters.field"]],
  [{ ...condition, field: "a".repeat(101) }, ["filters.field"]],
  [{ ...condition, field: 7 }, ["filters.field"]],
  [{ ...condition, op: "regex" }, ["filters.op"]],
  [{ ...condition, value: null }, ["filters.value"]],
  [{ ...condition, value: { a: 1 } }, ["filters.value"]],
  [{ ...condition, value: [1] }, ["filters.value"]],
  [{ ...condition, op: "in" }, ["filters.value"]],
  [{ ...condition, op: "in", value: [] }, ["filters.value"]],
  [{ ...condition, op: "in", value: [1, null, []] }, ["filters.value[1]", "filters.value[2]"]],
  [{ and: [condition] }, ["filters.and"]],
  [{ or: [] }, ["filters.or"]],
  [{ and: condition }, ["filters.and"]],
  [{ and: [condition, condition], or: [condition, condition] }, ["filters"]],
  [{ and: [condition, condition], more: 1 }, ["filters.more"]],
  [{ and: conditions(9) }, ["filters"]],
])("%j has its issues at %j", (filters, expected) => {
  expect(paths(filters)).toEqual(expected);
});

test("every fault has its own issue, at its own path", () => {
  const filters = {
    and: [
      { field: "Rank", op: "above", value: [] },
      { or: [{ field: "rank", op: "=" }] },
      condition,
      "text",
    ],
  };
  expect(issuesOf(filters).map(({ path, code }) => [path, code])).toEqual([
    ["filters.and[0].field", "invalid_format"],
    ["filters.and[0].op", "invalid_value"],
    ["filters.and[0].value", "too_small"],
    ["filters.and[1].or", "too_small"],
    ["filters.and[1].or[0].value", "required"],
    ["filters.and[3]", "invalid_type"],
  ]);
});

test("nine conditions are too many however they are nested", () => {
  const nested = { or: [{ and: conditions(5) }, { and: conditions(4) }] };
  expect(issuesOf(nested)).toMatchObject([{ path: "filters", code: "too_many_conditions" }]);
  expect(paths({ or: [{ and: conditions(4) }, { and: conditions(4) }] })).toEqual([]);
});

test("a closed list of fields admits no other", () => {
  const schema = z.strictObject({
    filters: filterExpression({ id: "SampleFilter", fields: ["mentions", "platform"] }),
  });
  const of = (field: string) =>
    schema.safeParse({ filters: { and: [condition, { ...condition, field }] } }).error?.issues;
  expect(of("mentions")).toMatchObject([{ path: ["filters", "and", 0, "field"] }]);
  expect(of("mention")).toHaveLength(2);
});

test("the published schema is the recursive expression, not any value, and each of its members has a name", () => {
  const { $defs = {} } = z.toJSONSchema(anchors.input, { io: "input" });
  const members = ["Condition", "All", "Any"].map((name) => `SeoFilterExpression${name}`);
  expect($defs["SeoFilterExpression"]?.anyOf).toEqual(
    members.map((name) => ({ $ref: `#/$defs/${name}` })),
  );
  expect(members.map((name) => $defs[name]?.required)).toEqual([
    ["field", "op", "value"],
    ["and"],
    ["or"],
  ]);
  expect($defs["SeoFilterExpressionAll"]?.properties?.["and"]).toMatchObject({
    items: { $ref: "#/$defs/SeoFilterExpression" },
  });
});

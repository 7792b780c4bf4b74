import { expect, test } from "vitest";
import { differencesOf, joined } from "../../cli/shadow/compare.ts";
import { outlineOf } from "../../cli/shadow/fields.ts";
import type { RawMapped } from "../../worker/stored-answers.ts";

const mapped = (data: unknown, more: Partial<RawMapped> = {}): RawMapped => ({
  outcome: { ok: true, records: 1, truncated: false },
  data,
  dropped: [],
  misfit: undefined,
  ...more,
});
const failed = (field: string): RawMapped => ({
  outcome: { ok: false, type: "response_shape_error", message: "" },
  data: undefined,
  dropped: [],
  misfit: field,
});
const between = (old: RawMapped, now: RawMapped) =>
  differencesOf(outlineOf(old, "key"), outlineOf(now, "key")).map(
    ({ path, change, was, now: is, records, of }) => [path, change, was, is, `${records}/${of}`],
  );

const rows = [
  { id: "1", name: "Ada", tags: ["a", "b"] },
  { id: "2", name: "Bob", tags: [] },
];

test("the same result has no difference, and an outline holds no value", () => {
  expect(between(mapped(rows), mapped(structuredClone(rows)))).toEqual([]);
  const text = JSON.stringify(outlineOf(mapped(rows), "key"));
  expect(text).not.toContain("Ada");
  expect(text).not.toBe(JSON.stringify(outlineOf(mapped(rows), "another key")));
});

test.each([
  [
    "gone",
    rows.map(({ id, tags }) => ({ id, tags })),
    ["[].name", "gone", "text", "absent", "2/2"],
  ],
  ["new", rows.map((row) => ({ ...row, age: 7 })), ["[].age", "new", "absent", "number", "2/2"]],
  [
    "retyped",
    rows.map((row) => ({ ...row, id: Number(row.id) })),
    ["[].id", "retyped", "text", "number", "2/2"],
  ],
  [
    "changed in one record",
    rows.map((row, index) => (index === 0 ? { ...row, name: "Eve" } : row)),
    ["[].name", "changed", "a text", "another value", "1/2"],
  ],
  [
    "another nested value",
    rows.map((row) => ({ ...row, tags: row.tags.toReversed() })),
    ["[].tags[]", "changed", "a text", "another value", "1/2"],
  ],
])("%s is named by its field", (_name, data, expected) => {
  expect(between(mapped(rows), mapped(data))).toEqual([expected]);
});

test("fewer records, another end of the list, rows left out and a failure are told", () => {
  expect(between(mapped(rows), mapped(rows.slice(1)))).toContainEqual([
    "(answer)",
    "records",
    "2 records",
    "1 records",
    "1/1",
  ]);
  const page = (has_more: boolean) =>
    mapped(rows, { outcome: { ok: true, records: 2, truncated: false, pagination: { has_more } } });
  expect(between(page(true), page(false))).toEqual([
    ["pagination.has_more", "pages", "true", "false", "1/1"],
  ]);
  expect(
    between(mapped(rows), mapped(rows, { dropped: [{ field: "items.id", count: 3 }] })),
  ).toEqual([["items.id", "left out", "missing in 0 rows", "missing in 3 rows", "1/1"]]);
  expect(between(mapped(rows), failed("items.id"))).toEqual([
    ["items.id", "fails", "2 records", "response_shape_error (items.id)", "1/1"],
  ]);
  expect(between(failed("items.id"), mapped(rows))).toEqual([
    ["(answer)", "mends", "response_shape_error (items.id)", "2 records", "1/1"],
  ]);
  expect(between(failed("items.id"), failed("items.id"))).toEqual([]);
});

test("the same difference of several calls is one line, harmless ones last", () => {
  const one = (change: "new" | "gone") =>
    ({ path: "a", change, was: "", now: "", records: 1, of: 2 }) as const;
  expect(
    joined([
      { operation: "b.c", found: [one("new"), one("gone")] },
      { operation: "b.c", found: [one("gone")] },
    ]).map(({ change, calls, records, of }) => [change, calls, records, of]),
  ).toEqual([
    ["gone", 2, 2, 4],
    ["new", 1, 1, 2],
  ]);
});

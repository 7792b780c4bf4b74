import { expect, test } from "vitest";
import { isDataName, kindOf, kindOfText } from "../../../worker/drift/kinds.ts";
import { type Place, Window } from "../../../worker/drift/window.ts";

test.each([
  "1",
  "2026-11-23",
  "1.2.3",
  "v2.0.0-beta.1",
  "P31",
  "7301234567890123456",
  "6f1ed002ab5595859014ebf0951522d9",
  "123e4567-e89b-12d3-a456-426614174000",
  "UCxK3fQ9_dP2aB7",
  "@scope/name",
  "node_modules/left pad",
  "someone@example.org",
  "pt-BR",
  "zh_Hans",
])("the member %s is named by data", (name) => {
  expect(isDataName(name)).toBe(true);
});

test.each([
  "id",
  "aweme_id",
  "cover_240",
  "h1",
  "thumbnailUrl1080p",
  "keyword_difficulty_v2",
  "@type",
  "dc:title",
  "$schema",
  "en",
  "x-y",
  "i18n",
  "utf8mb4",
])("the member %s is a field", (name) => {
  expect(isDataName(name)).toBe(false);
});

const namesIn = (place: Place | undefined): string[] => [...(place?.children?.keys() ?? [])];

test("members that are named by data fold into one, and so do those by language", () => {
  const window = new Window();
  window.add({
    versions: { "1.0.0": { dist: {} }, "1.0.1": { deprecated: "yes" } },
    labels: { en: "cat", fr: "chat" },
    to: { id: 1, is: "not a map" },
  });
  const members = window.root.children;
  expect(namesIn(members?.get("versions"))).toEqual(["*"]);
  expect(namesIn(members?.get("versions")?.children?.get("*"))).toEqual(["dist", "deprecated"]);
  expect(namesIn(members?.get("labels"))).toEqual(["*"]);
  expect(namesIn(members?.get("to"))).toEqual(["id", "is"]);
});

test("positions fold, an answer counts once, and empty values count as none", () => {
  const window = new Window();
  window.add({ rows: [{ id: 1, tags: [] }, { id: "a" }, { id: null }] });
  window.add({ rows: [] });
  const row = window.root.children?.get("rows")?.children?.get("[]");
  expect(window.root.children?.get("rows")).toMatchObject({ present: 1, empty: 1, lists: 1 });
  expect(row).toMatchObject({ present: 1, objects: 1 });
  expect(row?.children?.get("id")).toMatchObject({ present: 1, empty: 1, kinds: { 0: 1, 2: 1 } });
  expect(row?.children?.get("tags")).toMatchObject({ present: 0, empty: 1 });
});

test("a window holds names and counts, no values", () => {
  const window = new Window();
  window.add({ name: "Ada Lovelace", mail: { "ada@example.org": 36 }, "7301234567890123456": 1 });
  const texts = JSON.stringify(window.root, (_, value: unknown) =>
    value instanceof Map ? Object.fromEntries(value) : value,
  );
  expect(texts).not.toMatch(/Ada|ada@|7301234567890123456|36/);
});

test("a hostile answer stays within its bounds", () => {
  const window = new Window();
  let deep: unknown = 1;
  for (let index = 0; index < 10_000; index += 1) deep = { deep };
  const wide = Object.fromEntries(
    Array.from({ length: 50_000 }, (_, index) => [`name${"x".repeat(index % 90)}`, {}]),
  );
  window.add(JSON.parse('{"__proto__":{"a":1},"constructor":1}'));
  window.add({ deep, wide, list: Array.from({ length: 100_000 }, () => ({ id: 1 })) });
  expect(namesIn(window.root)).toEqual(["__proto__", "constructor", "deep", "wide", "list"]);
  expect(JSON.stringify(window.root).length).toBeLessThan(100_000);
});

test("kinds of values and of bodies that are no JSON", () => {
  const values = ["", "a", "7301234567890123456", 0, false, null, [], [1], {}, { a: 1 }];
  expect(values.map(kindOf)).toEqual([
    undefined,
    "text",
    "digits",
    "number",
    "boolean",
    undefined,
    undefined,
    "list",
    undefined,
    "object",
  ]);
  const kindOfBody = (text: string, type = "") => kindOfText(Buffer.from(text), type).kind;
  expect(kindOfBody("<!doctype html><p>Hello")).toBe("web page");
  expect(kindOfBody("<p>Hello", "text/html")).toBe("web page");
  expect(kindOfBody('<html><form><input name=p type="password">')).toBe("login page");
  expect(kindOfBody('{"rows":[1,2')).toBe("half answer");
  expect(kindOfBody("Service is busy")).toBe("no JSON");
});

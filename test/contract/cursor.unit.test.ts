import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../contract/canonical.ts";
import {
  type CursorBinding,
  cursorLifeMs,
  openCursor,
  paginationOf,
  signCursor,
} from "../../contract/cursor.ts";

const secret = "a secret that replicas of the API share";
const binding: CursorBinding = {
  accountId: 1,
  operation: "area.list",
  version: "2026-07-01",
  mode: "live",
  input: { q: "x", limit: 5 },
};
const payload = { u: { offset: "9007199254740993" }, o: 3 };
const now = 1_800_000_000_000;
const cursor = signCursor(secret, binding, payload, now);

describe("a cursor", () => {
  test("opens to its payload, with any limit and any cursor in the input", () => {
    const input = { limit: 50, cursor: "older", q: "x" };
    expect(openCursor(secret, { ...binding, input }, cursor, now)).toEqual(payload);
  });

  test.each([
    ["operation", { ...binding, operation: "area.other" }],
    ["version", { ...binding, version: "2025-01-01" }],
    ["mode", { ...binding, mode: "test" as const }],
    ["account", { ...binding, accountId: 2 }],
    ["parameter", { ...binding, input: { q: "y", limit: 5 } }],
    ["further parameter", { ...binding, input: { q: "x", sort: "new", limit: 5 } }],
  ])("is bound to its %s", (_name, other) => {
    expect(openCursor(secret, other, cursor, now)).toBeUndefined();
  });

  test("ends after a day", () => {
    expect(openCursor(secret, binding, cursor, now + cursorLifeMs - 1)).toEqual(payload);
    expect(openCursor(secret, binding, cursor, now + cursorLifeMs)).toBeUndefined();
  });

  test("does not open when any character is changed, or under another secret", () => {
    expect(openCursor(`${secret}!`, binding, cursor, now)).toBeUndefined();
    for (let index = 0; index < cursor.length; index += 1) {
      const changed = cursor[index] === "A" ? "B" : "A";
      const altered = cursor.slice(0, index) + changed + cursor.slice(index + 1);
      expect(openCursor(secret, binding, altered, now), String(index)).toBeUndefined();
    }
  });

  test.each(["", ".", "x", "x.y", `${cursor}.`, cursor.slice(1), "é".repeat(10)])(
    "refuses %j",
    (text) => {
      expect(openCursor(secret, binding, text, now)).toBeUndefined();
    },
  );
});

test("a page returns its cursor, and null at the end of the list", () => {
  expect(paginationOf(secret, binding, { has_more: true, next: payload }, now)).toEqual({
    has_more: true,
    next_cursor: cursor,
  });
  const last = paginationOf(secret, binding, { has_more: false }, now);
  expect(JSON.stringify(last)).toBe('{"has_more":false,"next_cursor":null}');
});

test("canonical JSON is equal for equal values only", () => {
  expect(canonicalJson({ b: [1, { d: null, c: "é" }], a: undefined, e: 1 })).toBe(
    '{"b":[1,{"c":"é","d":null}],"e":1}',
  );
  expect(canonicalJson({ a: { b: 1 } })).not.toBe(canonicalJson({ "a.b": 1 }));
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});

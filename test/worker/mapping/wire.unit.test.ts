import { expect, test } from "vitest";
import { parseJson } from "../../../worker/mapping/json.ts";
import { count, id, integer, number } from "#wire";

test("a number beyond 2^53 keeps its size, and is no whole number that could be exact", () => {
  const read = (json: string) => {
    const value = parseJson(json);
    return [number(value), integer(value), count(value), id(value)];
  };
  // Bitcoin's market capitalisation in rupiah.
  expect(read("33554432000000001")).toEqual([
    33_554_432_000_000_000,
    undefined,
    undefined,
    "33554432000000001",
  ]);
  expect(read("-33554432000000001")[0]).toBe(-33_554_432_000_000_000);
  expect(read("2500000000000000")).toEqual([2.5e15, 2.5e15, 2.5e15, "2500000000000000"]);
  expect(number("9".repeat(400))).toBeUndefined();
  for (const text of ["", "-", "1e5", "0x10", " 1", "1.", "Infinity"])
    expect(number(text), text).toBeUndefined();
});

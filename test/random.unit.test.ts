import { expect, test } from "vitest";
import { choices, fractions, seeded } from "./random.ts";

const ten = (name: string, seed?: string) => {
  const pick = choices(name, seed);
  return Array.from({ length: 10 }, () => pick(5, 1000));
};

test("a seed repeats the choices of each name", () => {
  const first = ten("first", "17");
  expect(ten("first", "17")).toEqual(first);
  expect(ten("second", "17")).not.toEqual(first);
  expect(ten("first", "18")).not.toEqual(first);
});

test("a title names the seed of this run's choices", () => {
  const [, seed] = /^title \(TEST_SEED=(.+)\)$/.exec(seeded("title")) ?? [];
  expect(ten("first", seed)).toEqual(ten("first"));
});

test("choices are whole numbers of their range, each of them possible", () => {
  const pick = choices("range", "17");
  const seen = (run: () => number) =>
    [...new Set(Array.from({ length: 200 }, run))].sort((a, b) => a - b);
  expect(seen(() => pick(3))).toEqual([0, 1, 2]);
  expect(seen(() => pick(-1, 2))).toEqual([-1, 0, 1]);
  const random = fractions("range", "17");
  expect(Array.from({ length: 200 }, random).every((one) => one >= 0 && one < 1)).toBe(true);
});

import { expect, test } from "vitest";
import { pairs, spread } from "../bench/figures.ts";

test("the median of an even number of rounds is between the middle two", () => {
  expect(spread([3, 1])).toEqual({ median: 2, least: 1, most: 3 });
  expect(spread([8, 1, 4, 2])).toEqual({ median: 3, least: 1, most: 8 });
  expect(spread([5])).toEqual({ median: 5, least: 5, most: 5 });
  expect(spread([9, 1, 5])).toEqual({ median: 5, least: 1, most: 9 });
});

test("a ratio is taken round by round", () => {
  const { ratio } = pairs("calls", "calls/s", "≥ 1 x", [10, 30, 20], [10, 20, 40]);
  expect(ratio).toEqual({ median: 1, least: 0.5, most: 1.5 });
});

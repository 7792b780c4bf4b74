import { expect, test } from "vitest";
import { MemoryBound } from "../../../../worker/browser/chromium/memory-bound.ts";

const megabyte = 1e6;
const pages = (count: number, megabytes: number) => Array<number>(count).fill(megabytes * megabyte);

test("without pages memory does not bind", () => {
  const bound = new MemoryBound();
  bound.note([], 0);
  expect(bound.most(1)).toBe(Infinity);
});

test("as many pages fit as their size allows, fewer where sizes differ", () => {
  const equal = new MemoryBound();
  equal.note(pages(4, 300), 4);
  expect(equal.most(4200 * megabyte)).toBeCloseTo(14, 5);
  const differing = new MemoryBound();
  differing.note([...pages(2, 100), ...pages(2, 500)], 4);
  const most = differing.most(4200 * megabyte);
  expect(most).toBeLessThan(11);
  // The mean, and two deviations of the sum, are the memory given.
  expect(most * 300 + 2 * 200 * Math.sqrt(most)).toBeCloseTo(4200, 5);
});

test("larger pages count at once, smaller ones little by little", () => {
  const bound = new MemoryBound();
  bound.note(pages(10, 50), 10);
  bound.note(pages(10, 300), 10);
  expect(bound.most(3000 * megabyte)).toBeCloseTo(10, 5);
  bound.note(pages(10, 50), 10);
  expect(bound.most(3000 * megabyte)).toBeCloseTo(12, 5);
  for (let at = 0; at < 40; at += 1) bound.note(pages(10, 50), 10);
  expect(bound.most(3000 * megabyte)).toBeGreaterThan(58);
});

test("several processes for each page count together; nothing fits into no memory", () => {
  const bound = new MemoryBound();
  for (let at = 0; at < 60; at += 1) bound.note(pages(8, 100), 4);
  expect(bound.most(1000 * megabyte)).toBeCloseTo(5, 1);
  expect(bound.most(0)).toBe(0);
  expect(bound.most(-1)).toBe(0);
});

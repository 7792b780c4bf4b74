import { expect, test } from "vitest";
import { memoryLimits } from "../../../../worker/browser/chromium/memory.ts";
import { MemoryBound } from "../../../../worker/browser/chromium/memory-bound.ts";

const megabyte = 1e6;
let lastPid = 0;
const page = (megabytes: number, peak = megabytes) => ({
  pid: (lastPid += 1),
  bytes: megabytes * megabyte,
  peakBytes: peak * megabyte,
});
const pages = (count: number, megabytes: number) =>
  Array.from({ length: count }, () => page(megabytes));

/** A bound that has seen pages of these sizes end. */
function after(...megabytes: number[]): MemoryBound {
  const bound = new MemoryBound();
  for (const size of megabytes) bound.note([page(size)], 1);
  bound.note([], 1);
  return bound;
}
const sizes = (count: number, megabytes: number) => Array<number>(count).fill(megabytes);

test("while no page is known each may be as large as any", () => {
  const bound = new MemoryBound();
  expect(bound.most(4 * memoryLimits.rendererBytes)).toBeCloseTo(4, 5);
  bound.note(pages(2, 30), 2);
  expect(bound.most(4 * memoryLimits.rendererBytes)).toBeLessThan(5);
});

test("pages that stop growing are known before any has ended", () => {
  let now = 0;
  const bound = new MemoryBound(() => now);
  const open = pages(4, 30);
  bound.note(open, 4);
  now = 2000;
  bound.note(open, 4);
  expect(bound.most(4 * memoryLimits.rendererBytes)).toBeLessThan(5);
  expect(bound.isKnown).toBe(false);
  now = 3000;
  bound.note(open, 4);
  expect(bound.isKnown).toBe(true);
  expect(bound.most(4 * memoryLimits.rendererBytes)).toBeGreaterThan(50);
});

test("a page that no job uses tells nothing of those to come", () => {
  let now = 0;
  const bound = new MemoryBound(() => now);
  const blank = page(15);
  bound.note([blank], 0);
  now = 60_000;
  bound.note([blank, page(20)], 1);
  expect(bound.most(4 * memoryLimits.rendererBytes)).toBeLessThan(5);
  bound.note([], 1);
  expect(bound.most(400 * megabyte)).toBeLessThan(20);
});

test("as many pages fit as ended ones have taken at most, fewer where sizes differ", () => {
  // The mean and two deviations of the sum are the memory given; the mean alone is uncertain by a part of it.
  const equal = after(...sizes(25, 300));
  const most = equal.most(4200 * megabyte);
  expect(most * 300 + 2 * (300 / 5) * Math.sqrt(most)).toBeCloseTo(4200, 5);
  const differing = after(...sizes(15, 100), ...sizes(15, 500)).most(4200 * megabyte);
  expect(differing * 300 + 2 * 200 * Math.sqrt(differing)).toBeCloseTo(4200, 5);
});

test("pages that have just begun count as those that ended, not as small as they are", () => {
  const bound = after(...sizes(30, 300));
  const before = bound.most(3000 * megabyte);
  bound.note(pages(8, 20), 8);
  expect(bound.most(3000 * megabyte)).toBeCloseTo(before, 5);
});

test("larger pages count at once, as they are; smaller ones once they have ended", () => {
  const bound = after(...sizes(30, 50));
  bound.note(pages(10, 300), 10);
  expect(bound.most(3000 * megabyte)).toBeLessThanOrEqual(10);
  for (let at = 0; at < 40; at += 1) bound.note(pages(10, 50), 10);
  expect(bound.most(3000 * megabyte)).toBeGreaterThan(50);
});

test("a page that has let go of memory counts by the most that it had", () => {
  const bound = new MemoryBound();
  bound.note([page(20, 600)], 1);
  bound.note([], 1);
  expect(bound.most(600 * megabyte)).toBeLessThan(1);
});

test("several processes for each page count together; nothing fits into no memory", () => {
  const bound = new MemoryBound();
  for (let at = 0; at < 60; at += 1) bound.note(pages(8, 100), 4);
  const alone = after(...sizes(30, 100)).most(1000 * megabyte);
  expect(bound.most(1000 * megabyte)).toBeCloseTo(alone / 2, 1);
  expect(bound.most(0)).toBe(0);
  expect(bound.most(-1)).toBe(0);
});

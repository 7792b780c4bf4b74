import { expect, test } from "vitest";
import {
  type Counts,
  type Phase,
  addCounts,
  bucketOf,
  quantile,
} from "../../runtime/latency-histograms.ts";

test("quantiles of many minutes and workers together are within 9 % of those of all values", () => {
  // Log-normal, like real service times.
  let seed = 7;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const values = Array.from({ length: 20_000 }, () => Math.exp(5 + 1.2 * normal()));
  const hashes = Array.from({ length: 30 }, () => new Map<string, number>());
  for (const [at, value] of values.entries()) {
    const hash = hashes[at % hashes.length] as Map<string, number>;
    const field = `r${bucketOf(value)}`;
    hash.set(field, (hash.get(field) ?? 0) + 1);
  }
  const merged: Record<Phase, Counts> = { w: new Map(), r: new Map() };
  for (const hash of hashes) {
    addCounts(
      merged,
      Object.fromEntries([...hash].map(([field, count]) => [field, String(count)])),
    );
  }
  const sorted = values.toSorted((a, b) => a - b);
  for (const part of [0.5, 0.9, 0.95, 0.99, 0.999]) {
    const exact = sorted[Math.ceil(sorted.length * part) - 1] as number;
    const estimate = quantile(merged.r, part) as number;
    expect(Math.abs(estimate / exact - 1), `p${part * 100}`).toBeLessThan(0.095);
  }
  expect(quantile(merged.w, 0.5)).toBeUndefined();
});

test("the extremes: nothing is below the first bucket or above the last", () => {
  expect([-5, 0, 0.2, 1].map(bucketOf)).toEqual([0, 0, 0, 0]);
  expect(bucketOf(1.01)).toBe(1);
  expect(bucketOf(10 ** 9)).toBe(bucketOf(10 ** 12));
});

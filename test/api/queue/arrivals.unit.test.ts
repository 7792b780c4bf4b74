import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Arrivals } from "../../../api/queue/arrivals.ts";
import { createMetrics } from "../../../runtime/metrics.ts";
import { fractions } from "../../random.ts";

test("a pause longer than the period that capacity reads is no gap between arrivals", () => {
  const metrics = createMetrics();
  const arrivals = new Arrivals(metrics);
  for (const at of [0, 500, 200_000, 200_500]) arrivals.note("serp", at);
  const { totals } = metrics.snapshot();
  expect(totals.get(JSON.stringify(["gateway_jobs_added_total", "serp"]))).toBe(4);
  expect(totals.get(JSON.stringify(["gateway_job_gap_seconds_total", "serp"]))).toBe(1);
});

test("arrivals are counted by pool, with the time between them and its square", async () => {
  const metrics = createMetrics();
  const arrivals = new Arrivals(metrics);
  arrivals.note("serp");
  await sleep(60);
  arrivals.note("serp");
  arrivals.note("social");
  const { totals } = metrics.snapshot();
  const value = (name: string, pool: string) => totals.get(JSON.stringify([name, pool]));
  expect(value("gateway_jobs_added_total", "serp")).toBe(2);
  expect(value("gateway_jobs_added_total", "social")).toBe(1);
  const gap = value("gateway_job_gap_seconds_total", "serp") ?? 0;
  expect(gap).toBeGreaterThanOrEqual(0.05);
  expect(value("gateway_job_gap_seconds_squared_total", "serp")).toBeCloseTo(gap ** 2, 9);
  expect(value("gateway_job_gap_seconds_total", "social")).toBeUndefined();
});

/** Variance over mean of the jobs of a second, as capacity planning reads it. */
function dispersion(times: readonly number[]): number {
  const metrics = createMetrics();
  const arrivals = new Arrivals(metrics);
  for (const at of times) arrivals.note("serp", at);
  const { totals } = metrics.snapshot();
  const value = (name: string) => totals.get(JSON.stringify([name, "serp"])) ?? 0;
  return value("gateway_jobs_variance_total") / value("gateway_jobs_compared_total");
}

test("independent calls have a dispersion of one, whatever their rate", () => {
  const random = fractions("independent calls");
  for (const perSecond of [0.5, 20]) {
    const times = [0];
    while ((times.at(-1) as number) < 3_000_000)
      times.push((times.at(-1) as number) - (Math.log(1 - random()) / perSecond) * 1000);
    expect(dispersion(times)).toBeGreaterThan(0.85);
    expect(dispersion(times)).toBeLessThan(1.15);
  }
});

test("bursts with even gaps are seen in the counts of seconds", () => {
  // Every fifth second has 40 calls, 25 ms apart; the others have four.
  const times = Array.from({ length: 600 }, (_, second) =>
    Array.from(
      { length: second % 5 === 0 ? 40 : 4 },
      (__, call) => second * 1000 + call * (second % 5 === 0 ? 25 : 250),
    ),
  ).flat();
  const gaps = times.slice(1).map((at, index) => at - (times[index] as number));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const scv = gaps.reduce((sum, gap) => sum + (gap / mean - 1) ** 2, 0) / gaps.length;
  expect(scv).toBeLessThan(1.5);
  expect(dispersion(times)).toBeGreaterThan(15);
});

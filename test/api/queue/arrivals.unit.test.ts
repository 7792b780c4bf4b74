import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Arrivals } from "../../../api/queue/arrivals.ts";
import { createMetrics } from "../../../runtime/metrics.ts";

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

import { expect, test } from "vitest";
import { createMetrics, seriesLimit } from "../../runtime/metrics.ts";

test("counters rise by label set, and only rise", () => {
  const metrics = createMetrics();
  const call = { method: "POST", operation: "browser.markdown", status: 200, mode: "live" };
  metrics.count("gateway_http_requests_total", call);
  metrics.count("gateway_http_requests_total", { ...call }, 4);
  metrics.count("gateway_http_requests_total", { ...call, status: 404 });
  metrics.count("gateway_http_requests_total", call, -3);
  metrics.count("gateway_http_requests_total", call, Number.NaN);
  metrics.count("gateway_http_requests_total", call, Infinity);
  expect(Object.fromEntries(metrics.snapshot().totals)).toEqual({
    '["gateway_http_requests_total","POST","browser.markdown","200","live"]': 5,
    '["gateway_http_requests_total","POST","browser.markdown","404","live"]': 1,
  });
});

test("a histogram counts each observation once, a bound belonging to its own bucket", () => {
  const metrics = createMetrics();
  for (const seconds of [0.25, 0.2, 0.26, 500]) {
    metrics.observe("gateway_job_run_seconds", { pool: "serp" }, seconds);
  }
  const { totals } = metrics.snapshot();
  const field = (part: string | number) =>
    totals.get(JSON.stringify(["gateway_job_run_seconds", "serp", part]));
  expect([field(0.25), field(0.5), field(120), field("count")]).toEqual([2, 1, undefined, 4]);
  expect(field("sum")).toBeCloseTo(500.71);
});

test("negative times from disagreeing clocks count as zero", () => {
  const metrics = createMetrics();
  for (const seconds of [-4, Number.NaN, Infinity]) {
    metrics.observe("gateway_job_wait_seconds", { pool: "serp" }, seconds);
  }
  expect(Object.fromEntries(metrics.snapshot().totals)).toEqual({
    '["gateway_job_wait_seconds","serp","count"]': 3,
    '["gateway_job_wait_seconds","serp","sum"]': 0,
    '["gateway_job_wait_seconds","serp",0.005]': 3,
  });
});

test("gauges hold their last value and are separate from totals", () => {
  const metrics = createMetrics();
  metrics.gauge("gateway_http_requests_in_flight", {}, 7);
  metrics.gauge("gateway_http_requests_in_flight", {}, 3);
  const { totals, gauges } = metrics.snapshot();
  expect(totals.size).toBe(0);
  expect([...gauges]).toEqual([['["gateway_http_requests_in_flight"]', 3]]);
});

test("an unbounded number of label sets ends as other", () => {
  const metrics = createMetrics();
  for (let i = 0; i < seriesLimit + 10; i++) {
    metrics.count("gateway_upstream_retries_total", { upstream: `host-${i}` });
  }
  const { totals } = metrics.snapshot();
  expect(totals.size).toBe(seriesLimit + 1);
  expect(totals.get('["gateway_upstream_retries_total","other"]')).toBe(10);
});

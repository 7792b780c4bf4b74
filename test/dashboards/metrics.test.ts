import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { build, buildText } from "../../runtime/build.ts";
import { heartbeatFreshMs } from "../../runtime/queue.ts";
import { heartbeatKey } from "../../runtime/redis/keys.ts";
import { createMetrics } from "../../runtime/metrics.ts";
import {
  processFreshSeconds,
  processesKey,
  publishMetrics,
  totalsKey,
} from "../../runtime/metrics-publisher.ts";
import { dashboards, eventually, jobData, openQueue, openWorker, redisServer } from "./services.ts";
import type { Dashboards, RedisServer } from "./services.ts";

let server: RedisServer;
let redis: Redis;
let board: Dashboards;

beforeAll(async () => {
  server = await redisServer();
  await server.start();
  redis = new Redis(server.url);
  board = await dashboards(server.url);
});

beforeEach(() => redis.flushall());

afterAll(async () => {
  await board.app.close();
  redis.disconnect();
  await server.stop();
});

async function scrape(): Promise<Map<string, number>> {
  const answer = await board.get("/metrics");
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0.0.4/);
  const lines = (await answer.text()).split("\n").filter((line) => line && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

test("queue depth by pool and state, and the age of the oldest waiting job", async () => {
  const queue = openQueue(server.url, "seo-bulk");
  const add = (jobId: string, ageMs: number) =>
    queue.add("seo.any", jobData(), { jobId, timestamp: Date.now() - ageMs });
  await add("svc_done", 0);
  const worker = openWorker(server.url, "seo-bulk", async () => ({}));
  await eventually(async () => expect(await queue.getJobCountByTypes("completed")).toBe(1));
  await worker.close();
  await add("svc_old", 90_000);
  await add("svc_new", 1_000);
  await queue.add("seo.any", jobData(), { jobId: "svc_first", priority: 1 });

  const seen = await scrape();
  const jobs = (state: string) => seen.get(`gateway_queue_jobs{pool="seo-bulk",state="${state}"}`);
  expect([jobs("waiting"), jobs("prioritized"), jobs("active"), jobs("completed")]).toEqual([
    2, 1, 0, 1,
  ]);
  const oldest = seen.get('gateway_queue_oldest_waiting_seconds{pool="seo-bulk"}');
  expect(oldest).toBeGreaterThanOrEqual(90);
  expect(oldest).toBeLessThan(200);
  expect(seen.get('gateway_queue_oldest_waiting_seconds{pool="serp"}')).toBe(0);
  await queue.close();
});

test("workers, slots and running come from fresh heartbeats", async () => {
  const beat = (at: number) => JSON.stringify({ at, slots: 4, running: 3, mean_run_ms: 10 });
  await redis.hset(heartbeatKey("serp"), {
    one: beat(Date.now()),
    two: beat(Date.now() - 20_000),
    gone: beat(Date.now() - heartbeatFreshMs - 1_000),
    odd: "not json",
  });
  const seen = await scrape();
  expect(seen.get('gateway_workers{pool="serp"}')).toBe(2);
  expect(seen.get('gateway_worker_slots{pool="serp"}')).toBe(8);
  expect(seen.get('gateway_worker_running{pool="serp"}')).toBe(6);
  expect(seen.get('gateway_workers{pool="social"}')).toBe(0);
  expect(seen.get("gateway_redis_keys")).toBe(1);
  expect(seen.get("gateway_redis_memory_used_bytes")).toBeGreaterThan(100_000);
});

test("two processes add up, and no counter falls when one leaves or dies", async () => {
  const call = { method: "GET", operation: "shortclip.search", status: 200, mode: "live" };
  const series =
    'gateway_http_requests_total{method="GET",operation="shortclip.search",status="200",mode="live"}';
  const publishers = ["api-1", "api-2"].map((id) => {
    const metrics = createMetrics();
    metrics.count("gateway_http_requests_total", call, 10);
    metrics.gauge("gateway_http_requests_in_flight", {}, 2);
    metrics.observe("gateway_job_wait_seconds", { pool: "social" }, 0.3);
    return { id, metrics, published: publishMetrics(redis, metrics, "api", id) };
  });
  const before = await eventually(async () => {
    const seen = await scrape();
    expect(seen.get(series)).toBe(20);
    return seen;
  });
  expect(before.get("gateway_http_requests_in_flight")).toBe(4);
  expect(before.get('gateway_processes{role="api"}')).toBe(2);
  expect(before.get('gateway_process_memory_bytes{role="api"}')).toBeGreaterThan(10_000_000);

  const { version, commit = "unknown" } = build;
  const info = (role: string) =>
    before.get(`gateway_build_info{role="${role}",version="${version}",commit="${commit}"}`);
  expect([info("api"), info("dashboards")]).toEqual([2, 1]);
  const page = await (await board.get("/workers")).text();
  expect(page.split(`<td data-name="Version">${buildText(build)}</td>`)).toHaveLength(4);

  await publishers[0]?.published.stop();
  // As if the other process had been killed some time ago.
  const { published } = publishers[1] as (typeof publishers)[number];
  await published.stop();
  const [now] = await redis.time();
  await redis.zadd(processesKey, Number(now) - processFreshSeconds - 5, "api-2");

  const after = await scrape();
  for (const [name, value] of before) {
    if (/_total|_bucket|_sum|_count/.test(name)) {
      expect(after.get(name), name).toBeGreaterThanOrEqual(value);
    }
  }
  expect(after.get(series)).toBe(20);
  expect(after.get("gateway_http_requests_in_flight")).toBeUndefined();
  expect(after.get('gateway_processes{role="api"}')).toBe(0);
});

test("rows that did not fit are on the start page and among the metrics, the most frequent first", async () => {
  expect(await (await board.get("/")).text()).toContain(
    "Every upstream answer had the expected shape.",
  );
  const metrics = createMetrics();
  const labels = { upstream: "tikhub", operation: "shortclip.search" };
  metrics.count("gateway_shape_errors_total", labels, 2);
  metrics.count("gateway_rows_dropped_total", { ...labels, field: "video.aweme_id<b>" }, 7);
  await publishMetrics(redis, metrics, "worker", "worker-1").stop();
  const seen = await scrape();
  expect(
    seen.get(
      'gateway_rows_dropped_total{upstream="tikhub",operation="shortclip.search",field="video.aweme_id<b>"}',
    ),
  ).toBe(7);
  const html = await (await board.get("/")).text();
  // The names beside the values let a narrow screen show each row as a block.
  const first = '<tr><td data-name="Operation">shortclip.search</td>';
  const rows = [...html.matchAll(new RegExp(`${first}(.*?)</tr>`, "g"))].map(([, row = ""]) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, text]) => text),
  );
  expect(rows).toEqual([
    ["tikhub", "video.aweme_id&lt;b&gt;", "7"],
    ["tikhub", "whole answer", "2"],
  ]);
});

test("histograms are cumulative and end in the count", async () => {
  const metrics = createMetrics();
  for (const seconds of [0.004, 0.3, 0.3, 300]) {
    metrics.observe("gateway_job_run_seconds", { pool: "browser" }, seconds);
  }
  await publishMetrics(redis, metrics, "worker", "worker-1").stop();
  const seen = await scrape();
  const bucket = (le: string) =>
    seen.get(`gateway_job_run_seconds_bucket{pool="browser",le="${le}"}`);
  expect(["0.005", "0.25", "0.5", "120", "+Inf"].map(bucket)).toEqual([1, 1, 3, 3, 4]);
  expect(seen.get('gateway_job_run_seconds_count{pool="browser"}')).toBe(4);
  expect(seen.get('gateway_job_run_seconds_sum{pool="browser"}')).toBeCloseTo(300.604);
});

test("fields of another version of the gateway are left out", async () => {
  await redis.hset(totalsKey, {
    '["gateway_gone_total","x"]': 1,
    '["gateway_errors_total","a","b"]': 1,
    '["gateway_errors_total","not_found"]': 2,
  });
  const seen = await scrape();
  expect(seen.get('gateway_errors_total{type="not_found"}')).toBe(2);
  expect([...seen.keys()].filter((name) => /gone|"a"/.test(name))).toEqual([]);
});

test("counters with few label sets begin at zero, so that their first event is an increase", async () => {
  const first = await scrape();
  const series = [
    'gateway_errors_total{type="internal_error"}',
    'gateway_queue_refused_total{pool="seo"}',
    'gateway_jobs_total{pool="seo",outcome="crashed"}',
    'gateway_operator_alerts_total{upstream="tikhub",reason="credential refused"}',
  ];
  expect(series.map((name) => first.get(name))).toEqual([0, 0, 0, 0]);
  const metrics = createMetrics();
  metrics.count("gateway_jobs_total", { pool: "seo", outcome: "crashed" });
  await publishMetrics(redis, metrics, "worker", "worker-1").stop();
  expect((await scrape()).get(series[2] ?? "")).toBe(1);
});

test("label values cannot break out of their line", async () => {
  const metrics = createMetrics();
  metrics.count("gateway_upstream_retries_total", { upstream: 'a"} 1\nforged_total 9' });
  await publishMetrics(redis, metrics, "worker", "worker-1").stop();
  expect((await scrape()).has("forged_total")).toBe(false);
});

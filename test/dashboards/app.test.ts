import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CallCounts } from "../../api/call-counts.ts";
import type { CallLogEntry } from "../../runtime/call-log.ts";
import { heartbeatKey } from "../../runtime/redis/keys.ts";
import { besideMs } from "../faults/full.ts";
import {
  basic,
  dashboards,
  eventually,
  jobData,
  openQueue,
  redisServer,
  secretUrl,
} from "./services.ts";
import type { Dashboards, RedisServer } from "./services.ts";

let redis: RedisServer;
let board: Dashboards;

/** Starts while Redis is down: the tests below run in this order. */
beforeAll(async () => {
  redis = await redisServer();
  board = await dashboards(redis.url);
});

afterAll(async () => {
  await board.app.close();
  await redis.stop();
});

async function everyPageReportsDown(): Promise<void> {
  const started = Date.now();
  const [health, metrics, start, find, queues] = await Promise.all([
    board.get("/health", {}),
    board.get("/metrics"),
    board.get("/"),
    board.get("/calls/svc_1"),
    board.get("/queues/api/queues"),
  ]);
  expect(health.status).toBe(503);
  expect(await metrics.text()).toMatch(/^gateway_redis_up 0$/m);
  expect(await start.text()).toContain("Redis does not answer.");
  expect(find.status).toBe(503);
  expect(queues.status).toBeGreaterThanOrEqual(500);
  expect(Date.now() - started).toBeLessThan(8_000 + besideMs);
}

test("it starts while Redis is down, reports that on every page, and recovers", async () => {
  await everyPageReportsDown();
  await redis.start();
  await eventually(async () => expect((await board.get("/health", {})).status).toBe(200));
  expect((await board.get("/queues/api/queues")).status).toBe(200);
});

test("the start page shows the state of each pool and no input of a caller", async () => {
  const queue = openQueue(redis.url, "serp");
  await queue.add("seo.any", jobData(), { jobId: "svc_42", timestamp: Date.now() - 240_000 });
  const client = new Redis(redis.url);
  const beat = { at: Date.now(), slots: 6, running: 5, mean_run_ms: 10 };
  await client.hset(heartbeatKey("serp"), "one", JSON.stringify(beat));
  const html = await (await board.get("/")).text();
  const row = /<tr><td[^>]*><a href="\/pools\/serp">.*?<\/tr>/.exec(html)?.[0] ?? "";
  const cells = [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map((match) => match[1]);
  expect(cells.slice(1)).toEqual(["runs", "1", "4 min", "no calls / 500 ms", "5 / 6", "1"]);
  expect(html).toContain("the oldest call of the pool serp waits for 4 min");
  expect(html).toContain("no worker of the pool seo reports");
  // A long text that does not wrap pushes the figures beside it out of sight.
  expect(html).toContain(`Redis warning</th><td class="text">The append-only file`);
  expect(html).not.toContain(secretUrl);
  expect(html).toContain("read-only");
  client.disconnect();
  await queue.close();
});

test("a call is found by its request id, in any pool", async () => {
  const found = await board.get("/find?id=%20svc_42%20");
  expect(found.status).toBe(303);
  expect(found.headers.get("location")).toBe("/calls/svc_42");
  const page = await (await board.get("/calls/svc_42")).text();
  expect(page).toContain("Waiting in the queue serp for");
  expect(page).toContain('href="/queues/queue/serp/svc_42"');
  expect(page).not.toContain(secretUrl);
  expect((await board.get("/calls/svc_43")).status).toBe(503);
  for (const id of ["meta", "..%2F..", "wait", "", "%3Cscript%3E"]) {
    const answer = await board.get(`/find?id=${id}`);
    expect(answer.status, id).toBe(404);
    expect(await answer.text(), id).not.toMatch(
      /<script(?! src="\/(?:live|uplot|charts)\.js" defer>)/,
    );
  }
});

test("an unknown page is a page for people, and JSON for programs", async () => {
  const headers = { authorization: basic };
  const page = await board.get("/no/such<b>", { ...headers, accept: "text/html" });
  expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html"]);
  const html = await page.text();
  expect(html).toContain("There is no such page.");
  expect(html).toContain('<a href="/">Overview</a>');
  const near = await board.get("/worker", { ...headers, accept: "text/html" });
  expect(await near.text()).toContain('Near addresses: <a href="/workers">/workers</a>');
  const runbooks = await (await board.get("/runbooks")).text();
  expect(runbooks).toMatch(/<h2 id="gatewaynoapi">GatewayNoApi<\/h2>\s*<p>/);
  const json = await board.get("/no/such", headers);
  expect([json.status, await json.json()]).toEqual([404, { error: "There is no such page." }]);
  // A stranger learns nothing of which pages exist.
  expect((await board.get("/no/such", {})).status).toBe((await board.get("/calls", {})).status);
});

test("a full Redis is the first thing that the start page says, also while it refuses every write", async () => {
  const client = new Redis(redis.url);
  await client.config("SET", "maxmemory", "1mb");
  await expect(client.set("any", 1)).rejects.toThrow(/OOM/);
  const html = await (await board.get("/")).text();
  const first = /<p class="status[^>]*>(.*?)<\/p>/s.exec(html)?.[1] ?? "";
  expect(first.replaceAll(/<[^>]+>/g, "")).toMatch(
    /^Wrong: Redis is full \([\d.]+ MB of 1.0 MB\), so new calls are refused since (\S+ )?\d\d:\d\dZ;/,
  );
  // API processes keep their counts of failed calls until Redis takes writes again.
  const counts = new CallCounts();
  const refused: CallLogEntry = {
    fate: "refused",
    at: Date.now(),
    status: 503,
    method: "GET",
    pool: "serp",
    mode: "live",
    api: "api-1",
    stages: {},
    error: { type: "upstream_unavailable" },
  };
  for (let count = 0; count < 20; count += 1) counts.add(refused);
  await counts.write(client);
  await client.config("SET", "maxmemory", "0");
  await counts.write(client);
  await counts.write(client);
  const after = (await (await board.get("/")).text()).replaceAll(/<[^>]+>/g, "");
  expect(after).not.toContain("Redis is full");
  expect(after).toContain("20 of 20 live calls of the last hour failed in serp");
  client.disconnect();
});

test("a frozen Redis costs seconds, not the process", async () => {
  redis.signal("SIGSTOP");
  await everyPageReportsDown();
  redis.signal("SIGCONT");
  await eventually(async () => expect((await board.get("/health", {})).status).toBe(200));
});

test("Redis goes away and comes back", async () => {
  await redis.stop();
  await eventually(everyPageReportsDown);
  await redis.start();
  await eventually(async () => expect((await board.get("/health", {})).status).toBe(200));
  expect((await board.get("/queues/api/queues?activeQueue=serp")).status).toBe(200);
});

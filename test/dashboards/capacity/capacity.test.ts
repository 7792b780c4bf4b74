import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { heartbeatKey } from "../../../runtime/redis/keys.ts";
import { createMetrics } from "../../../runtime/metrics.ts";
import { publishMetrics } from "../../../runtime/metrics-publisher.ts";
import type { CapacityAnswer } from "../../../dashboards/capacity/answer.ts";
import type { WhatIf } from "../../../dashboards/capacity/what-if.ts";
import { type Fault, cli, cliJson } from "../../cli/cli.ts";
import { type Relay, startRelay } from "../../relay.ts";
import { dashboards, eventually, metricsToken, redisServer } from "../services.ts";
import type { Dashboards, RedisServer } from "../services.ts";
import { Recording } from "./samples.ts";
import type { Sample } from "../../../dashboards/capacity/sample.ts";

let redis: RedisServer;
let board: Dashboards;
/** Refuses until the dashboards may find what an earlier process recorded. */
let relay: Relay;
let stopWork = async (): Promise<void> => {};
const token = { authorization: `Bearer ${metricsToken}` };

beforeAll(async () => {
  redis = await redisServer();
  relay = await startRelay(1);
  board = await dashboards(relay.through(redis.url));
});
afterAll(async () => {
  await stopWork();
  await board.app.close();
  relay.stop();
  await redis.stop();
});

const capacity = async (): Promise<CapacityAnswer> =>
  (await (await board.get("/capacity", token)).json()) as CapacityAnswer;

/**
 * Writes a minute of one pool's calls as API and worker processes report it; the returned function
 * stops the reports.
 */
async function work(url = redis.url): Promise<() => Promise<void>> {
  const client = new Redis(url);
  const metrics = createMetrics();
  const pool = "serp";
  for (let call = 0; call < 600; call += 1) {
    metrics.count("gateway_jobs_added_total", { pool });
    metrics.count("gateway_job_gap_seconds_total", { pool }, 0.1);
    metrics.count("gateway_job_gap_seconds_squared_total", { pool }, 0.02);
    const labels = { pool, operation: "geo.serp" };
    metrics.count("gateway_operation_runs_total", labels);
    metrics.count("gateway_operation_run_seconds_total", labels, 0.5);
    metrics.count("gateway_operation_run_seconds_squared_total", labels, 0.5);
    metrics.observe("gateway_job_wait_seconds", { pool }, 0.03);
  }
  const beat = { at: Date.now(), slots: 8, running: 5, mean_run_ms: 500 };
  await client.hset(heartbeatKey(pool), "one", JSON.stringify(beat));
  const published = publishMetrics(client, metrics, "worker", "worker-1");
  return async () => {
    await published.stop();
    client.disconnect();
  };
}

test("without an answer it reports that, and afterwards it measures", async () => {
  const away = await board.get("/capacity", token);
  expect(away.status).toBe(503);
  expect(away.headers.get("retry-after")).toBe("5");
  expect(await away.text()).toMatch(/error/);

  await redis.start();
  const client = new Redis(redis.url);
  // Recorded by an earlier dashboards process a minute ago, when no call had arrived yet.
  const [earlier] = new Recording("serp").steps(1, {
    perSecond: 0,
    now: { slots: 8 },
  });
  const at = Date.now() - 60_000;
  await client.lpush("gateway:capacity:samples", JSON.stringify({ ...earlier, at }));
  client.disconnect();
  stopWork = await work();
  relay.switchTo(Number(new URL(redis.url).port));
  const answer = await eventually(async () => {
    const found = await capacity();
    expect(found.state).toBe("measured");
    expect(found.pools.serp.arrivals.per_second).toBeGreaterThan(5);
    return found;
  });
  const { serp, social } = answer.pools;
  expect(serp.workers).toMatchObject({ now: 1, floor: 1, ceiling: 20 });
  expect(serp.slots).toMatchObject({ now: 8, per_worker: 8, running: 5 });
  expect(serp.service).toMatchObject({ mean_ms: 500, scv: 1 });
  expect(serp.wait.measured_p95_ms).toBeLessThanOrEqual(50);
  expect(serp.reason).toMatch(/calls\/s .* × 500 ms keep .* slots busy; Erlang C/);
  expect(social.workers.desired).toBe(1);
});

test("the first request after a start finds the stores connected and an answer", async () => {
  const fresh = await dashboards(redis.url);
  const first = await fresh.get("/capacity", token);
  await fresh.app.close();
  expect([first.status, await first.text()]).toEqual([200, expect.stringContaining("pools")]);
});

test("nothing is kept of a life whose workers had other slots", async () => {
  const [stored] = new Recording("serp").steps(1, { perSecond: 0, now: { slots: 8 } });
  const { pools } = stored as Sample;
  for (const [database, slots, desired] of [
    [1, 8, 17],
    [2, 2, 1],
  ] as const) {
    const at = Date.now();
    const smoothed = { desired: 17, wanted: [{ at, workers: 17 }], raisedAt: at, loweredAt: at };
    const earlier = { ...stored, at, pools: { ...pools, serp: { ...pools.serp, slots } } };
    const url = `${redis.url}/${database}`;
    const client = new Redis(url);
    await client.lpush("gateway:capacity:samples", JSON.stringify(earlier));
    await client.set("gateway:capacity:memory", JSON.stringify({ serp: smoothed }));
    client.disconnect();
    const stop = await work(url);
    const fresh = await dashboards(url);
    await eventually(async () => {
      const answer = (await (await fresh.get("/capacity", token)).json()) as CapacityAnswer;
      expect(answer.pools.serp.workers, `${slots} slots`).toMatchObject({ now: 1, desired });
    });
    await fresh.app.close();
    await stop();
  }
});

test("the token opens it, no other credential does, and a browser is sent to the login", async () => {
  expect((await board.get("/capacity", token)).status).toBe(200);
  expect((await board.get("/capacity")).status).toBe(200);
  expect((await board.get("/capacity", {})).status).toBe(401);
  expect((await board.get("/capacity", { authorization: "Bearer wrong-token" })).status).toBe(401);
  expect((await board.get("/", token)).status).toBe(401);
  const page = await board.get("/capacity", { accept: "text/html" });
  expect(page.status).toBe(303);
  expect(page.headers.get("location")).toBe("/login?next=%2Fcapacity");
});

test("what if: answered from the formula, and faults named", async () => {
  const query =
    "pool=serp&per_second=10&service_ms=1000&service_scv=1&target_ms=500&slots_per_worker=4";
  const answer = (await (await board.get(`/capacity/what-if?${query}`, token)).json()) as WhatIf;
  expect(answer).toMatchObject({ workers: 4, slots: 16, busy_slots: 10 });
  expect(answer.by_workers.find(({ workers }) => workers === 2)?.p95_wait_ms).toBeNull();
  const wrong = await board.get("/capacity/what-if?pool=serp&per_second=many", token);
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toContain("per_second: must be a number");
});

test("the command line prints the same answer, and the what-if form starts from measured values", async () => {
  const env = { DASHBOARDS_URL: board.url, METRICS_TOKEN: metricsToken };
  const command = ["capacity", "what-if", "serp", "--per-second", "100", "--target-ms", "100"];
  const [printed, changed, strange, wrong, unknown] = await Promise.all([
    cli(["capacity"], env),
    cliJson<WhatIf>(command, env),
    cliJson<Fault>(["capacity"], { ...env, METRICS_TOKEN: "another-token" }),
    cliJson<Fault>([...command, "--arrival-scv", "much"], env),
    cliJson<Fault>(["capacity", "what-if", "toString"], env),
  ]);
  expect(printed.stderr).toBe("");
  expect(printed.stdout).toMatch(/^pool +workers +desired/);
  expect(printed.stdout).toMatch(/^serp: .* calls\/s .* On 8 slots a mean wait .*, of \d+ calls/m);
  expect(changed.json.question).toMatchObject({
    per_second: 100,
    service_ms: 500,
    slots_per_worker: 8,
  });
  expect(changed.json.slots).toBeGreaterThan(50);
  expect(strange.json.error).toMatchObject({ type: "setup" });
  expect(strange.json.error.message).toContain("refuse METRICS_TOKEN: it must have the value");
  expect(unknown.json.error).toMatchObject({ type: "usage" });
  expect(unknown.json.error.message).toContain("There is no pool toString. The pools: browser,");
  expect(wrong.json.error.message).toContain("arrival_scv: must be a number");
});

test("while Redis or the metrics are down it keeps the last answer and marks it as old", async () => {
  const before = await capacity();
  await stopWork();
  await redis.stop();
  const held = await eventually(async () => {
    const found = await capacity();
    expect(found.state).toBe("held");
    return found;
  });
  expect(held.why).toContain("Redis does not answer");
  expect(held.pools.serp.workers.desired).toBe(before.pools.serp.workers.desired);
  expect(held.at <= new Date().toISOString()).toBe(true);

  // Redis comes back empty: no process has published yet.
  await redis.start();
  await eventually(async () => expect((await capacity()).why).toMatch(/has published/));
  stopWork = await work();
  await eventually(async () => expect((await capacity()).state).not.toBe("held"));
});

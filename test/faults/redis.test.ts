import { Redis } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Answer, type Envelope, type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";

type Body = Envelope & ErrorEnvelope;

const searchPath = "/api/v1/tiktok/app/v3/fetch_video_search_result";

let upstream: SpawnedSimulator;
let gateway: Gateway;
let redis: Redis;
beforeAll(async () => {
  upstream = await spawnSimulator();
  gateway = await Gateway.start({
    pools: "social",
    env: { TIKHUB_BASE_URL: upstream.url, TIKHUB_API_KEY: "sample", WORKER_SLOTS: "600" },
  });
  redis = new Redis(gateway.redis.url, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined);
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  redis.disconnect();
  await gateway.stop();
  await upstream.stop();
});

const search = (key: string, q: string): Promise<Answer<Body>> =>
  gateway.call<Body>(key, "GET", `/shortclip/search?q=${q}&limit=1`);

/** Calls at a steady pace; every answer with the time it took in milliseconds. */
async function traffic(
  key: string,
  options: { perSecond: number; seconds: number; mode: string },
): Promise<{ status: number; type: string | undefined; ms: number; at: number }[]> {
  const pending = [];
  for (let index = 0; index < options.perSecond * options.seconds; index += 1) {
    const at = Date.now();
    pending.push(
      search(key, `${options.mode}${index}`).then((answer) => ({
        status: answer.status,
        type: answer.body.error?.type,
        ms: Date.now() - at,
        at,
      })),
    );
    await sleep(1000 / options.perSecond);
  }
  return Promise.all(pending);
}

test("case 11: connections cut every 0.7 s lose no call", async () => {
  const { key } = await gateway.key({ mode: "test", credits: 100_000 });
  const cutting = setInterval(
    () =>
      void redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").catch(() => undefined),
    700,
  );
  const answers = await traffic(key, { perSecond: 40, seconds: 8, mode: "cut" });
  clearInterval(cutting);
  expect(answers.filter((answer) => answer.status !== 200)).toEqual([]);
}, 60_000);

test("case 12: a Redis that restarts under load answers what it accepted and refuses the rest in time", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 100_000 });
  const load = traffic(key, { perSecond: 20, seconds: 12, mode: "restart" });
  for (let round = 0; round < 3; round += 1) {
    await sleep(2000);
    await gateway.redis.shutdown();
    await sleep(1000);
    await gateway.redis.restart();
  }
  const answers = await load;
  const others = answers.filter((answer) => answer.status !== 200 && answer.status !== 503);
  expect(others).toEqual([]);
  const slowest503 = Math.max(0, ...answers.filter((a) => a.status === 503).map((a) => a.ms));
  expect(slowest503).toBeLessThan(4000);
  expect(answers.filter((answer) => answer.status === 200).length).toBeGreaterThan(100);
  await until(async () => (await gateway.balance(accountId, "test")).held === 0, 10_000);
  expect((await search(key, "after")).status).toBe(200);
}, 90_000);

test("case 13: without a single hint every call is answered by looking", async () => {
  const { key } = await gateway.key({ mode: "live", credits: 1000 });
  await upstream.play(searchPath, { faults: [], rest: { kind: "delay", ms: 2500 } });
  const pending = Array.from({ length: 150 }, (_, index) => search(key, `hint${index}`));
  await sleep(500);
  const quiet = setInterval(() => {
    void redis.call("CLIENT", "KILL", "TYPE", "pubsub").catch(() => undefined);
    for (const pool of ["social", "browser", "seo", "seo-bulk", "serp"]) {
      void redis.xtrim(`gateway:${pool}:events`, "MAXLEN", 0).catch(() => undefined);
    }
  }, 20);
  const answers = await Promise.all(pending);
  clearInterval(quiet);
  await upstream.reset();
  expect(answers.filter((answer) => answer.status !== 200).map((answer) => answer.text)).toEqual(
    [],
  );
}, 90_000);

test("case 14: a frozen Redis refuses new calls in time and loses none of the old", async () => {
  const { key, accountId } = await gateway.key({ mode: "live", credits: 1000 });
  await upstream.play(searchPath, { faults: [], rest: { kind: "delay", ms: 6000 } });
  const before = Array.from({ length: 20 }, (_, index) => search(key, `frozen${index}`));
  const running = async () =>
    (await upstream.calls(searchPath)).filter((call) =>
      call.query["keyword"]?.startsWith("frozen"),
    );
  await until(async () => (await running()).length === 20);
  process.kill(gateway.redis.pid as number, "SIGSTOP");
  const startedAt = Date.now();
  const during = await Promise.all(
    Array.from({ length: 5 }, (_, index) => search(key, `new${index}`)),
  );
  const took = Date.now() - startedAt;
  await sleep(Math.max(0, 6000 - took));
  process.kill(gateway.redis.pid as number, "SIGCONT");
  expect(during.map((answer) => answer.status)).toEqual(Array(5).fill(503));
  expect(took).toBeLessThan(4000);
  expect((await Promise.all(before)).map((answer) => answer.status)).toEqual(Array(20).fill(200));
  await upstream.reset();
  expect((await search(key, "thawed")).status).toBe(200);
  await until(async () => (await gateway.balance(accountId)).held === 0, 10_000);
}, 60_000);

test("case 15: a full Redis refuses new calls and recovers by itself", async () => {
  const { key, accountId } = await gateway.key({ mode: "live", credits: 1000 });
  await upstream.play(searchPath, { faults: [], rest: { kind: "delay", ms: 4000 } });
  const before = Array.from({ length: 10 }, (_, index) => search(key, `full${index}`));
  // Running jobs, not waiting ones: a job that starts now cannot take its place at the upstream.
  const running = async () =>
    (await upstream.calls(searchPath)).filter((call) => call.query["keyword"]?.startsWith("full"));
  await until(async () => (await running()).length === 10);
  await redis.config("SET", "maxmemory", "1mb");
  await sleep(200);
  const during = await Promise.all(
    Array.from({ length: 5 }, (_, index) => search(key, `refused${index}`)),
  );
  await sleep(5000);
  await redis.config("SET", "maxmemory", "0");
  expect(during.map((answer) => answer.status)).toEqual(Array(5).fill(503));
  expect((await Promise.all(before)).map((answer) => answer.status)).toEqual(Array(10).fill(200));
  await upstream.reset();
  await until(async () => (await search(key, "room")).status === 200, 5000);
  await until(async () => (await gateway.balance(accountId)).held === 0, 10_000);
}, 60_000);

test("case 17: a worker frozen and resumed changes nothing", async () => {
  const { key, accountId } = await gateway.key({ mode: "live", credits: 100 });
  await upstream.play(searchPath, { faults: [], rest: { kind: "delay", ms: 3000 } });
  const pending = Array.from({ length: 10 }, (_, index) => search(key, `zombie${index}`));
  await until(async () => (await upstream.calls(searchPath)).length >= 10);
  const frozen = gateway.workers[0];
  frozen?.child.kill("SIGSTOP");
  await gateway.startWorker({ WORKER_POOLS: "social" });
  const answers = await Promise.all(pending);
  expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
  const balance = await gateway.balance(accountId);
  expect(balance).toEqual({ balance: 90, held: 0 });
  frozen?.child.kill("SIGCONT");
  await sleep(5000);
  expect(await gateway.balance(accountId)).toEqual(balance);
  await upstream.reset();
}, 90_000);

test("case 20: beyond what the queue takes calls are refused and nothing is held", async () => {
  const crowded = await Gateway.start({
    pools: "social",
    env: { TIKHUB_BASE_URL: upstream.url, TIKHUB_API_KEY: "sample", WORKER_SLOTS: "4" },
  });
  try {
    const { key, accountId } = await crowded.key({ mode: "live", credits: 1000 });
    await upstream.play(searchPath, { faults: [], rest: { kind: "delay", ms: 60_000 } });
    const leaving = new AbortController();
    const all = Array.from({ length: 4 * 11 + 100 }, (_, index) =>
      crowded
        .call<Body>(key, "GET", `/shortclip/search?q=crowd${index}&limit=1`, {
          signal: leaving.signal,
        })
        .catch(() => undefined),
    );
    let refused = 0;
    for (const call of all) {
      void call.then((answer) => {
        if (answer?.status === 503 && answer.headers.get("retry-after")) refused += 1;
      });
    }
    await until(() => refused >= 80, 10_000);
    await until(async () => (await crowded.balance(accountId)).held + refused === all.length);
    leaving.abort();
    await until(async () => (await crowded.balance(accountId)).held === 0, 10_000);
    expect(await crowded.violations()).toEqual([]);
  } finally {
    await upstream.reset();
    await crowded.stop();
  }
}, 60_000);

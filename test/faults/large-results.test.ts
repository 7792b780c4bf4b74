import { Redis } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { encodeOutcome } from "../../runtime/queue.ts";
import { queueOf, queuePrefix, resultKey } from "../../runtime/redis/keys.ts";
import { resultSpaceBytesKey, resultSpaceKey } from "../../runtime/redis/result-space.ts";
import { createMetrics } from "../../runtime/metrics.ts";
import { type RunningPool, startPool } from "../../worker/pools.ts";
import { type Envelope, type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { besideMs, full } from "./full.ts";
import { counted, timed } from "./traffic.ts";

/** Many large answers at once and a Redis with memory for few of them. */

const maxMegabytes = full ? 256 : 128;
const pictures = full ? 20 : 5;
const megabytes = 28;

/** Requests for `/held` wait for `release`. */
const held = Promise.withResolvers<void>();
const release = Promise.withResolvers<void>();
/** The job of a request for `/late`, and its release. */
let late: { jobId: string; end: () => void } | undefined;

let gateway: Gateway;
let redis: Redis;
let pool: RunningPool;
/** Larger pictures would only slow the test: it covers the steps after rendering. */
const picture = pictureOf(megabytes);
const smallPicture = pictureOf(2);
function pictureOf(size: number): Buffer {
  const image_base64 = "A".repeat(size * 1024 * 1024);
  const data = { url: "https://example.com/", format: "png", image_base64, size_bytes: 1 };
  const outcome = { ok: true, records: 1, truncated: false } as const;
  return encodeOutcome(outcome, Buffer.from(JSON.stringify(data)));
}

beforeAll(async () => {
  gateway = await Gateway.start();
  redis = new Redis(gateway.redis.url);
  await redis.config("SET", "maxmemory", `${maxMegabytes}mb`);
  pool = await startPool({
    pool: "browser",
    slots: pictures,
    redisUrl: gateway.redis.url,
    metrics: createMetrics(),
    log: () => undefined,
    understands: () => true,
    // All end at once, like a page with many waiting callers.
    process: async (jobId, { input }) => {
      const { url } = input as { url: string };
      if (url.endsWith("/late")) await new Promise<void>((end) => (late = { jobId, end }));
      if (url.endsWith("/held")) held.resolve();
      await (url.endsWith("/held") ? release.promise : sleep(500));
      return { outcome: "ok", stored: url.endsWith("/twins") ? smallPicture : picture };
    },
  });
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  await pool?.close(1000);
  redis?.disconnect();
  await gateway?.stop();
});

async function usedMegabytes(): Promise<number> {
  const info = await redis.info("memory");
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1]) / 1024 / 1024;
}

test(`${pictures} pictures of ${megabytes} MB at once, Redis with ${maxMegabytes} MB: each is delivered or refused in time, and Redis is empty again within 10 s`, async () => {
  const { key, accountId } = await gateway.key({ credits: 100, inFlight: 100, rate: 1000 });
  const base = await usedMegabytes();
  let peak = 0;
  const watching = setInterval(() => {
    void usedMegabytes().then((now) => (peak = Math.max(peak, now)));
  }, 100);
  const sent = await Promise.all(
    Array.from({ length: pictures }, (_, index) =>
      timed(() =>
        gateway.call<Envelope & ErrorEnvelope>(key, "POST", "/browser/screenshot", {
          body: { url: `https://example.com/${index}`, timeout_ms: 30_000 },
        }),
      ),
    ),
  );
  clearInterval(watching);
  const endedAt = Date.now();
  await until(async () => (await usedMegabytes()) < base + 8, 10_000 + besideMs);
  const slowest = Math.max(...sent.map(({ ms }) => ms));
  console.log(
    `${pictures} pictures of ${megabytes} MB, Redis with ${maxMegabytes} MB: ${counted(sent)}; slowest ${slowest} ms; peak ${Math.round(peak)} MB, back to ${Math.round(await usedMegabytes())} of ${Math.round(base)} MB after ${Date.now() - endedAt} ms`,
  );
  expect(sent.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  // The deadline is 45 s after arrival; a busy machine answers later.
  expect(sent.filter(({ ms }) => ms > 75_000)).toEqual([]);
  const delivered = sent.filter(({ status }) => status === 200).length;
  expect(delivered).toBeGreaterThan(0);
  expect((await gateway.balance(accountId)).balance).toBe(100 - delivered);
  await until(async () => (await redis.keys("gateway:room*")).length === 0);
});

// A refusal comes shortly before the deadline, so it takes a quarter of a minute.
test.runIf(full)(
  `${pictures} pictures of ${megabytes} MB beside one that a frozen process leaves in Redis: each is refused in time for lack of memory`,
  async () => {
    const { key, accountId } = await gateway.key({ credits: 100, inFlight: 100, rate: 1000 });
    const [frozen] = gateway.apis;
    const other = await gateway.startApi();
    const shoot = (url: string, path: string, timeoutMs: number) =>
      timed(() =>
        gateway.call<Envelope & ErrorEnvelope>(key, "POST", "/browser/screenshot", {
          body: { url: `https://example.com/${path}`, timeout_ms: timeoutMs },
          url,
        }),
      );
    const first = shoot(frozen?.url ?? "", "held", 60_000);
    await held.promise;
    frozen?.process.child.kill("SIGSTOP");
    const sent = await (async () => {
      try {
        release.resolve();
        await until(async () => (await redis.exists(resultSpaceBytesKey)) === 1);
        return await Promise.all(
          Array.from({ length: pictures }, (_, index) => shoot(other.url, String(index), 1000)),
        );
      } finally {
        frozen?.process.child.kill("SIGCONT");
      }
    })();
    console.log(`${pictures} pictures refused for lack of memory: ${counted(sent)}`);
    for (const { status, message, ms } of sent) {
      expect([status, message]).toEqual([
        503,
        "There is no room for so large an answer at the moment",
      ]);
      expect(ms).toBeLessThan(30_000);
    }
    // The frozen process loses nothing: it continues, and the memory is free again.
    expect((await first).status).toBe(200);
    expect((await shoot(other.url, "after", 30_000)).status).toBe(200);
    expect((await gateway.balance(accountId)).balance).toBe(100 - 2);
  },
);

test("concurrent retries on another process get a large answer whose bytes have left Redis", async () => {
  const other = await gateway.startApi();
  const { key, accountId } = await gateway.key({ credits: 10 });
  const ask = (url: string) =>
    gateway.call<Envelope>(key, "POST", "/browser/screenshot", {
      body: { url: "https://example.com/twins" },
      headers: { "Idempotency-Key": "twins" },
      url,
    });
  const urls = gateway.apis.map(({ url }) => url);
  expect(urls).toContain(other.url);
  const answers = await Promise.all([...urls, ...urls].map(ask));
  const late = await ask(other.url);
  for (const answer of [...answers, late]) {
    expect(answer.status).toBe(200);
    expect(answer.text === late.text).toBe(true);
  }
  expect((await gateway.balance(accountId)).balance).toBe(9);
  expect(await redis.strlen(resultKey(late.body.request_id))).toBeLessThan(1000);
});

test("a picture without a waiting caller is its job's result, compressed at rest, the same bytes each time", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const { body } = await gateway.call<Envelope<{ request_id: string }>>(
    key,
    "POST",
    "/browser/screenshot",
    { body: { url: "https://example.com/later" }, headers: { prefer: "respond-async" } },
  );
  const { request_id: id } = body.data;
  const result = () => gateway.call<Envelope>(key, "GET", `/jobs/${id}/result?wait=60`);
  const answer = await result();
  expect(answer.status).toBe(200);
  expect(answer.text.length).toBeGreaterThan(megabytes * 1024 * 1024);
  expect((await result()).text === answer.text).toBe(true);
  const [kept] = await gateway.db.sql<{ bytes: number }[]>`
    select octet_length(body) as bytes from replays where request_id = ${id}`;
  expect(kept?.bytes).toBeLessThan(1024 * 1024);
  expect(await gateway.balance(accountId)).toEqual({ balance: 9, held: 0 });
});

/** Ends a job whose caller has given up, and waits until its worker has finished. */
async function endLate(): Promise<void> {
  const { jobId, end } = late as { jobId: string; end: () => void };
  late = undefined;
  end();
  const job = `${queuePrefix}:${queueOf("browser")}:${jobId}`;
  await until(async () => (await redis.hget(job, "finishedOn")) !== null);
  expect(await redis.strlen(resultKey(jobId))).toBeLessThan(1000);
  expect(await redis.keys(`${resultSpaceKey}*`)).toEqual([]);
}

test("a picture whose caller has left takes no memory in Redis", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const leaving = new AbortController();
  const call = gateway.call(key, "POST", "/browser/screenshot", {
    body: { url: "https://example.com/late" },
    signal: leaving.signal,
  });
  call.catch(() => undefined);
  await until(() => late !== undefined);
  leaving.abort();
  await expect(call).rejects.toThrow();
  await until(async () => (await gateway.balance(accountId)).held === 0);
  await until(async () => (await redis.exists(resultKey(late?.jobId ?? ""))) === 1);
  await endLate();
  expect(await gateway.balance(accountId)).toEqual({ balance: 10, held: 0 });
});

// Each waits for the deadline of its call.
test.runIf(full).each([{}, { "Idempotency-Key": "late" }])(
  "a picture after the deadline of its call takes no memory in Redis (%o)",
  async (headers) => {
    const { key, accountId } = await gateway.key({ credits: 10 });
    const { status } = await gateway.call(key, "POST", "/browser/screenshot", {
      body: { url: "https://example.com/late", timeout_ms: 1000 },
      headers,
    });
    expect(status).toBe(504);
    await until(async () => (await redis.exists(resultKey(late?.jobId ?? ""))) === 1);
    await endLate();
    expect(await gateway.balance(accountId)).toEqual({ balance: 10, held: 0 });
  },
);

import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CallLimiter } from "../../api/admission/call-limiter.ts";
import { queuePrefix } from "../../runtime/redis/keys.ts";
import { clientOf, startRedis } from "../redis.ts";
import { type TestRedis } from "../redis-server.ts";

/** The order in which a pool serves waiting calls, by the queue's own sorted set. */

let server: TestRedis;
let redis: Redis;
let limiter: CallLimiter;
beforeAll(async () => {
  server = await startRedis({ own: true });
  redis = clientOf(server.url);
});
beforeEach(async () => {
  await redis.flushall();
  limiter = new CallLimiter(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const queue = `${queuePrefix}:seo:prioritized`;
const slots = 2;
let counter = 0;

interface SlotOptions {
  inFlight?: number;
  mode?: "live" | "test";
  queueCapacity?: number;
  background?: boolean;
}

/** Requests a slot and applies its priority as BullMQ does. */
async function ask(accountId: number, id: string, options: SlotOptions = {}): Promise<number> {
  const { inFlight = 20, mode = "live", queueCapacity = 1000, background } = options;
  const slot = {
    accountId,
    mode,
    requestId: id,
    pool: "seo" as const,
    ...(background ? { background } : {}),
  };
  const limits = { ratePerSecond: 10_000, maxInFlight: inFlight };
  const { kind, priority } = await limiter.acquire(slot, limits, { slots, queueCapacity });
  if (kind !== "ok") return -1;
  await redis.hset(`${queuePrefix}:seo:${id}`, { timestamp: 1 });
  if (priority === 0) await redis.lpush(`${queuePrefix}:seo:active`, id);
  else await redis.zadd(queue, String(priority * 2 ** 32 + (counter += 1)), id);
  return priority;
}

async function askMany(accountId: number, name: string, count: number, options: SlotOptions = {}) {
  const priorities: number[] = [];
  for (let index = 0; index < count; index += 1)
    priorities.push(await ask(accountId, `${name}${index}`, options));
  return priorities;
}

const order = async () =>
  (await redis.zrange(queue, "0", "-1")).map((id) => id.replace(/\d+$/, ""));

test("while slots are free a call has no priority", async () => {
  expect(await askMany(1, "a", 2)).toEqual([0, 0]);
  expect(await ask(1, "b")).toBeGreaterThan(0);
});

test("waiting accounts are served round-robin, however many calls one has", async () => {
  await askMany(9, "running", slots);
  await askMany(1, "a", 6);
  await askMany(2, "b", 3);
  expect((await order()).slice(0, 6).toSorted()).toEqual(["a", "a", "a", "b", "b", "b"]);
  expect((await order()).slice(6)).toEqual(["a", "a", "a"]);
});

test("a single call goes before accounts with more calls, and after earlier single calls", async () => {
  await askMany(9, "running", slots);
  for (let attacker = 10; attacker < 30; attacker += 1) await askMany(attacker, "attack", 5);
  await ask(1, "one");
  await ask(2, "two");
  await ask(3, "three");
  expect((await order()).slice(0, 4)).toEqual(["one", "two", "three", "attack"]);
  // A later attacker gains nothing over the earlier ones.
  await askMany(30, "late", 5);
  expect((await order()).slice(0, 3)).toEqual(["one", "two", "three"]);
});

test("accounts with one call each are served in order of arrival", async () => {
  await askMany(9, "running", slots);
  for (let one = 10; one < 30; one += 1) await ask(one, `${String.fromCharCode(97 + one - 10)}0`);
  const served = await order();
  expect(served).toEqual(served.toSorted());
});

test("an account's weight is its concurrency limit", async () => {
  await askMany(9, "running", slots);
  await askMany(1, "usual", 12, { inFlight: 20 });
  await askMany(2, "double", 12, { inFlight: 40 });
  const served = (await order()).slice(0, 12);
  const doubles = served.filter((name) => name === "double").length;
  expect(doubles).toBeGreaterThanOrEqual(7);
  expect(doubles).toBeLessThanOrEqual(9);
});

test("test mode waits behind every live call", async () => {
  await askMany(9, "running", slots);
  await askMany(1, "test", 3, { mode: "test" });
  await askMany(2, "live", 5);
  expect(await order()).toEqual([...Array(5).fill("live"), ...Array(3).fill("test")]);
});

test("an account below its share of slots and queue capacity is admitted where others took the rest", async () => {
  await askMany(1, "a", 12, { queueCapacity: 4 });
  expect(await redis.zcard(queue)).toBe(4);
  // A half of six, then a third.
  expect((await askMany(2, "b", 5, { queueCapacity: 4 })).filter((one) => one > 0)).toHaveLength(3);
  expect((await askMany(3, "c", 5, { queueCapacity: 4 })).filter((one) => one > 0)).toHaveLength(2);
  expect(await ask(1, "more", { queueCapacity: 4 })).toBe(-1);
});

test("priorities stay within BullMQ's bounds and keep their order", async () => {
  await askMany(9, "running", slots);
  await ask(1, "one");
  // Half a million positions later, and as many newcomers before one another.
  for (const now of [1_000_000, 10]) {
    await redis.del(queue);
    await redis.zadd(
      queue,
      String(now * 2 ** 32 + 1),
      "one",
      String((now + 5) * 2 ** 32 + 2),
      "far",
    );
    await redis.hset(`${queuePrefix}:limits:turns:seo`, { "1:live": now + 16, "2:live": now + 32 });
    const priority = await ask(2, `near${now}`);
    expect(priority).toBeGreaterThan(100_000);
    expect(priority).toBeLessThan(1_000_000);
    const scores = await redis.zrange(queue, "0", "-1", "WITHSCORES");
    expect(scores.filter((_, index) => index % 2 === 0)).toContain("far");
    expect(Number(scores.at(-1))).toBeLessThan(2 ** 53);
    await redis.srem(
      (await redis.keys(`${queuePrefix}:limits:flight:2:live:*`))[0] ?? "",
      `near${now}`,
    );
  }
});

test("an empty pool forgets its round-robin positions", async () => {
  await askMany(1, "a", 50);
  await redis.del(queue, `${queuePrefix}:seo:active`);
  expect(await ask(3, "x")).toBe(0);
  expect(await redis.hkeys(`${queuePrefix}:limits:turns:seo`)).toEqual(["3:live"]);
});

test("background calls run when no caller waits, and never displace a waiting caller", async () => {
  await askMany(9, "running", slots);
  await askMany(1, "job", 5, { background: true });
  await askMany(1, "test-job", 2, { background: true, mode: "test" });
  await askMany(2, "call", 2, { queueCapacity: 3 });
  await askMany(3, "test-call", 1, { mode: "test", queueCapacity: 5 });
  expect(await order()).toEqual([
    "call",
    "call",
    "test-call",
    ...Array<string>(5).fill("job"),
    "test-job",
    "test-job",
  ]);
});

test("jobs of accounts are served round-robin like calls", async () => {
  await askMany(9, "running", slots);
  await askMany(1, "a", 6, { background: true });
  await askMany(2, "b", 3, { background: true });
  expect((await order()).slice(0, 6).toSorted()).toEqual(["a", "a", "a", "b", "b", "b"]);
});

test("a job gets a priority even while slots are free: a caller may arrive before it is taken", async () => {
  expect(await ask(1, "job", { background: true })).toBeGreaterThan(2 ** 20);
  expect(await ask(1, "test-job", { background: true, mode: "test" })).toBeLessThan(2 ** 21);
});

test("a resumed slot is taken over unchanged, whatever the limits are", async () => {
  const slot = { accountId: 1, mode: "live", requestId: "left", pool: "seo" } as const;
  await limiter.resume({ ...slot, background: true });
  expect(await ask(1, "next", { inFlight: 1 })).toBe(-1);
  await limiter.release({ ...slot, background: true });
  expect(await ask(1, "next", { inFlight: 1 })).toBe(0);
});

import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gate, createGate } from "../../api/limits.ts";
import { type TestRedis, startRedis } from "../redis.ts";

let server: TestRedis;
let redis: Redis;
let gate: Gate;
beforeAll(async () => {
  server = await startRedis({ own: true });
  redis = new Redis(server.url);
  gate = createGate(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const generous = { ratePerSecond: 10_000, maxInFlight: 10_000 };
const roomy = { lastsMs: 60_000, slots: 4, room: 10_000 };
let keys = 0;
const newKey = () => `key${(keys += 1)}`;
const place = (keyId: string, requestId: string) => ({ keyId, requestId, pool: "seo" as const });
const counted = (answers: { kind: string }[]) =>
  answers.reduce<Record<string, number>>(
    (counts, { kind }) => ({ ...counts, [kind]: (counts[kind] ?? 0) + 1 }),
    {},
  );

test("calls that ask together share one rate", async () => {
  const keyId = newKey();
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      gate.acquire(place(keyId, `rate${index}`), { ...generous, ratePerSecond: 10 }, roomy),
    ),
  );
  const { ok = 0, rate = 0 } = counted(answers);
  // Some more than ten: the rate goes on while they ask.
  expect(ok).toBeGreaterThanOrEqual(10);
  expect(ok).toBeLessThan(15);
  expect(ok + rate).toBe(30);
  const refused = answers.filter(({ kind }) => kind === "rate");
  expect(refused.every(({ waitMs, remaining }) => waitMs > 0 && remaining === 0)).toBe(true);
});

test("calls that ask together share one concurrency, and places given back are free at once", async () => {
  const keyId = newKey();
  const limits = { ...generous, maxInFlight: 5 };
  const ask = (from: number) =>
    Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        gate.acquire(place(keyId, `flight${from + index}`), limits, roomy),
      ),
    );
  expect(counted(await ask(0))).toEqual({ ok: 5, concurrency: 3 });
  const returned = [0, 1].map((index) => gate.release(place(keyId, `flight${index}`)));
  expect(counted(await ask(8))).toEqual({ ok: 2, concurrency: 6 });
  await Promise.all(returned);
  expect(await redis.zcard(`gateway:limits:flight:${keyId}`)).toBe(5);
});

test("a burst does not pass the pool's room together", async () => {
  await redis.del("gateway:limits:pool:seo");
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      gate.acquire(place(`burst${index % 3}`, `burst${index}`), generous, { ...roomy, room: 20 }),
    ),
  );
  // Four run and twenty wait.
  expect(counted(answers)).toEqual({ ok: 24, queue: 26 });
});

test("the same request takes one place, and one that is not given back falls free by itself", async () => {
  const keyId = newKey();
  await redis.del("gateway:limits:pool:seo");
  const brief = { ...roomy, lastsMs: 300 };
  await gate.acquire(place(keyId, "same"), generous, brief);
  await gate.acquire(place(keyId, "same"), generous, brief);
  expect(await redis.zcard(`gateway:limits:flight:${keyId}`)).toBe(1);
  await new Promise((done) => setTimeout(done, 400));
  const limits = { ...generous, maxInFlight: 1 };
  expect((await gate.acquire(place(keyId, "next"), limits, brief)).kind).toBe("ok");
});

test("what Redis refuses rejects those who asked and none after them", async () => {
  const keyId = newKey();
  const broken = `gateway:limits:flight:${keyId}`;
  await redis.set(broken, "not a set");
  const asked = [1, 2].map((index) => gate.acquire(place(keyId, `x${index}`), generous, roomy));
  for (const one of await Promise.allSettled(asked)) expect(one.status).toBe("rejected");
  await expect(gate.release(place(keyId, "x1"))).resolves.toBeUndefined();
  await redis.del(broken);
  expect((await gate.acquire(place(keyId, "x3"), generous, roomy)).kind).toBe("ok");
});

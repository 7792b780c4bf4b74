import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gate, createGate } from "../../api/limits.ts";
import { until } from "../gateway.ts";
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
  await gate.close();
  redis.disconnect();
  await server.stop();
});

const generous = { ratePerSecond: 10_000, maxInFlight: 10_000 };
const roomy = { slots: 4, room: 10_000 };
/** Places of a key that count: those of processes that live. */
async function flying(keyId: string): Promise<number> {
  const leases = await redis.zrange("gateway:limits:leases", "0", "-1");
  const counts = leases.map((lease) => redis.scard(`gateway:limits:flight:${keyId}:${lease}`));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
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
  expect(await flying(keyId)).toBe(5);
});

test("a burst does not pass the pool's room together", async () => {
  await redis.flushall();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      gate.acquire(place(`burst${index % 3}`, `burst${index}`), generous, { ...roomy, room: 20 }),
    ),
  );
  // Four run and twenty wait.
  expect(counted(answers)).toEqual({ ok: 24, queue: 26 });
});

test("a call counts once for its pool: on its way, then as the job that waits or runs", async () => {
  await redis.flushall();
  const keyId = newKey();
  const bounds = { slots: 1, room: 2 };
  const ask = async (id: string) => (await gate.acquire(place(keyId, id), generous, bounds)).kind;
  expect([await ask("a"), await ask("b"), await ask("c"), await ask("d")]).toEqual([
    "ok",
    "ok",
    "ok",
    "queue",
  ]);
  for (const id of ["a", "b", "c"]) await redis.hset(`gateway:seo:${id}`, "timestamp", 1);
  await redis.lpush("gateway:seo:active", "a");
  await redis.lpush("gateway:seo:wait", "b", "c");
  expect(await ask("d")).toBe("queue");
  // The first has ended, the second runs.
  await redis.lpop("gateway:seo:active");
  await redis.lmove("gateway:seo:wait", "gateway:seo:active", "LEFT", "LEFT");
  expect([await ask("d"), await ask("e")]).toEqual(["ok", "queue"]);
});

test("the same request takes one place, also where there is no other", async () => {
  await redis.flushall();
  const keyId = newKey();
  const limits = { ...generous, maxInFlight: 1 };
  expect((await gate.acquire(place(keyId, "same"), limits, roomy)).kind).toBe("ok");
  expect((await gate.acquire(place(keyId, "same"), limits, roomy)).kind).toBe("ok");
  expect(await flying(keyId)).toBe(1);
  expect((await gate.acquire(place(keyId, "other"), limits, roomy)).kind).toBe("concurrency");
});

test("places of a process that is not heard of any more are free within three seconds", async () => {
  const keyId = newKey();
  const limits = { ...generous, maxInFlight: 1 };
  const lost = new Redis(server.url);
  const lostGate = createGate(lost);
  expect((await lostGate.acquire(place(keyId, "lost"), limits, roomy)).kind).toBe("ok");
  const ask = async () => (await gate.acquire(place(keyId, "next"), limits, roomy)).kind;
  await new Promise((done) => setTimeout(done, 3000));
  expect(await ask()).toBe("concurrency");
  lost.disconnect();
  const from = Date.now();
  await until(async () => (await ask()) === "ok", 5000);
  expect(Date.now() - from).toBeLessThan(3500);
  await lostGate.close();
});

test("what Redis forgot or brought back counts for nothing: each process tells what it holds", async () => {
  const keyId = newKey();
  const own = new Redis(server.url);
  own.on("error", () => undefined);
  const ownGate = createGate(own);
  const limits = { ...generous, maxInFlight: 2 };
  const ask = async (id: string) => (await ownGate.acquire(place(keyId, id), limits, roomy)).kind;
  expect([await ask("held"), await ask("returned")]).toEqual(["ok", "ok"]);
  const [flight] = await redis.keys(`gateway:limits:flight:${keyId}:*`);
  await ownGate.release(place(keyId, "returned"));
  // A server that has lost the release, and then the place as well.
  await redis.sadd(flight as string, "returned");
  const again = new Promise((ready) => own.once("ready", ready));
  await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  await again;
  await until(async () => (await flying(keyId)) === 1);
  expect([await ask("new"), await ask("more")]).toEqual(["ok", "concurrency"]);
  await redis.flushall();
  const third = new Promise((ready) => own.once("ready", ready));
  await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  await third;
  await until(async () => (await flying(keyId)) === 2);
  expect(await ask("most")).toBe("concurrency");
  await ownGate.close();
  own.disconnect();
});

test("what Redis refuses rejects those who asked and none after them", async () => {
  const keyId = newKey();
  await gate.acquire(place(keyId, "x0"), generous, roomy);
  const [broken = ""] = await redis.keys(`gateway:limits:flight:${keyId}:*`);
  await redis.set(broken, "not a set");
  const asked = [1, 2].map((index) => gate.acquire(place(keyId, `x${index}`), generous, roomy));
  for (const one of await Promise.allSettled(asked)) expect(one.status).toBe("rejected");
  await expect(gate.release(place(keyId, "x1"))).resolves.toBeUndefined();
  await redis.del(broken);
  expect((await gate.acquire(place(keyId, "x3"), generous, roomy)).kind).toBe("ok");
});

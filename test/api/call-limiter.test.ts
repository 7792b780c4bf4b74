import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CallLimiter } from "../../api/admission/call-limiter.ts";
import { RateLimiter } from "../../api/admission/rate-limiter.ts";
import { shareRates } from "../../api/admission/shared-rate-limits.ts";
import { queuePrefix } from "../../runtime/redis/keys.ts";
import { besideMs } from "../faults/full.ts";
import { until } from "../gateway.ts";
import { clientOf, startRedis } from "../redis.ts";
import { type TestRedis } from "../redis-server.ts";

let server: TestRedis;
let redis: Redis;
let limiter: CallLimiter;
beforeAll(async () => {
  server = await startRedis({ own: true });
  redis = clientOf(server.url);
  limiter = new CallLimiter(redis);
});
afterAll(async () => {
  await limiter.close();
  redis.disconnect();
  await server.stop();
});

const generous = { ratePerSecond: 10_000, maxInFlight: 10_000 };
const wideBounds = { slots: 4, queueCapacity: 10_000 };
/** Slots of a key that count: those of living processes. */
async function flying(accountId: number): Promise<number> {
  const leases = await redis.zrange(`${queuePrefix}:limits:leases`, "0", "-1");
  const counts = leases.map((lease) =>
    redis.scard(`${queuePrefix}:limits:flight:${accountId}:live:${lease}`),
  );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
let keys = 0;
const newKey = () => (keys += 1);
const slot = (accountId: number, requestId: string) => ({
  accountId,
  mode: "live" as const,
  requestId,
  pool: "seo" as const,
});
const counted = (answers: { kind: string }[]) =>
  answers.reduce<Record<string, number>>(
    (counts, { kind }) => ({ ...counts, [kind]: (counts[kind] ?? 0) + 1 }),
    {},
  );

test("concurrent calls share one rate", async () => {
  const accountId = newKey();
  const from = Date.now();
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      limiter.acquire(
        slot(accountId, `rate${index}`),
        { ...generous, ratePerSecond: 10 },
        wideBounds,
      ),
    ),
  );
  const { ok = 0, rate = 0 } = counted(answers);
  // Slightly more than ten, because the rate refills during the burst.
  expect(ok).toBeGreaterThanOrEqual(10);
  expect(ok).toBeLessThanOrEqual(11 + (10 * (Date.now() - from)) / 1000);
  expect(ok + rate).toBe(30);
  const refused = answers.filter(({ kind }) => kind === "rate");
  expect(refused.every(({ waitMs, remaining }) => waitMs > 0 && remaining === 0)).toBe(true);
});

test("concurrent calls share one concurrency limit, and released slots are free at once", async () => {
  const accountId = newKey();
  const limits = { ...generous, maxInFlight: 5 };
  const ask = (from: number) =>
    Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        limiter.acquire(slot(accountId, `flight${from + index}`), limits, wideBounds),
      ),
    );
  expect(counted(await ask(0))).toEqual({ ok: 5, concurrency: 3 });
  const returned = [0, 1].map((index) => limiter.release(slot(accountId, `flight${index}`)));
  expect(counted(await ask(8))).toEqual({ ok: 2, concurrency: 6 });
  await Promise.all(returned);
  expect(await flying(accountId)).toBe(5);
});

test("a burst does not exceed the pool's queue capacity", async () => {
  await redis.flushall();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      limiter.acquire(slot(1000 + (index % 3), `burst${index}`), generous, {
        ...wideBounds,
        queueCapacity: 20,
      }),
    ),
  );
  // Four run and twenty wait; accounts that arrive later still get their share of both.
  expect(counted(answers)).toEqual({ ok: 17 + 24 / 3 + 24 / 3, queue: 17 });
});

test("a call counts once for its pool: first on its way, then as a waiting or running job", async () => {
  await redis.flushall();
  const accountId = newKey();
  const bounds = { slots: 1, queueCapacity: 2 };
  const ask = async (id: string) =>
    (await limiter.acquire(slot(accountId, id), generous, bounds)).kind;
  expect([await ask("a"), await ask("b"), await ask("c"), await ask("d")]).toEqual([
    "ok",
    "ok",
    "ok",
    "queue",
  ]);
  for (const id of ["a", "b", "c"]) await redis.hset(`${queuePrefix}:seo:${id}`, "timestamp", 1);
  await redis.lpush(`${queuePrefix}:seo:active`, "a");
  await redis.lpush(`${queuePrefix}:seo:wait`, "b", "c");
  expect(await ask("d")).toBe("queue");
  // The first job has ended, the second runs.
  await redis.lpop(`${queuePrefix}:seo:active`);
  await redis.lmove(`${queuePrefix}:seo:wait`, `${queuePrefix}:seo:active`, "LEFT", "LEFT");
  expect([await ask("d"), await ask("e")]).toEqual(["ok", "queue"]);
});

test("a call whose job is queued no longer counts as on its way, without any look-up", async () => {
  await redis.flushall();
  const accountId = newKey();
  const way = `${queuePrefix}:limits:way:seo`;
  const ask = (id: string) => limiter.acquire(slot(accountId, id), generous, wideBounds);
  await Promise.all(["first", "second", "third"].map(ask));
  limiter.arrived(slot(accountId, "first"));
  limiter.arrived(slot(accountId, "second"));
  // Another pool: reported with that pool's next batch.
  limiter.arrived({ ...slot(accountId, "third"), pool: "serp" });
  await ask("fourth");
  expect((await redis.hkeys(way)).toSorted()).toEqual(["fourth", "third"]);
  expect(await flying(accountId)).toBe(4);
  await limiter.release(slot(accountId, "third"));
  expect(await redis.hkeys(way)).toEqual(["fourth"]);
});

test("the Redis work of a call does not grow with the number of processes or of calls on their way", async () => {
  await redis.flushall();
  const accountId = newKey();
  const clients = Array.from({ length: 4 }, () => clientOf(server.url));
  const limiters = clients.map((client) => new CallLimiter(client));
  const bounds = { slots: 4, queueCapacity: 10_000 };
  await redis.lpush(`${queuePrefix}:seo:active`, "a", "b", "c", "d");
  const existsCalls = async () => {
    const stats = await redis.info("commandstats");
    return Number(/cmdstat_exists:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };
  const before = await existsCalls();
  for (let batch = 0; batch < 40; batch += 1) {
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (limiters[batch % 4] as CallLimiter).acquire(
          slot(accountId, `b${batch}-${index}`),
          generous,
          bounds,
        ),
      ),
    );
  }
  // Checking all calls on their way in each batch took some 8,000 commands for these 400.
  expect((await existsCalls()) - before).toBeLessThanOrEqual(400);
  // At the bound the calls on their way are checked, and those with a job no longer count.
  const jobs = redis.multi();
  for (let batch = 0; batch < 40; batch += 1) jobs.hset(`${queuePrefix}:seo:b${batch}-0`, "at", 1);
  await jobs.exec();
  const ask = async (id: string, queueCapacity: number) =>
    limiter.acquire(
      slot(newKey(), id),
      { ...generous, maxInFlight: 1 },
      { slots: 4, queueCapacity },
    );
  expect((await ask("narrow", 361)).waiting).toBe(360);
  await Promise.all(limiters.map((one) => one.close()));
  for (const client of clients) client.disconnect();
});

test("the same request takes one slot, even when no other slot is free", async () => {
  await redis.flushall();
  const accountId = newKey();
  const limits = { ...generous, maxInFlight: 1 };
  expect((await limiter.acquire(slot(accountId, "same"), limits, wideBounds)).kind).toBe("ok");
  expect((await limiter.acquire(slot(accountId, "same"), limits, wideBounds)).kind).toBe("ok");
  expect(await flying(accountId)).toBe(1);
  expect((await limiter.acquire(slot(accountId, "other"), limits, wideBounds)).kind).toBe(
    "concurrency",
  );
});

test("slots of a process without a heartbeat are free within three seconds", async () => {
  const accountId = newKey();
  const limits = { ...generous, maxInFlight: 1 };
  const lost = clientOf(server.url);
  const lostLimiter = new CallLimiter(lost);
  expect((await lostLimiter.acquire(slot(accountId, "lost"), limits, wideBounds)).kind).toBe("ok");
  const ask = async () => (await limiter.acquire(slot(accountId, "next"), limits, wideBounds)).kind;
  await new Promise((done) => setTimeout(done, 3000));
  expect(await ask()).toBe("concurrency");
  lost.disconnect();
  const from = Date.now();
  await until(async () => (await ask()) === "ok");
  expect(Date.now() - from).toBeLessThan(3500 + besideMs);
  // A disconnected client of a cluster may never answer.
  void lostLimiter.close();
});

test("state that Redis lost or restored does not count: each process reports the slots it holds", async () => {
  const accountId = newKey();
  const own = clientOf(server.url);
  own.on("error", () => undefined);
  const ownLimiter = new CallLimiter(own);
  const limits = { ...generous, maxInFlight: 2 };
  const ask = async (id: string) =>
    (await ownLimiter.acquire(slot(accountId, id), limits, wideBounds)).kind;
  expect([await ask("held"), await ask("returned")]).toEqual(["ok", "ok"]);
  const [flight] = await redis.keys(`${queuePrefix}:limits:flight:${accountId}:*`);
  await ownLimiter.release(slot(accountId, "returned"));
  // A server that has lost the release, and then the slot as well.
  await redis.sadd(flight as string, "returned");
  const again = new Promise((ready) => own.once("ready", ready));
  await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  await again;
  await until(async () => (await flying(accountId)) === 1);
  expect([await ask("new"), await ask("more")]).toEqual(["ok", "concurrency"]);
  await redis.flushall();
  const third = new Promise((ready) => own.once("ready", ready));
  await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  await third;
  await until(async () => (await flying(accountId)) === 2);
  expect(await ask("most")).toBe("concurrency");
  await ownLimiter.close();
  own.disconnect();
});

test("a command that Redis refuses rejects its own requests and no later ones", async () => {
  const accountId = newKey();
  await limiter.acquire(slot(accountId, "x0"), generous, wideBounds);
  const [broken = ""] = await redis.keys(`${queuePrefix}:limits:flight:${accountId}:*`);
  await redis.set(broken, "not a set");
  const acquisitions = [1, 2].map((index) =>
    limiter.acquire(slot(accountId, `x${index}`), generous, wideBounds),
  );
  for (const one of await Promise.allSettled(acquisitions)) expect(one.status).toBe("rejected");
  await expect(limiter.release(slot(accountId, "x1"))).resolves.toBeUndefined();
  await redis.del(broken);
  expect((await limiter.acquire(slot(accountId, "x3"), generous, wideBounds)).kind).toBe("ok");
});

test("case 41: rate that callers use counts at every process, a moment later", async () => {
  await redis.ping();
  const clock = { ms: 0 };
  const processes = [1, 2, 3].map(() => {
    const rates = new RateLimiter(() => clock.ms);
    return { rates, shared: shareRates(rates, redis, 3_600_000) };
  });
  const exchange = async () => {
    for (const { shared } of processes) await shared.exchange();
  };
  const taken = () =>
    processes.reduce((sum, { rates }) => {
      let count = 0;
      while (rates.take("9:live", 20, 20) === 0) count += 1;
      return sum + count;
    }, 0);
  // Twenty at once at each, as no process knows the others' counts yet.
  expect(taken()).toBe(60);
  await exchange();
  let all = 0;
  for (let seconds = 0; seconds < 10; seconds += 0.25) {
    clock.ms += 250;
    all += taken();
    await exchange();
  }
  // Without sharing, each process would allow 200.
  console.log(`case 41: ${all} in 10 s of three processes, 200 are allowed`);
  expect(all).toBeLessThan(300);
  expect(all).toBeGreaterThan(100);
  for (const { shared } of processes) shared.stop();
});

import { Redis } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { queueOf, queuePrefix } from "../../runtime/redis/keys.ts";
import { Gateway, until } from "../gateway.ts";
import { startRedis } from "../redis.ts";
import { type TestRedis } from "../redis-server.ts";
import { type Relay, startRelay } from "../relay.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { backlinks, backlinksEnv, backlinksPath } from "./cases.ts";
import { besideMs, full } from "./full.ts";
import { patientCalls } from "./patient.ts";

/** Stores that fail over behind the same address, and half-open connections. */

const portOf = (url: string) => Number(new URL(url).port);
const total = { perSecond: 5, seconds: full ? 16 : 3 };
const faultAfterMs = full ? 2000 : 1000;
const withinMs = full ? 30_000 : 90_000;

let upstream: SpawnedSimulator;
let gateway: Gateway;
let second: TestRedis;
let redisRelay: Relay;
let databaseRelay: Relay;
/** A gateway whose Redis freezes for a quarter of a minute, beside the other tests. */
let frozen: { gateway: Gateway; answer: Promise<{ status: number; ms: number }> };
beforeAll(async () => {
  [upstream, second, frozen] = await Promise.all([
    spawnSimulator(),
    startRedis({ own: true }),
    Gateway.start().then((own) => ({ gateway: own, answer: beyondDeadline(own) })),
  ]);
  // The test that awaits the answer reports its failure.
  frozen.answer.catch(() => undefined);
  gateway = await Gateway.start({
    pools: "seo",
    env: backlinksEnv(upstream),
    between: async ({ database, redis }) => {
      redisRelay = await startRelay(portOf(redis));
      databaseRelay = await startRelay(portOf(database));
      return {
        REDIS_URL: redisRelay.through(redis),
        DATABASE_URL: databaseRelay.through(database),
      };
    },
  });
});
afterEach(async () => {
  await upstream.reset();
  expect(await gateway.violationsAfterAnswers()).toEqual([]);
});
afterAll(async () => {
  await Promise.all([gateway?.stop(), frozen?.gateway.stop()]);
  await second?.stop();
  await upstream?.stop();
  redisRelay?.stop();
  databaseRelay?.stop();
});

/** Patient calls with a fault a moment after the first. */
async function through(name: string, fault: () => Promise<void> | void): Promise<void> {
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "delay", ms: 500 } });
  // The waiting calls exceed one account's concurrency limit.
  const callers = await gateway.keys(3);
  const calling = patientCalls({ ...total, withinMs }, (index) =>
    backlinks(gateway, callers[index % 3]?.key ?? "", `${name}${index}`),
  );
  await sleep(faultAfterMs);
  await fault();
  const { answered, refusals, longestMs } = await calling;
  const calls = total.perSecond * total.seconds;
  console.log(
    `${name}: ${answered} of ${calls} answered, refusals ${JSON.stringify(refusals)}, longest ${longestMs} ms`,
  );
  expect(answered).toBeGreaterThanOrEqual(calls * 0.99);
  expect(longestMs).toBeLessThan(5000 + besideMs);
}

test("half-open connections to Redis are noticed and replaced, and their jobs answered", () =>
  through("halfredis", () => redisRelay.swallow()));

test("half-open connections to Postgres are noticed and replaced", () =>
  through("halfpostgres", () => databaseRelay.swallow()));

/** A proxy without a server behind it, or that loses it again and again: each connection ends within 100 ms. */
async function hangsUp(relay: Relay): Promise<void> {
  const proxy = relay.hangUp(100);
  await sleep(2000);
  proxy.stop();
}

test("connections to Redis that a proxy ends within 100 ms", () =>
  through("flappingredis", () => hangsUp(redisRelay)));

test("connections to Postgres that a proxy ends within 100 ms", () =>
  through("flappingpostgres", () => hangsUp(databaseRelay)));

test("a Redis that turns read-only while another takes over behind its address", async () => {
  const [old, next] = [gateway.redis.url, second.url].map((url) => new Redis(url));
  if (!old || !next) throw new Error("no Redis");
  await next.replicaof("127.0.0.1", portOf(gateway.redis.url));
  await until(async () => /master_link_status:up/.test(await next.info("replication")));
  const ready = async () => (await fetch(`${gateway.url}/health/ready`)).status;
  const seen: number[] = [];
  await through("failover", async () => {
    await next.replicaof("NO", "ONE");
    await old.replicaof("127.0.0.1", portOf(second.url));
    // For a moment no writable server is behind the address.
    const end = Date.now() + (full ? 2000 : 500);
    while (Date.now() < end || (!full && !seen.includes(503))) {
      seen.push(await ready());
      await sleep(20);
    }
    redisRelay.switchTo(portOf(second.url));
  });
  for (const one of [old, next]) one.disconnect();
  expect(seen).toContain(503);
  await until(async () => (await ready()) === 200);
});

/** Deadline of a call that renders for a second. */
const deadlineMs = 1000 + 15_000;

/** The answer to a call that waits in its queue when its Redis freezes until the answer. */
async function beyondDeadline(own: Gateway): Promise<{ status: number; ms: number }> {
  const { key } = await own.key();
  const redis = new Redis(own.redis.url);
  const from = Date.now();
  // No worker serves this queue.
  const body = { url: "https://example.com/", timeout_ms: 1000 };
  const pending = own.call(key, "POST", "/browser/html", { body });
  const queue = `${queuePrefix}:${queueOf("browser")}`;
  await until(
    async () =>
      (await redis.llen(`${queue}:wait`)) + (await redis.zcard(`${queue}:prioritized`)) > 0,
  );
  redis.disconnect();
  const pid = own.redis.pid as number;
  process.kill(pid, "SIGSTOP");
  const { status } = await pending.finally(() => process.kill(pid, "SIGCONT"));
  return { status, ms: Date.now() - from };
}

test("a Redis frozen past a call's deadline: the caller gets an answer at the deadline", async () => {
  const { status, ms } = await frozen.answer;
  console.log(`frozen past the deadline: ${status} after ${ms} ms, ${deadlineMs} allowed`);
  expect(status).toBe(504);
  expect(ms).toBeGreaterThan(deadlineMs - 1000);
  expect(ms).toBeLessThan(deadlineMs + 1000 + 1000 + besideMs);
  expect(await frozen.gateway.violations()).toEqual([]);
});

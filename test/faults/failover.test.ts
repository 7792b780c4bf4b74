import { Redis } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { queueOf, queuePrefix } from "../../runtime/redis/keys.ts";
import { type Answer, Gateway, until } from "../gateway.ts";
import { startRedis } from "../redis.ts";
import { type TestRedis } from "../redis-server.ts";
import { type Relay, startRelay } from "../relay.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { backlinks, backlinksEnv, backlinksPath } from "./cases.ts";
import { besideMs, full } from "./full.ts";
import { patientCalls } from "./patient.ts";

/** Stores that fail over behind the same address, and half-open connections. */

const portOf = (url: string) => Number(new URL(url).port);
const total = { perSecond: 5, seconds: full ? 16 : 6 };
const withinMs = full ? 30_000 : 90_000;

let upstream: SpawnedSimulator;
let gateway: Gateway;
let second: TestRedis;
let redisRelay: Relay;
let databaseRelay: Relay;
beforeAll(async () => {
  upstream = await spawnSimulator();
  second = await startRedis({ own: true });
  gateway = await Gateway.start({
    pools: "seo",
    // A hold whose caller never got an answer returns soon.
    env: { ...backlinksEnv(upstream), HOLD_GRACE_MS: "10000", SWEEP_EVERY_MS: "500" },
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
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  await gateway?.stop();
  await second?.stop();
  await upstream?.stop();
  redisRelay?.stop();
  databaseRelay?.stop();
});

/** Patient calls with a fault two seconds after the first. */
async function through(name: string, fault: () => Promise<void> | void): Promise<void> {
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "delay", ms: 500 } });
  // The waiting calls exceed one account's concurrency limit.
  const callers = await gateway.keys(3);
  const calling = patientCalls({ ...total, withinMs }, (index) =>
    backlinks(gateway, callers[index % 3]?.key ?? "", `${name}${index}`),
  );
  await sleep(2000);
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
    const end = Date.now() + 2000;
    while (Date.now() < end || (!full && !seen.includes(503))) seen.push(await ready());
    redisRelay.switchTo(portOf(second.url));
  });
  for (const one of [old, next]) one.disconnect();
  expect(seen).toContain(503);
  await until(async () => (await ready()) === 200);
});

/** Deadline of a call that renders for a second. */
const deadlineMs = 1000 + 15_000;

test("a Redis frozen past a call's deadline: the caller gets an answer at the deadline", async () => {
  const { key } = await gateway.key();
  const redis = new Redis(second.url);
  // No worker serves this queue.
  const body = { url: "https://example.com/", timeout_ms: 1000 };
  const queue = `${queuePrefix}:${queueOf("browser")}`;
  let from = 0;
  let pending: Promise<Answer> | undefined;
  await until(async () => {
    if (pending === undefined) {
      from = Date.now();
      const call = gateway.call(key, "POST", "/browser/html", { body });
      pending = call;
      // A refused call is sent again, because a busy machine may still be replacing a connection.
      void call.then(
        ({ status }) => status === 503 && (pending = undefined),
        () => undefined,
      );
    }
    return (await redis.llen(`${queue}:wait`)) + (await redis.zcard(`${queue}:prioritized`)) > 0;
  });
  redis.disconnect();
  const frozen = [gateway.redis.pid, second.pid] as number[];
  for (const pid of frozen) process.kill(pid, "SIGSTOP");
  const answer = await (pending as Promise<Answer>).finally(() => {
    for (const pid of frozen) process.kill(pid, "SIGCONT");
  });
  const ms = Date.now() - from;
  console.log(`frozen past the deadline: ${answer.status} after ${ms} ms, ${deadlineMs} allowed`);
  expect(answer.status).toBe(504);
  expect(ms).toBeGreaterThan(deadlineMs - 1000);
  expect(ms).toBeLessThan(deadlineMs + 1000 + 1000 + besideMs);
});

import type { Redis } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Dispatcher } from "../../../api/queue/dispatch.ts";
import { runJob } from "../../../api/queue/run-job.ts";
import { Waiters } from "../../../api/queue/waiters.ts";
import { encodeOutcome, jobVersionOf } from "../../../runtime/queue.ts";
import { queuePrefix, resultKey } from "../../../runtime/redis/keys.ts";
import { createMetrics } from "../../../runtime/metrics.ts";
import { until } from "../../gateway.ts";
import { clientOf, startRedis } from "../../redis.ts";
import { type TestRedis } from "../../redis-server.ts";

let server: TestRedis;
let redis: Redis;
let subscriber: Redis;
let waiters: Waiters;
beforeAll(async () => {
  server = await startRedis({ own: true });
  redis = clientOf(server.url);
  subscriber = clientOf(server.url);
  waiters = new Waiters(redis, subscriber, createMetrics());
});
afterAll(async () => {
  waiters.close();
  redis.disconnect();
  subscriber.disconnect();
  await server.stop();
});

const wait = (jobId: string) =>
  waiters.wait({ jobId, pool: "seo", deadline: Date.now() + 20_000, eager: true });
/** The state of both connections after a cut, when all waiting calls are checked. */
const reconnected = async () => {
  for (let time = 0; time < 4; time += 1) {
    redis.emit("ready");
    await sleep(50);
  }
};

test("a job still on its way to the queue is not lost, however often it is looked up", async () => {
  const waiting = wait("on-its-way");
  await reconnected();
  await sleep(1000);
  const stored = encodeOutcome({ ok: true, records: 1, truncated: false }, Buffer.from("{}"));
  await redis.set(resultKey("on-its-way"), stored);
  expect(await waiting).toMatchObject({ kind: "outcome", outcome: { ok: true } });
});

test("a queued job that is no longer found is lost", async () => {
  const waiting = wait("gone");
  waiters.added("gone");
  expect(await waiting).toEqual({ kind: "lost" });
});

test("a job that ended without an outcome is lost, one that still runs is waited for", async () => {
  await redis.hset(`${queuePrefix}:seo:ended`, "timestamp", "1", "finishedOn", "2");
  await redis.hset(`${queuePrefix}:seo:runs`, "timestamp", "1");
  const [ended, runs] = [wait("ended"), wait("runs")];
  for (const jobId of ["ended", "runs"]) waiters.added(jobId);
  expect(await ended).toEqual({ kind: "lost" });
  expect(waiters.size).toBe(1);
  await redis.del(`${queuePrefix}:seo:runs`);
  expect(await runs).toEqual({ kind: "lost" });
});

test("a hint of a later release triggers a look-up, and its outcome is left to a process that can read it", async () => {
  const subscribed = clientOf(server.url);
  await subscriber.subscribe("reply");
  const stored = (name: string) =>
    encodeOutcome({ ok: true, records: 1, truncated: false }, Buffer.from(`"${name}"`));
  // A busy machine may be late once; a call that gets no look-up waits a full second each time.
  const times: number[] = [];
  for (let round = 0; round < 10 && !times.some((ms) => ms < 900); round += 1) {
    const jobId = `v1-${round}`;
    // The next regular look-up is a second away.
    const waiting = waiters.wait({ jobId, pool: "seo", deadline: Date.now() + 20_000 });
    await redis.set(resultKey(jobId), stored("one"));
    const askedAt = Date.now();
    await subscribed.publish("reply", `${jobId} 5 9\nwhatever`);
    expect(await waiting).toMatchObject({ kind: "outcome", outcome: { ok: true } });
    times.push(Date.now() - askedAt);
  }
  expect(Math.min(...times)).toBeLessThan(900);
  const later = waiters.wait({ jobId: "v9", pool: "seo", deadline: Date.now() + 1500 });
  await redis.set(resultKey("v9"), '{"v":9,"what":"ever"}\n');
  expect(await later).toEqual({ kind: "deadline" });
  subscribed.disconnect();
});

test("a job that Redis does not accept is not waited for until its deadline", async () => {
  const other = await startRedis({ own: true });
  const dispatcher = new Dispatcher(other.url, createMetrics(), () => undefined);
  try {
    await dispatcher.start();
    await other.shutdown();
    const deadline = Date.now() + 60_000;
    const job = {
      v: jobVersionOf({}),
      operation: "seo.serp",
      input: {},
      mode: "test" as const,
      tenant: "one",
      account: "one",
      max_records: 1,
      cursor: undefined,
      deadline,
    };
    const run = { jobId: "refused", pool: "seo" as const, job, deadline, cancels: {} };
    await expect(runJob({ dispatcher, log: () => undefined }, run)).rejects.toThrow();
    expect(dispatcher.waiters.size).toBe(0);
  } finally {
    await other.restart();
    await until(() => dispatcher.isConnected);
    await dispatcher.close();
    await other.stop();
  }
});

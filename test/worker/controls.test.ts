import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { quietWorkersKey, upstreamControlsKey } from "../../runtime/controls.ts";
import { StoreClock } from "../../runtime/store-clock.ts";
import { type Heartbeat, type JobData } from "../../runtime/queue.ts";
import { heartbeatKey, queuePrefix, upstreamControlsChannel } from "../../runtime/redis/keys.ts";
import { createMetrics } from "../../runtime/metrics.ts";
import { followControls } from "../../worker/controls.ts";
import { startPool } from "../../worker/pools.ts";
import { until } from "../gateway.ts";
import { startRedis } from "../redis.ts";
import { type TestRedis } from "../redis-server.ts";

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis({ own: true });
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

test("a worker's pool is notified of a decision and reads it at once", async () => {
  const controls = followControls(redis, new StoreClock(), "here-1@5");
  // Without its own polling: later knowledge comes from the notification.
  controls.close();
  const pool = await startPool({
    pool: "serp",
    slots: 1,
    redisUrl: server.url,
    metrics: createMetrics(),
    log: () => undefined,
    understands: () => true,
    process: () => Promise.reject(new Error("no job was sent")),
    decided: () => controls.read(),
  });
  try {
    await redis.set(upstreamControlsKey, JSON.stringify([{ upstream: "x", perMinute: 0 }]));
    expect(controls.perMinute("x")).toBeUndefined();
    await redis.publish(upstreamControlsChannel, "");
    await until(() => controls.perMinute("x") === 0, 60_000);
  } finally {
    await pool.close(1000);
  }
});

test("a quiet worker finishes its job, takes no other, reports that, and resumes", async () => {
  const clock = new StoreClock();
  await clock.measure(redis);
  const controls = followControls(redis, clock, "here-1@5");
  const running = new Map<string, () => void>();
  const queue = new Queue<JobData>("social", {
    connection: { url: server.url },
    prefix: queuePrefix,
  });
  const pool = await startPool({
    pool: "social",
    slots: 2,
    redisUrl: server.url,
    metrics: createMetrics(),
    log: () => undefined,
    clock,
    understands: () => true,
    process: (jobId) =>
      new Promise((resolve) => {
        running.set(jobId, () => resolve({ outcome: "ok", stored: Buffer.from('{"ok":true}\n') }));
      }),
  });
  controls.onQuiet((isQuiet) => pool.quiet(isQuiet));
  const add = (jobId: string) =>
    queue.add(
      "social",
      {
        ...({} as JobData),
        operation: "x",
        input: {},
        mode: "test",
        deadline: clock.now() + 600_000,
        reply: "r",
      },
      { jobId },
    );
  const decide = (list: object[]) => redis.set(quietWorkersKey, JSON.stringify(list));
  const beats = async () =>
    Object.values(await redis.hgetall(heartbeatKey("social"))).map(
      (json) => JSON.parse(json) as Heartbeat,
    );
  try {
    await add("first");
    await until(() => running.has("first"), 60_000);
    await decide([{ worker: "here-1@4" }, { worker: "here-1@5" }]);
    await until(async () => (await beats()).some(({ quiet }) => quiet === true), 60_000);
    await add("second");
    await add("third");
    running.get("first")?.();
    await until(async () => (await queue.getJobState("first")) === "completed", 60_000);
    await until(async () => (await beats()).length === 1 && (await queue.getActiveCount()) === 0);
    expect([...running.keys()]).toEqual(["first"]);
    await decide([{ worker: "here-1@5", until: Math.round(clock.now()) - 1 }]);
    await until(() => running.has("second") && running.has("third"), 60_000);
    expect((await beats()).every(({ quiet }) => quiet === undefined)).toBe(true);
  } finally {
    for (const end of running.values()) end();
    controls.close();
    await pool.close(1000);
    await queue.close();
  }
});

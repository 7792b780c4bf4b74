import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { upstreamControlsKey } from "../../runtime/controls.ts";
import { StoreClock } from "../../runtime/store-clock.ts";
import { upstreamControlsChannel } from "../../runtime/redis/keys.ts";
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
  const controls = followControls(redis, new StoreClock());
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

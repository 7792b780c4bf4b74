import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Heartbeat, heartbeatFreshMs } from "../../runtime/queue.ts";
import { heartbeatKey } from "../../runtime/redis/keys.ts";
import { Gateway } from "../gateway.ts";

let gateway: Gateway;
let redis: Redis;
beforeAll(async () => {
  gateway = await Gateway.start();
  redis = new Redis(gateway.redis.url);
});
afterAll(async () => {
  redis?.disconnect();
  await gateway?.stop();
});

test("a worker removes the heartbeats of long-dead workers, and its own when it ends", async () => {
  const key = heartbeatKey("seo");
  const beat = (silentMs: number) => {
    const heartbeat: Heartbeat = {
      at: Date.now() - silentMs,
      slots: 1,
      running: 0,
      mean_run_ms: 0,
    };
    return JSON.stringify(heartbeat);
  };
  await redis.hset(key, {
    lost: beat(5 * heartbeatFreshMs + 1000),
    silent: beat(heartbeatFreshMs + 1000),
  });
  const worker = await gateway.startWorker({ WORKER_POOLS: "seo" });
  const beating = await redis.hkeys(key);
  expect(beating).toHaveLength(2);
  expect(beating).toContain("silent");
  await worker.kill("SIGTERM");
  expect(await redis.hkeys(key)).toEqual(["silent"]);
});

import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createMetrics, type Metrics } from "../../runtime/metrics.ts";
import {
  processesKey,
  processKey,
  publishMetrics,
  totalsKey,
} from "../../runtime/metrics-publisher.ts";
import type { ScriptRunner } from "../../runtime/metrics-publisher.ts";
import { besideMs } from "../faults/full.ts";
import { eventually, redisServer, type RedisServer } from "../dashboards/services.ts";

let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await redisServer();
  await server.start();
  redis = new Redis(server.url);
});

beforeEach(() => redis.flushall());

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const charged = (metrics: Metrics, by: number) =>
  metrics.count("gateway_credits_charged_total", { mode: "live" }, by);
const total = async () =>
  Number(await redis.hget(totalsKey, '["gateway_credits_charged_total","live"]'));

test("counts of several processes add up and stay when the processes leave", async () => {
  const first = createMetrics();
  charged(first, 5);
  const one = publishMetrics(redis, first, "api", "api-1");
  const second = createMetrics();
  charged(second, 7);
  const two = publishMetrics(redis, second, "worker", "worker-1");
  await eventually(async () => expect(await total()).toBe(12));
  expect(await redis.zrange(processesKey, "0", "-1")).toEqual(["api-1", "worker-1"]);

  charged(first, 2);
  await one.stop();
  await two.stop();
  expect(await total()).toBe(14);
  expect(await redis.zcard(processesKey)).toBe(0);
  expect(await redis.ttl(processKey("api-1"))).toBeGreaterThan(0);
});

test("a restarted process under the same id continues the totals", async () => {
  for (const by of [3, 4]) {
    const metrics = createMetrics();
    charged(metrics, by);
    await publishMetrics(redis, metrics, "api", "api-1").stop();
  }
  expect(await total()).toBe(7);
});

test("a batch whose reply was lost is not added twice, and later counts are not lost", async () => {
  let losing = true;
  const lossy: ScriptRunner = {
    async eval(...command) {
      const reply = await redis.eval(...command);
      if (losing) throw new Error("Connection is closed.");
      return reply;
    },
  };
  const metrics = createMetrics();
  charged(metrics, 5);
  const published = publishMetrics(lossy, metrics, "api", "api-1");
  await eventually(async () => expect(await total()).toBe(5));
  losing = false;
  charged(metrics, 1);
  await published.stop();
  expect(await total()).toBe(6);
});

test("counts made while Redis is full are sent later", async () => {
  await redis.config("SET", "maxmemory", "1");
  const refused: unknown[] = [];
  const watched: ScriptRunner = {
    eval: (...command) =>
      redis.eval(...command).catch((error: unknown) => {
        refused.push(error);
        throw error;
      }),
  };
  const metrics = createMetrics();
  charged(metrics, 5);
  const published = publishMetrics(watched, metrics, "api", "api-1");
  await eventually(async () => expect(String(refused[0])).toMatch(/OOM/));
  charged(metrics, 6);
  expect(await total()).toBe(0);
  await redis.config("SET", "maxmemory", "0");
  await published.stop();
  expect(await total()).toBe(11);
});

test("stop does not wait for a Redis that never answers", async () => {
  const silent: ScriptRunner = { eval: () => new Promise(() => undefined) };
  const started = Date.now();
  await publishMetrics(silent, createMetrics(), "api", "api-1").stop();
  expect(Date.now() - started).toBeLessThan(3_000 + besideMs);
});

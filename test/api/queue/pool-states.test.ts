import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PoolStates } from "../../../api/queue/pool-states.ts";
import type { Heartbeat } from "../../../runtime/queue.ts";
import { heartbeatKey } from "../../../runtime/redis/keys.ts";
import { StoreClock } from "../../../runtime/store-clock.ts";
import { clientOf, startRedis } from "../../redis.ts";
import { type TestRedis } from "../../redis-server.ts";

let server: TestRedis;
let redis: Redis;
let states: PoolStates;
beforeAll(async () => {
  server = await startRedis({ own: true });
  redis = clientOf(server.url);
  states = new PoolStates(redis, new StoreClock(), () => {});
  // Only the looks of these tests count.
  states.close();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

test("a worker that started after the last look is known before a call is refused", async () => {
  await states.look();
  const beat: Heartbeat = { at: Date.now(), slots: 600, running: 0, mean_run_ms: 0 };
  await redis.hset(heartbeatKey("seo"), "a-worker", JSON.stringify(beat));
  expect(states.of("seo")).toMatchObject({ workers: 0, slots: 4 });
  const known = await Promise.all(Array.from({ length: 20 }, () => states.known("seo")));
  expect(known).toEqual(
    Array.from({ length: 20 }, () => expect.objectContaining({ workers: 1, slots: 600 })),
  );
  expect(await states.known("browser")).toMatchObject({ workers: 0, slots: 4 });
});

test("a known pool is not looked at again", async () => {
  await redis.del(heartbeatKey("seo"));
  expect(await states.known("seo")).toMatchObject({ workers: 1, slots: 600 });
  await states.look();
  expect(await states.known("seo")).toMatchObject({ workers: 0, slots: 4 });
});

test("items of each pool are held back on a machine that slows any pool's calls down", async () => {
  const beat = (host: string, more: Partial<Heartbeat> = {}): string => {
    const machine = { host, process: `${host}-1` } as Heartbeat["machine"];
    const one: Heartbeat = { at: Date.now(), slots: 8, running: 0, mean_run_ms: 0, ...more };
    return JSON.stringify(machine ? { ...one, machine } : one);
  };
  await redis.hset(heartbeatKey("browser"), "a", beat("near", { holds_items_back: true }));
  await redis.hset(heartbeatKey("social"), { b: beat("near"), c: beat("far") });
  await redis.hset(heartbeatKey("serp"), "d", beat("far"));
  await states.look();
  const held = (["browser", "social", "serp"] as const).map(
    (pool) => states.of(pool).holdItemsBack,
  );
  expect(held).toEqual([1, 1, 0]);
});

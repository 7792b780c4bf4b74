import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Heartbeat } from "../../runtime/queue.ts";
import { heartbeatKey } from "../../runtime/redis/keys.ts";
import { backlinks, backlinksEnv, backlinksPath } from "../faults/cases.ts";
import { Gateway, until } from "../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";

/** Slots of a worker of the pool at its start, and more calls than these. */
const start = 32;
const calls = 40;

let upstream: SpawnedSimulator;
let gateway: Gateway;
let redis: Redis;
beforeAll(async () => {
  upstream = await spawnSimulator();
  const { WORKER_SLOTS: _, ...env } = backlinksEnv(upstream);
  gateway = await Gateway.start({ pools: "seo", env });
  redis = new Redis(gateway.redis.url);
});
afterAll(async () => {
  redis?.disconnect();
  await gateway?.stop();
  await upstream?.stop();
});

async function beat(): Promise<Heartbeat> {
  const [text] = Object.values(await redis.hgetall(heartbeatKey("seo")));
  return JSON.parse(text as string) as Heartbeat;
}

test("without WORKER_SLOTS a full worker takes more jobs while all only wait, and reports it", async () => {
  expect(await beat()).toMatchObject({ slots: start, slots_bound: "demand" });
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "hold" } });
  const { key } = await gateway.key({ inFlight: calls });
  const answers = Array.from({ length: calls }, (_, index) =>
    backlinks(gateway, key, `target-${index}.example.com`),
  );
  // None of them has ended, so BullMQ took the further ones for the further slots.
  await until(async () => (await upstream.calls(backlinksPath)).length === calls, 60_000);
  await until(async () => (await beat()).slots >= calls);
  await upstream.release();
  const ended = await Promise.all(answers);
  expect(ended.map(({ status }) => status)).toEqual(Array(calls).fill(200));
  expect(await gateway.violations()).toEqual([]);
});

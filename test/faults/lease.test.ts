import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Gateway, until } from "../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { backlinks, backlinksEnv, backlinksPath } from "./cases.ts";
import { besideMs, full } from "./full.ts";

/** Slots of calls that ended without a release, with the limits of a new account. */

/** Concurrency limit of a key; two slots run and queue as many calls. */
const inFlight = 20;
const slots = 2;
const takes = (ms: number) =>
  upstream.play(backlinksPath, { faults: [], rest: { kind: "delay", ms } });

let upstream: SpawnedSimulator;
let gateway: Gateway;
beforeAll(async () => {
  upstream = await spawnSimulator();
  const env = { ...backlinksEnv(upstream), WORKER_SLOTS: String(slots) };
  gateway = await Gateway.start({ pools: "seo", env });
});
afterEach(async () => {
  await upstream.reset();
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

const keyed = (name: string) => ({ headers: { "Idempotency-Key": name } });

/** Milliseconds until a call of this key gets a 200. */
async function answeredAfter(key: string, from: number): Promise<number> {
  await until(async () => (await backlinks(gateway, key, "after")).status === 200);
  return Date.now() - from;
}

test("the slots of a killed API process are free for others within seconds", async () => {
  const [one, two, three] = await Promise.all([gateway.key(), gateway.key(), gateway.key()]);
  await takes(150);
  const doomed = await gateway.startApi();
  gateway.apis.pop();
  const ask = (index: number, url: string) =>
    backlinks(gateway, index < inFlight ? one.key : two.key, `doomed${index}`, {
      ...keyed(`doomed${index}`),
      url,
    });
  // No call ends before the process does.
  const [worker] = gateway.workers;
  worker?.child.kill("SIGSTOP");
  const indexes = Array.from({ length: inFlight + slots }, (_, index) => index);
  const calls = indexes.map((index) => ask(index, doomed.url).catch(() => undefined));
  const held = async () =>
    (await gateway.balance(one.accountId)).held + (await gateway.balance(two.accountId)).held;
  await until(async () => (await held()) >= inFlight);
  await doomed.process.kill("SIGKILL");
  worker?.child.kill("SIGCONT");
  const from = Date.now();
  await Promise.all(calls);
  const [same, other] = await Promise.all([
    answeredAfter(one.key, from),
    answeredAfter(three.key, from),
  ]);
  console.log(`API killed: the same key answered after ${same} ms, another account's ${other} ms`);
  // Three seconds, and the dead process's jobs in the queue.
  expect(Math.max(same, other)).toBeLessThan(3000 + 5000 + besideMs);
  const again = await Promise.all(indexes.map((index) => ask(index, gateway.url)));
  expect(again.map(({ status }) => status)).toEqual(indexes.map(() => 200));
});

test("a Redis that loses its last second does not restore released slots", async () => {
  const { key } = await gateway.key();
  await takes(full ? 1000 : 150);
  const redis = new Redis(gateway.redis.url, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined);
  const calls = Array.from({ length: inFlight }, (_, index) =>
    backlinks(gateway, key, `forgotten${index}`),
  );
  await until(async () => (await upstream.calls(backlinksPath)).length > 0);
  // Later writes are not on disk when the server dies.
  await redis.config("SET", "appendonly", "no");
  const answers = await Promise.all(calls);
  // Lost work is repeated first, and is not part of the measurement.
  await takes(0);
  redis.disconnect();
  expect(answers.map(({ status }) => status)).toEqual(Array(inFlight).fill(200));
  process.kill(gateway.redis.pid as number, "SIGKILL");
  await gateway.redis.restart();
  const from = Date.now();
  const again = await answeredAfter(key, from);
  console.log(`Redis forgot its last second: answered after ${again} ms`);
  expect(again).toBeLessThan(3000 + 5000 + besideMs);
});

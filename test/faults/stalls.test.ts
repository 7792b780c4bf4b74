import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BatchData } from "../../contract/batches.ts";
import { type Envelope, Gateway, until } from "../gateway.ts";
import { full } from "./full.ts";

/** A process that stands still, and a Redis that is away, for longer than a single command is waited for. */

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social", env: { WORKER_SLOTS: "32" } });
});
afterAll(() => gateway?.stop());

test("callers without a key who left while their process stood still are not charged", async () => {
  const count = 20;
  const { key, accountId } = await gateway.key({ mode: "test", rate: 100, inFlight: 100 });
  const leaving = new AbortController();
  const pending = Array.from({ length: count }, (_, index) =>
    gateway
      .call(key, "GET", `/shortclip/search?q=stall-${index}&limit=3`, {
        headers: { "svc-test-scenario": "slow" },
        signal: leaving.signal,
      })
      .catch(() => undefined),
  );
  const { sql } = gateway.db;
  const held = async () => (await sql`select 1 as one from holds where state = 'open'`).length;
  await until(async () => (await held()) === count);
  const api = gateway.apis[0]?.process.child;
  api?.kill("SIGSTOP");
  leaving.abort();
  expect(await Promise.all(pending)).toEqual(Array(count).fill(undefined));
  // The workers' answers wait in the process's sockets by then, beside the ends of the callers' connections.
  await sleep(4000);
  api?.kill("SIGCONT");
  await until(async () => (await held()) === 0);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 1000, held: 0 });
  expect(await gateway.violations()).toEqual([]);
});

async function submit(key: string, word: string, count: number): Promise<string> {
  const items = Array.from({ length: count }, (_, index) => ({
    custom_id: `item-${index}`,
    operation: "shortclip.search",
    input: { q: `${word} ${index}`, limit: 1 },
  }));
  const answer = await gateway.call<Envelope<BatchData>>(key, "POST", "/batches", {
    body: { items },
  });
  expect(answer.status, answer.text).toBe(202);
  return answer.body.data.id;
}

const status = async (key: string, id: string) =>
  (await gateway.call<Envelope<BatchData>>(key, "GET", `/batches/${id}`)).body.data;

async function expectAll(key: string, id: string, count: number): Promise<void> {
  await until(async () => (await status(key, id)).state === "ended");
  expect((await status(key, id)).items).toMatchObject({ succeeded: count, failed: 0 });
  await gateway.results(key, id);
  expect(await gateway.violations()).toEqual([]);
}

/** Longer than an addition to a queue is tried for a waiting caller. */
const awayMs = full ? 15_000 : 5000;
const triesOf = async (id: string) => {
  const [row] = await gateway.db.sql<{ tries: number }[]>`
    select max(i.tries) as tries from batch_items i join batches b on b.id = i.batch_id
    where b.public_id = ${id}`;
  return row?.tries;
};

test("no item starts while Redis is away", async () => {
  const { key } = await gateway.key({ mode: "test" });
  await gateway.redis.shutdown();
  const id = await submit(key, "waiting", 10);
  await sleep(awayMs);
  expect((await status(key, id)).items).toMatchObject({ queued: 10, running: 0 });
  expect(await triesOf(id)).toBe(0);
  await gateway.redis.restart();
  await expectAll(key, id, 10);
});

test("an item that a missing Redis kept out of its queue has lost no try", async () => {
  const count = 1000;
  const { key } = await gateway.key({ mode: "test", credits: 10_000 });
  const id = await submit(key, "begun", count);
  await until(async () => (await status(key, id)).items.succeeded > 0);
  await gateway.redis.shutdown();
  await sleep(awayMs);
  expect(await triesOf(id)).toBe(0);
  await gateway.redis.restart();
  await expectAll(key, id, count);
});

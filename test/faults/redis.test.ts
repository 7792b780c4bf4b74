import { Redis } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Gateway, until } from "../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { backlinks, backlinksEnv, backlinksPath, withoutHints } from "./cases.ts";
import { besideMs, full } from "./full.ts";
import { percentile } from "./traffic.ts";

/** Calls that lack a hint, a worker or a slot in the queue. */

let upstream: SpawnedSimulator;
let gateway: Gateway;
let redis: Redis;
beforeAll(async () => {
  upstream = await spawnSimulator();
  gateway = await Gateway.start({ pools: "seo", env: backlinksEnv(upstream) });
  redis = new Redis(gateway.redis.url, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined);
});
afterEach(async () => {
  await upstream.reset();
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  redis?.disconnect();
  await gateway?.stop();
  await upstream?.stop();
});

test("case 13: without a single hint every call is answered by polling", async () => {
  // Beside other tests more calls would find the queue full: the mean run grows with the machine's load.
  const inFlight = full ? 500 : 80;
  const { slowestMs } = await withoutHints(gateway, redis, upstream, inFlight, 50_000);
  console.log(
    `case 13: ${inFlight} in flight, the last answered after ${slowestMs} ms, 4 s its own`,
  );
});

test("case 17: a worker frozen and resumed changes nothing", async () => {
  const ownMs = full ? 3000 : 500;
  const { key, accountId } = await gateway.key({ credits: 100 });
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "hold" } });
  const pending = Array.from({ length: 10 }, (_, index) =>
    backlinks(gateway, key, `zombie${index}`),
  );
  await until(async () => (await upstream.calls(backlinksPath)).length === 10);
  const frozen = gateway.workers[0];
  frozen?.child.kill("SIGSTOP");
  const frozenAt = Date.now();
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "delay", ms: ownMs } });
  await upstream.release();
  await gateway.startWorker({ WORKER_POOLS: "seo" });
  const answers = await Promise.all(pending);
  const ms = Date.now() - frozenAt;
  expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
  expect(ms).toBeLessThan(15_000 + ownMs + besideMs);
  expect((await upstream.calls(backlinksPath)).length).toBe(20);
  expect(await gateway.balance(accountId)).toEqual({ balance: 90, held: 0 });

  const rows = async () => {
    const tables = ["holds", "settlements", "ledger", "usage", "balances"];
    return Promise.all(
      tables.map((table) => gateway.db.sql`select * from ${gateway.db.sql(table)} order by 1, 2`),
    );
  };
  const before = await rows();
  if (full) await sleep(Math.max(0, 20_000 - (Date.now() - frozenAt)));
  frozen?.child.kill("SIGCONT");
  await sleep(full ? 5000 : 2000);
  expect(await rows()).toEqual(before);
  // The worker continues normally.
  expect((await backlinks(gateway, key, "after")).status).toBe(200);
  console.log(`case 17: answered by the other worker ${ms} ms after the freeze`);
});

test("case 20: calls beyond the queue's capacity are refused at once and hold nothing", async () => {
  const slots = 4;
  const env = { ...backlinksEnv(upstream), WORKER_SLOTS: String(slots) };
  const crowded = await Gateway.start({ pools: "seo", env });
  try {
    const callers = await crowded.keys(8);
    const keyOf = (index: number) => callers[index % callers.length]?.key ?? "";
    const [worker] = crowded.workers;
    worker?.child.kill("SIGSTOP");
    const leaving = new AbortController();
    const total = slots * 10 + 100;
    const refusals: { status: number; retryAfter: string | null; ms: number }[] = [];
    const all = Array.from({ length: total }, async (_, index) => {
      const from = Date.now();
      const options = { signal: leaving.signal };
      const answer = await backlinks(crowded, keyOf(index), `crowd${index}`, options).catch(
        () => undefined,
      );
      if (!answer) return;
      const retryAfter = answer.headers.get("retry-after");
      refusals.push({ status: answer.status, retryAfter, ms: Date.now() - from });
    });
    const held = async () => {
      const balances = callers.map(({ accountId }) => crowded.balance(accountId));
      return (await Promise.all(balances)).reduce((sum, balance) => sum + balance.held, 0);
    };
    // Accepted calls may not have written their hold yet.
    await until(async () => refusals.length + (await held()) === total);
    // The queue takes ten times the slots plus the running calls; an account that arrives later
    // still gets its share among the accounts present.
    const taken = await held();
    expect(taken).toBeGreaterThanOrEqual(slots * 10);
    const shares = callers.slice(1).map((_, index) => Math.floor((slots * 11) / (index + 2)));
    expect(taken).toBeLessThanOrEqual(shares.reduce((sum, share) => sum + share, slots * 11));
    const [row] = await crowded.db.sql<{ count: number }[]>`select count(*) from holds`;
    expect(row?.count).toBe(taken);
    expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([503]));
    for (const { retryAfter } of refusals) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
    const times = refusals.map(({ ms }) => ms);
    console.log(
      `case 20: ${times.length} of ${total} at once refused, half within ${percentile(times, 0.5)} ms, all within ${Math.max(...times)} ms`,
    );
    const single = Date.now();
    expect((await backlinks(crowded, keyOf(0), "onemore")).status).toBe(503);
    console.log(`case 20: one more refused in ${Date.now() - single} ms`);
    worker?.child.kill("SIGCONT");
    leaving.abort();
    await Promise.all(all);
    expect(await crowded.violations()).toEqual([]);
    expect((await backlinks(crowded, keyOf(0), "room")).status).toBe(200);
  } finally {
    await crowded.stop();
  }
});

import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { BatchData } from "../../contract/batches.ts";
import { hackernews } from "../../worker/areas/news-aggregator/samples/answers.ts";
import { type Envelope, type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { fromSamples } from "../upstream/from-samples.ts";
import { type Simulator, startSimulator } from "../upstream/simulator.ts";
import { besideMs, full } from "./full.ts";
import { inLanes, percentile } from "./traffic.ts";

/** Batches beside other callers, and beside a failing upstream. */

const slots = 4;
/** Duration of the scenario `slow`. */
const serviceMs = full ? 3000 : 1500;
const items = full ? 10_000 : 400;
const waiting = full ? 10_000 : 160;
const singles = full ? 20 : 2;

let simulator: Simulator;
let gateway: Gateway;
beforeAll(async () => {
  simulator = await startSimulator([fromSamples(hackernews)]);
  gateway = await Gateway.start({
    pools: "social",
    shorter: full ? [] : ["slow"],
    env: {
      HACKERNEWS_BASE_URL: `${simulator.url}/hackernews`,
      WORKER_SLOTS: String(slots),
    },
  });
});
afterEach(async () => expect(await gateway.violations()).toEqual([]));
afterAll(async () => {
  await gateway?.stop();
  await simulator?.stop();
});

type Status = Envelope<BatchData>;
const search = (id: string) => ({
  custom_id: id,
  operation: "shortclip.search",
  input: { q: id, limit: 3 },
});
async function submit(
  key: string,
  batch: readonly unknown[],
  headers: Record<string, string> = {},
): Promise<string> {
  const answer = await gateway.call<Status>(key, "POST", "/batches", {
    body: { items: batch },
    headers,
  });
  expect(answer.status, answer.text).toBe(202);
  return answer.body.data.id;
}
const status = async (key: string, id: string) =>
  (await gateway.call<Status>(key, "GET", `/batches/${id}`)).body.data;

/** Times in milliseconds of sequential calls from a separate account. */
async function singleCalls(): Promise<number[]> {
  const { key } = await gateway.key({ mode: "test" });
  const took: number[] = [];
  for (let index = 0; index < singles; index += 1) {
    const from = Date.now();
    const answer = await gateway.call(key, "GET", `/shortclip/search?q=one-${index}&limit=3`);
    expect(answer.status, answer.text).toBe(200);
    took.push(Date.now() - from);
  }
  return took;
}

/** Number of times that Redis has run a command. */
async function commands(name: string): Promise<number> {
  const redis = new Redis(gateway.redis.url);
  const stats = await redis.info("commandstats");
  redis.disconnect();
  return Number(new RegExp(`^cmdstat_${name}:calls=(\\d+)`, "m").exec(stats)?.[1] ?? 0);
}

/** One service time and a second, plus the allowance for a busy machine. */
function expectFair(what: string, alone: readonly number[], beside: readonly number[]): void {
  const [without, most] = [Math.max(...alone), Math.max(...beside)];
  console.log(
    `fairness: single calls alone ${without} ms at most, beside ${what} ${most} ms (p50 ${percentile(beside, 0.5)})`,
  );
  expect(most).toBeLessThan(without + serviceMs + 1000 + besideMs);
}

test(`beside a batch of ${items} slow items another account's single call waits one service time at most`, async () => {
  const { key } = await gateway.key({ mode: "test", credits: items * 3 });
  const alone = await singleCalls();
  // Earlier brief items must not predict the duration of these.
  const brief = await submit(
    key,
    Array.from({ length: 50 }, (_, index) => search(`brief-${index}`)),
  );
  await until(async () => (await status(key, brief)).state === "ended", 120_000);
  await gateway.results(key, brief);
  const batch = Array.from({ length: items }, (_, index) => search(`item-${index}`));
  const id = await submit(key, batch, { "svc-test-scenario": "slow" });
  await until(async () => (await status(key, id)).items.running > 0);
  expectFair(`a batch of ${items}`, alone, await singleCalls());
  const { queued, running } = (await status(key, id)).items;
  expect(queued).toBeGreaterThan(0);
  expect(running, "a slot stays free").toBeLessThan(slots);
  await gateway.call(key, "DELETE", `/batches/${id}`);
  await until(async () => (await status(key, id)).state === "cancelled");
  await gateway.results(key, id);
}, 600_000);

test(`beside ${waiting} calls of one account that wait, another account's single call waits one service time at most`, async () => {
  const { key } = await gateway.key({
    mode: "test",
    credits: waiting * 3,
    rate: 100_000,
    inFlight: waiting + 1,
  });
  const alone = await singleCalls();
  const ids: string[] = [];
  await inLanes(waiting, 20, async (index) => {
    const path = `/shortclip/search?q=wait-${index}&limit=3`;
    const answer = await gateway.call<{ request_id: string }>(key, "GET", path, {
      headers: { "svc-test-scenario": "slow", prefer: "respond-async" },
    });
    expect(answer.status, answer.text).toBe(202);
    ids.push((answer.headers.get("location") ?? "").slice("/jobs/".length));
  });
  const [from, before] = [Date.now(), await commands("hget")];
  expectFair(`${waiting} waiting calls`, alone, await singleCalls());
  // The running jobs are not looked up for each waiting call every second, so a second is watched.
  await sleep(Math.max(0, from + 1000 - Date.now()));
  const more = (await commands("hget")) - before;
  console.log(`${more} questions by HGET while ${waiting} calls waited`);
  expect(more).toBeLessThan((waiting * (Date.now() - from)) / 1000 / 4);
  const last = await gateway.call<Envelope<{ state: string }>>(key, "GET", `/jobs/${ids.at(-1)}`);
  expect(last.body.data.state).toBe("queued");
  await inLanes(waiting, 20, (index) => gateway.call(key, "DELETE", `/jobs/${ids[index]}`));
}, 1_200_000);

test("while their upstream fails items wait in growing pauses, and fail in the end", async () => {
  const { key } = await gateway.key({ credits: 1000 });
  simulator.play("*", { faults: [], rest: { kind: "status", status: 503 } });
  const batch = Array.from({ length: 12 }, (_, index) => ({
    custom_id: `story-${index}`,
    operation: "news_aggregator.stories.items",
    input: { feed: "top", limit: 1 },
  }));
  const id = await submit(key, batch);
  const { sql } = gateway.db;
  const number = sql`(select b.id from batches b where b.public_id = ${id})`;
  await until(async () => {
    const [row] = await sql<{ least: number }[]>`
      select min(tries)::int as least from batch_items where batch_id = ${number}`;
    return (row?.least ?? 0) > 0;
  }, 120_000);
  const paused = await status(key, id);
  expect(paused.items).toMatchObject({ succeeded: 0, failed: 0, cancelled: 0 });
  // Wait until one item has been tried for as long as any item is.
  await until(async () => {
    const moved = await sql`
      update batch_items set tries = 4, not_before = null
      where batch_id = ${number} and number = 0 and owner is null returning 1 as one`;
    return moved.length === 1;
  });
  await until(async () => (await status(key, id)).items.failed === 1, 120_000);
  expect((await status(key, id)).items.succeeded).toBe(0);
  simulator.reset();
  await until(async () => {
    // The rest of the other items' pauses would only be waited for; five tries in short order find an open breaker.
    await sql`
      update batch_items set not_before = now() + interval '4 seconds'
      where batch_id = ${number} and not_before > now() + interval '4 seconds'`;
    return (await status(key, id)).state === "ended";
  }, 240_000);
  const lines = await gateway.results(key, id);
  const results = lines.map(({ custom_id, error }) => [custom_id, error?.type]);
  expect(results.filter(([, type]) => type !== undefined)).toEqual([
    ["story-0", "upstream_unavailable"],
  ]);
  expect(lines).toHaveLength(12);
  // Each try was a call with a timeline; the last one has the id of its line.
  const [failure] = lines.filter(({ error }) => error !== undefined);
  const [success] = lines.filter(({ error }) => error === undefined);
  const storyOf = async (requestId: string | undefined) => {
    const [row] = await sql<{ story: { status: number; fate: string; hold: number } }[]>`
      select story from stories where call_id = ${requestId ?? ""}`;
    return row?.story;
  };
  await until(async () => (await storyOf(success?.request_id)) !== undefined);
  expect(await storyOf(success?.request_id)).toMatchObject({
    fate: "carried",
    status: 200,
    operation: "news_aggregator.stories.items",
    charged: { records: 1 },
    work: { attempt: 1 },
  });
  await until(async () => (await storyOf(failure?.error?.request_id)) !== undefined);
  expect(await storyOf(failure?.error?.request_id)).toMatchObject({
    fate: "carried",
    status: 503,
    error: { type: "upstream_unavailable" },
  });
}, 600_000);

test("an Idempotency-Key belongs to one request, be it a call or a batch", async () => {
  const { key } = await gateway.key({ mode: "test" });
  const call = (name: string) =>
    gateway.call<Envelope & ErrorEnvelope>(key, "POST", "/shortclip/videos/batch", {
      body: { ids: ["7300000000000000001", "7300000000000000002"] },
      headers: { "idempotency-key": name },
    });
  const hand = (name: string, batch: readonly unknown[] = [search("a")]) =>
    gateway.call<Status & ErrorEnvelope>(key, "POST", "/batches", {
      body: { items: batch },
      headers: { "idempotency-key": name },
    });
  const reused = (answer: { status: number; body: ErrorEnvelope }) => [
    answer.status,
    answer.body.error?.issues?.[0]?.code,
  ];
  expect((await call("of-call")).status).toBe(200);
  expect(reused(await hand("of-call"))).toEqual([422, "key_reused"]);
  expect((await call("of-call")).headers.get("idempotency-replayed")).toBe("true");

  const made = await hand("of-batch");
  expect(made.status).toBe(202);
  expect(reused(await call("of-batch"))).toEqual([422, "key_reused"]);
  expect((await hand("of-batch")).headers.get("idempotency-replayed")).toBe("true");

  // A refused request leaves its key to the next one.
  expect((await hand("free", [{}])).status).toBe(400);
  expect((await call("free")).status).toBe(200);

  // Of many concurrent calls and batches with one key, only one kind gets it.
  const both = await Promise.all(
    Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? call("both") : hand("both"))),
  );
  const codes = both.map(({ status: code }) => code);
  const winners = new Set(codes.filter((code) => code !== 422));
  expect(
    [...winners].every((code) => code === 200 || code === 202),
    codes.join(", "),
  ).toBe(true);
  expect(winners.size).toBe(1);
  expect(codes.filter((code) => code === 422)).toHaveLength(3);
  const ids = [made, ...both].flatMap(({ status: code, body }) =>
    code === 202 ? [(body as Status).data.id] : [],
  );
  for (const id of new Set(ids)) {
    await until(async () => (await status(key, id)).state === "ended");
    await gateway.results(key, id);
  }
});

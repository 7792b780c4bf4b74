import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BatchData } from "../../contract/batches.ts";
import { queueOf, queuePrefix } from "../../runtime/redis/keys.ts";
import { type JobAnswer, submit as submitJob, serp } from "../api/jobs/caller.ts";
import { type Envelope, type ErrorEnvelope, Gateway, type Process, until } from "../gateway.ts";
import { clientOf } from "../redis.ts";
import { type Relay, startRelay } from "../relay.ts";
import { full } from "./full.ts";
import { inLanes } from "./traffic.ts";

/** Jobs and batches whose hand-in Postgres has carried out, and whose process hears nothing of it. */

/**
 * Each test has a process of its own, with its own relay before the database. All of them start before the
 * first test, because a process that starts later may take over batches of another test.
 */
interface Relayed {
  relay: Relay;
  url: string;
  process: Process;
}

let gateway: Gateway;
let direct: string;
const relayed: Relayed[] = [];
const cases = full ? 10 : 9;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social,seo,serp", shorter: full ? [] : ["left"] });
  direct = gateway.url;
  // Two at a time: a process that starts on a crowded machine may miss its time limits.
  await inLanes(cases, 2, async () => {
    const relay = await startRelay(Number(new URL(gateway.db.url).port));
    const env = { DATABASE_URL: relay.through(gateway.db.url), DATABASE_CONNECTIONS: "3" };
    relayed.push({ relay, ...(await gateway.startApi(env)) });
  });
});
afterAll(async () => {
  for (const { relay } of relayed) relay.stop();
  await gateway?.stop();
});

/** A process between which and its database a relay stands; the first process has none. */
function ownProcess(): Relayed {
  const one = relayed.pop();
  if (!one) throw new Error("more tests than processes");
  return one;
}
const caller = () => gateway.key({ mode: "test", credits: 100 });
const untouched = { balance: 100, held: 0 };

/** Of an account, however they stand. */
const jobsOf = (accountId: number) =>
  gateway.db.sql<{ id: string; state: string }[]>`
    select request_id as id, state from jobs where account_id = ${accountId}`;

async function expectNoTrace(accountId: number, id: string): Promise<void> {
  await until(async () => (await jobsOf(accountId)).length === 0);
  expect(await gateway.balance(accountId, "test")).toEqual(untouched);
  const redis = clientOf(gateway.redis.url);
  expect(await redis.exists(`${queuePrefix}:${queueOf("social")}:${id}`)).toBe(0);
  redis.disconnect();
}

/** Part of the statement that hands jobs in, of the one that begins a batch, and of the one that accepts it. */
const jobs = /most_kept/;
const begun = /batch_[0-9a-f]{32}/;
const accepted = /truncated_due_to_balance/;

type Told = Envelope<BatchData> & ErrorEnvelope;
const items = Array.from({ length: 5 }, (_, index) => ({
  custom_id: `item-${index}`,
  operation: "shortclip.search",
  input: { q: `food ${index}`, limit: 3 },
}));
const submit = (key: string, url: string, idempotencyKey?: string) =>
  gateway.call<Told>(key, "POST", "/batches", {
    url,
    body: { items },
    headers: idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey },
  });
const batchesOf = (accountId: number) =>
  gateway.db.sql<{ id: string }[]>`
    select public_id as id from batches where account_id = ${accountId}`;
async function endOf(key: string, id: string): Promise<BatchData> {
  let data: BatchData | undefined;
  await until(async () => {
    ({ data } = (await gateway.call<Told>(key, "GET", `/batches/${id}`, { url: direct })).body);
    return ["ended", "cancelled"].includes(data.state);
  });
  return data as BatchData;
}
async function expectAll(key: string, id: string): Promise<void> {
  const items = { total: 5, succeeded: 5 };
  expect(await endOf(key, id)).toMatchObject({ state: "ended", items });
  expect(await gateway.results(key, id, "", direct)).toHaveLength(5);
}

test.concurrent("a key is free again when the answer to the beginning of its batch came late", async () => {
  const { key, accountId } = await caller();
  const { relay, url } = ownProcess();
  const { goOn } = relay.stallBehind(begun);
  const refused = await submit(key, url, "free");
  expect(refused.status, refused.text).toBe(503);
  expect(await batchesOf(accountId)).toHaveLength(1);
  goOn();
  await until(async () => (await batchesOf(accountId)).length === 0);
  const again = await submit(key, direct, "free");
  expect(again.status, again.text).toBe(202);
  await expectAll(key, again.body.data.id);
});

test.concurrent("a batch that was accepted by an answer that came late is told so and carried out", async () => {
  const { key } = await caller();
  const { relay, url } = ownProcess();
  const { stalled, goOn } = relay.stallBehind(accepted);
  const submitted = submit(key, url);
  await stalled;
  await sleep(3500);
  goOn();
  const answer = await submitted;
  expect(answer.status, answer.text).toBe(202);
  await expectAll(key, answer.body.data.id);
});

test.concurrent("a batch that was accepted, and refused as its database stayed silent, is had by its key", async () => {
  const { key } = await caller();
  const { relay, url } = ownProcess();
  const { goOn } = relay.stallBehind(accepted);
  const refused = await submit(key, url, "again");
  expect(refused.status, refused.text).toBe(503);
  goOn();
  const again = await submit(key, direct, "again");
  expect(again.status, again.text).toBe(202);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  await expectAll(key, again.body.data.id);
});

/** `goes on`: the process hears of the acceptance at last; otherwise another one finds the batch. */
const ends = ["goes on", "SIGTERM", ...(full ? (["SIGKILL"] as const) : [])] as const;
test.concurrent.each(ends)(
  "a batch without a key that was refused is carried out by no process (%s)",
  async (end) => {
    const { key, accountId } = await caller();
    const { relay, url, process } = ownProcess();
    const { goOn } = relay.stallBehind(accepted);
    const refused = await submit(key, url);
    expect(refused.status, refused.text).toBe(503);
    expect(refused.body.error.message).toContain("is not carried out");
    if (end !== "goes on") {
      process.child.kill(end);
      await process.ended;
    }
    goOn();
    await until(async () => (await batchesOf(accountId)).length === 0);
    expect(await gateway.balance(accountId, "test")).toEqual(untouched);
  },
);

test.concurrent("a job that was refused because the answer came late is taken back", async () => {
  const { key, accountId } = await caller();
  const { relay, url, process } = ownProcess();
  const { stalled, goOn } = relay.stallBehind(jobs);
  const refused = await submitJob(gateway, key, { url });
  await stalled;
  expect(refused.status, refused.text).toBe(503);
  const [job] = await jobsOf(accountId);
  expect(job).toMatchObject({ state: "queued" });
  goOn();
  await expectNoTrace(accountId, job?.id as string);
  process.child.kill("SIGTERM");
  expect(await process.ended).toBe(0);
  // Long enough for another process to take over what this one left.
  await sleep(3000);
  await expectNoTrace(accountId, job?.id as string);
});

test.concurrent.each(["SIGKILL", "SIGTERM"] as const)(
  "a job that was refused is not carried out by whoever takes over from the process (%s)",
  async (signal) => {
    const { key, accountId } = await caller();
    const { relay, url, process } = ownProcess();
    const { goOn } = relay.stallBehind(jobs);
    const refused = await submitJob(gateway, key, { url });
    expect(refused.status, refused.text).toBe(503);
    const [job] = await jobsOf(accountId);
    expect(job).toMatchObject({ state: "queued" });
    process.child.kill(signal);
    await process.ended;
    goOn();
    await expectNoTrace(accountId, job?.id as string);
  },
);

test.concurrent("a job that was refused and asked for again by its key is carried out", async () => {
  const { key, accountId } = await caller();
  const { relay, url } = ownProcess();
  const { goOn } = relay.stallBehind(jobs);
  const asked = { ...serp, idempotencyKey: "again" };
  const refused = await submitJob(gateway, key, { ...asked, url });
  expect(refused.status, refused.text).toBe(503);
  const [job] = await jobsOf(accountId);
  const again = await submitJob(gateway, key, { ...asked, url: direct });
  expect(again.status, again.text).toBe(202);
  expect(again.body.data.request_id).toBe(job?.id);
  goOn();
  const path = `/jobs/${job?.id}/result?wait=60`;
  const answer = await gateway.call<JobAnswer>(key, "GET", path, { url: direct });
  expect(answer.status, answer.text).toBe(200);
  const { credits_charged: charged } = answer.body.billing;
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 100 - charged, held: 0 });
});

// The last test, because it checks the calls of all others.
test("the books agree with the answers to all of these calls", async () => {
  expect(await gateway.violations()).toEqual([]);
});

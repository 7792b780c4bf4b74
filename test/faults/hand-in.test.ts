import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { queueOf, queuePrefix } from "../../contract/job.ts";
import { submit, result, serp } from "../api/jobs/caller.ts";
import { Gateway, until } from "../gateway.ts";
import { clientOf } from "../redis.ts";
import { type Relay, startRelay } from "../relay.ts";

/** Jobs whose hand-in Postgres has carried out, and whose process hears nothing of it. */

let gateway: Gateway;
let relay: Relay;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social,seo,serp" });
  relay = await startRelay(Number(new URL(gateway.db.url).port));
});
afterEach(async () => {
  gateway.apis.splice(1);
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  relay?.stop();
  await gateway?.stop();
});

/** A process between which and its database the relay stands; the first process has none. */
const startBehindRelay = () => gateway.startApi({ DATABASE_URL: relay.through(gateway.db.url) });
const direct = () => (gateway.apis[0] as { url: string }).url;
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

/** Part of the statement that hands jobs in. */
const jobs = /most_kept/;

test("a job that was refused because the answer came late is taken back", async () => {
  const { key, accountId } = await caller();
  const { url, process } = await startBehindRelay();
  const { stalled, goOn } = relay.stallBehind(jobs);
  const refused = await submit(gateway, key, { url });
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

test("a job that was refused is not carried out by whoever takes over from the process", async () => {
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    const { key, accountId } = await caller();
    const { url, process } = await startBehindRelay();
    const { goOn } = relay.stallBehind(jobs);
    const refused = await submit(gateway, key, { url });
    expect(refused.status, refused.text).toBe(503);
    const [job] = await jobsOf(accountId);
    expect(job).toMatchObject({ state: "queued" });
    process.child.kill(signal);
    await process.ended;
    goOn();
    await expectNoTrace(accountId, job?.id as string);
  }
});

test("a job that was refused and asked for again by its key is carried out", async () => {
  const { key, accountId } = await caller();
  const { url } = await startBehindRelay();
  const { goOn } = relay.stallBehind(jobs);
  const asked = { ...serp, idempotencyKey: "again" };
  const refused = await submit(gateway, key, { ...asked, url });
  expect(refused.status, refused.text).toBe(503);
  const [job] = await jobsOf(accountId);
  const again = await submit(gateway, key, { ...asked, url: direct() });
  expect(again.status, again.text).toBe(202);
  expect(again.body.data.request_id).toBe(job?.id);
  goOn();
  gateway.apis.splice(1);
  const answer = await result(gateway, key, job?.id as string, 60);
  expect(answer.status, answer.text).toBe(200);
  const { credits_charged: charged } = answer.body.billing;
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 100 - charged, held: 0 });
});

import type { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { pruneJobs, pruneReplays } from "../../../db/sweep.ts";
import { cli, cliJson } from "../../cli/cli.ts";
import { Gateway, until } from "../../gateway.ts";
import { clientOf } from "../../redis.ts";
import {
  type Job,
  type JobAnswer,
  ask,
  caller,
  submit,
  queued,
  result,
  serp,
  show,
  unserved,
} from "./caller.ts";

let gateway: Gateway;
let redis: Redis;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social,seo,serp" });
  redis = clientOf(gateway.redis.url);
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  redis.disconnect();
  await gateway.stop();
});

test("lists show the account's own jobs, newest first, by state and operation, page after page", async () => {
  const { key } = await caller(gateway);
  const ids: string[] = [];
  for (const scenario of [undefined, "upstream_error", undefined, undefined]) {
    const { body } = await submit(gateway, key, scenario ? { scenario } : {});
    ids.unshift(body.data.request_id);
  }
  const last = await submit(gateway, key, serp);
  ids.unshift(last.body.data.request_id);
  for (const id of ids) await result(gateway, key, id, 30);
  const list = async (query: string) => {
    const { body, status, text } = await gateway.call<{
      data: Job[];
      pagination: { has_more: boolean; next_cursor: string | null };
    }>(key, "GET", `/jobs${query}`);
    expect(status, text).toBe(200);
    return body;
  };
  const all = await list("");
  expect(all.data.map((job) => job.request_id)).toEqual(ids);
  expect(all.pagination).toEqual({ has_more: false, next_cursor: null });
  const paged: string[] = [];
  let query = "?limit=2";
  for (;;) {
    const page = await list(query);
    paged.push(...page.data.map((job) => job.request_id));
    if (page.pagination.next_cursor === null) break;
    query = `?limit=2&cursor=${page.pagination.next_cursor}`;
  }
  expect(paged).toEqual(ids);
  expect((await list("?state=failed")).data.map((job) => job.request_id)).toEqual([ids[3]]);
  expect((await list("?operation=seo.serp.search")).data).toHaveLength(1);
  const foreign = await gateway.call<JobAnswer>(
    key,
    "GET",
    `/jobs?state=failed&cursor=${query.slice(16)}`,
  );
  expect(foreign.status).toBe(400);
  expect((await gateway.call(key, "GET", "/jobs?state=lost")).status).toBe(400);
  expect((await gateway.call(key, "GET", "/jobs/17")).status).toBe(400);
});

test("a status is small, however long the failure's message is", async () => {
  const { key, accountId } = await caller(gateway);
  const { request_id: id } = (await submit(gateway, key, { scenario: "upstream_error" })).body.data;
  await result(gateway, key, id, 30);
  await gateway.db
    .sql`update jobs set error_message = ${"\u2028".repeat(200)} where account_id = ${accountId}`;
  expect(Buffer.byteLength((await show(gateway, key, id)).text)).toBeLessThanOrEqual(1024);
});

test("results are compressed at rest, and new jobs are refused when there are too many", async () => {
  const { key, accountId } = await caller(gateway);
  const { request_id: id } = (await submit(gateway, key, serp)).body.data;
  const whole = (await result(gateway, key, id, 30)).text.length;
  const [kept] = await gateway.db.sql<{ bytes: number }[]>`
    select octet_length(body) as bytes from replays where request_id = ${id}`;
  expect(kept?.bytes).toBeLessThan(whole / 2);
  await gateway.db.sql`
    insert into kept_bytes values (${accountId}, 'test', ${1024 ** 3})
    on conflict (account_id, mode) do update set bytes = excluded.bytes`;
  const refused = await submit(gateway, key);
  expect(refused.status).toBe(429);
  expect(refused.body.error).toMatchObject({ type: "rate_limited" });
  expect(refused.body.error.message).toMatch(/results of earlier jobs/);
  // A synchronous caller is still served.
  expect((await ask(gateway, key)).status).toBe(200);
});

test("a job and its result are removed after 24 hours, not before", async () => {
  const { key, accountId } = await caller(gateway);
  const { request_id: id } = (await submit(gateway, key)).body.data;
  const { text } = await result(gateway, key, id, 30);
  const age = async (interval: string) => {
    const { sql } = gateway.db;
    await sql`update jobs set created_at = now() - ${interval}::interval where account_id = ${accountId}`;
    await sql`update replays set created_at = now() - ${interval}::interval where account_id = ${accountId}`;
    await pruneReplays(gateway.db);
    await pruneJobs(gateway.db);
  };
  await age("23 hours 59 minutes");
  expect((await result(gateway, key, id)).text).toBe(text);
  await age("24 hours 1 second");
  // A sweep of the API may hold the row, and leaves it to the next one.
  await until(async () => (await show(gateway, key, id)).status === 404);
  expect((await result(gateway, key, id)).status).toBe(404);
});

test("the command line lists, shows, prints and cancels jobs", async () => {
  const account = `jobs-${Math.random().toString(36).slice(2)}`;
  const { key } = await gateway.key({ mode: "test", credits: 100, account });
  const env = { DATABASE_URL: gateway.db.url };
  const { request_id: done } = (await submit(gateway, key)).body.data;
  const { text } = await result(gateway, key, done, 30);
  const { request_id: slow } = (await submit(gateway, key, unserved)).body.data;
  const [printed, cancelled] = await Promise.all([
    cli(["jobs", "result", done], env),
    cliJson(["jobs", "cancel", slow], env),
  ]);
  expect(printed.stdout).toBe(`${text}\n`);
  expect(cancelled).toEqual({ code: 0, json: { request_id: slow, state: "cancelled" } });
  const [listed, again, shown] = await Promise.all([
    cliJson<{ jobs: Job[] }>(["jobs", "list", "--account", account], env),
    cliJson<JobAnswer>(["jobs", "cancel", done], env),
    cliJson<Job>(["jobs", "show", done], env),
  ]);
  expect(listed.json.jobs).toMatchObject([
    { request_id: slow, state: "cancelled" },
    { request_id: done, state: "succeeded", billing: { credits_charged: 3 } },
  ]);
  expect(again).toMatchObject({ code: 1, json: { error: { type: "job_ended" } } });
  expect(shown.json).toMatchObject({ account, mode: "test", state: "succeeded" });
  // The job leaves the queue although the command line changed only the database.
  await until(async () => (await queued(redis)) === 0);
});

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { BatchData } from "../../../contract/batches.ts";
import { queueOf, queuePrefix } from "../../../runtime/redis/keys.ts";
import { cli, cliJson } from "../../cli/cli.ts";
import { type Envelope, type ErrorEnvelope, until } from "../../gateway.ts";
import { clientOf } from "../../redis.ts";
import { BatchRig, type Status, search } from "./batch-rig.ts";

let rig: BatchRig;
beforeAll(async () => {
  rig = await BatchRig.start("social,seo");
});
afterEach(() => rig.check());
afterAll(() => rig?.gateway.stop());

test("a batch runs: each item is a call like any other, charged once", async () => {
  const before = await rig.gateway.balance(rig.accountId, "test");
  const items = [
    ...Array.from({ length: 20 }, (_, index) => search(`search-${index}`)),
    { custom_id: "user", operation: "shortclip.users.get", input: { username: "cook" } },
  ];
  const accepted = await rig.submit(items);
  expect(accepted.status, accepted.text).toBe(202);
  const { id } = accepted.body.data;
  expect(accepted.headers.get("location")).toBe(`/batches/${id}`);
  const data = await rig.ended(id);
  const lines = await rig.gateway.results(rig.key, id);
  expect(lines.flatMap(({ error }) => error ?? [])).toEqual([]);
  expect(data.items).toEqual({
    total: 21,
    queued: 0,
    running: 0,
    succeeded: 21,
    failed: 0,
    cancelled: 0,
  });
  expect(lines.map(({ custom_id }) => custom_id).sort()).toEqual(
    items.map(({ custom_id }) => custom_id).sort(),
  );
  expect(lines.map(({ sequence }) => sequence)).toEqual(lines.map((_, index) => index + 1));
  const charged = lines.reduce((sum, line) => sum + (line.billing?.credits_charged ?? 0), 0);
  expect(data.credits).toEqual({ max: null, held: 0, charged });
  const after = await rig.gateway.balance(rig.accountId, "test");
  expect(after).toEqual({ balance: before.balance - charged, held: 0 });
  const alone = await rig.gateway.call<Envelope>(
    rig.key,
    "GET",
    "/shortclip/search?q=food+search-0&limit=3",
  );
  const line = lines.find(({ custom_id }) => custom_id === "search-0");
  expect(line?.data).toEqual(alone.body.data);
});

test("an item whose job Redis refuses, or whose end Postgres refuses, fails and costs nothing", async () => {
  const { sql } = rig.gateway.db;
  const redis = clientOf(rig.gateway.redis.url);
  const counter = `${queuePrefix}:${queueOf("seo")}:id`;
  await redis.set(counter, "no number");
  await sql.unsafe(`
    create function refuse_result() returns trigger language plpgsql as $$
    begin raise exception 'refused by a test'; end $$;
    create trigger refuse_result before insert on batch_results for each row
      when (new.custom_id = 'end' and new.status = 200) execute function refuse_result()`);
  try {
    const input = { target: "a.example.com", limit: 1 };
    const unqueued = { custom_id: "add", operation: "seo.backlinks.list", input };
    const accepted = await rig.submit([search("end"), unqueued, search("good")]);
    const { id } = accepted.body.data;
    const { items, credits } = await rig.ended(id);
    expect(items).toMatchObject({ total: 3, succeeded: 1, failed: 2, running: 0 });
    const lines = await rig.gateway.results(rig.key, id);
    const errors = lines.flatMap(({ custom_id, error }) =>
      error ? `${custom_id}: ${error.type}` : [],
    );
    expect(errors.sort()).toEqual(["add: internal_error", "end: internal_error"]);
    const good = lines.find(({ custom_id }) => custom_id === "good");
    expect(credits).toMatchObject({ held: 0, charged: good?.billing?.credits_charged });
  } finally {
    await sql.unsafe("drop function refuse_result cascade");
    await redis.del(counter);
    redis.disconnect();
  }
});

test("results are the same bytes each time, continue after a given line, and stream as they arrive", async () => {
  const items = Array.from({ length: 20 }, (_, index) => search(`f-${index}`));
  const accepted = await rig.submit(items, {}, { "svc-test-scenario": "slow" });
  const { id } = accepted.body.data;
  const response = await fetch(`${rig.gateway.url}/batches/${id}/results?follow=true`, {
    headers: { authorization: `Bearer ${rig.key}` },
  });
  const followed = await response.text();
  const read = (query: string) =>
    fetch(`${rig.gateway.url}/batches/${id}/results${query}`, {
      headers: { authorization: `Bearer ${rig.key}` },
    }).then((answer) => answer.text());
  const whole = await read("");
  expect(followed.replace(/^\n+/gm, "")).toBe(whole);
  expect(await read("")).toBe(whole);
  const lines = whole.split("\n").filter(Boolean);
  expect(lines).toHaveLength(20);
  expect(await read("?after=17")).toBe(`${lines.slice(17).join("\n")}\n`);
  expect(await read("?after=20")).toBe("");
  await rig.gateway.results(rig.key, id);
});

test("the status is small; after a cancel no item starts, no further credit is charged, and finished items stay", async () => {
  const items = Array.from({ length: 200 }, (_, index) => search(`c-${index}`));
  const { id } = (await rig.submit(items, {}, { "svc-test-scenario": "slow" })).body.data;
  await until(async () => (await rig.status(id)).estimated_end_at !== null);
  const running = await rig.gateway.call<Status>(rig.key, "GET", `/batches/${id}`);
  expect(Buffer.byteLength(running.text)).toBeLessThanOrEqual(1024);
  expect(running.body.data.state).toBe("running");
  const counts = running.body.data.items;
  expect(counts.queued + counts.running + counts.succeeded + counts.failed).toBe(200);
  const answer = await rig.gateway.call<Status>(rig.key, "DELETE", `/batches/${id}`);
  const cancelledAt = Date.now();
  expect(answer.status).toBe(200);
  const { charged } = answer.body.data.credits;
  const data = await rig.ended(id);
  console.log(`a cancelled batch stopped after ${Date.now() - cancelledAt} ms`);
  expect(data.state).toBe("cancelled");
  expect(data.credits).toEqual({ max: null, held: 0, charged });
  expect(data.items.cancelled + data.items.succeeded).toBe(200);
  expect(data.items.cancelled).toBeGreaterThan(0);
  const lines = await rig.gateway.results(rig.key, id);
  expect(lines).toHaveLength(data.items.succeeded);
  // A second cancel answers the same, and a retry finds no item to repeat.
  expect((await rig.gateway.call<Status>(rig.key, "DELETE", `/batches/${id}`)).body.data).toEqual(
    data,
  );
  expect((await rig.gateway.call(rig.key, "POST", `/batches/${id}/retry`)).status).toBe(409);
});

test("only failed items are retried, each as a new call", async () => {
  const items = Array.from({ length: 5 }, (_, index) => search(`r-${index}`));
  const { id } = (await rig.submit(items, {}, { "svc-test-scenario": "upstream_error" })).body.data;
  const failed = await rig.ended(id);
  expect(failed.items.failed).toBe(5);
  const first = await rig.gateway.results(rig.key, id);
  expect(first.map(({ status: code, error }) => [code, error?.type])).toEqual(
    first.map(() => [502, "upstream_error"]),
  );
  // The reason of these failures no longer holds.
  await rig.gateway.db.sql`update batches set scenario = null where public_id = ${id}`;
  const retry = (batch: string, body?: object) =>
    rig.gateway.call<Status & ErrorEnvelope>(rig.key, "POST", `/batches/${batch}/retry`, {
      body,
      headers: { "idempotency-key": `retry of ${id}` },
    });
  const unknown = await retry(`batch_${"0".repeat(32)}`);
  expect(unknown.status).toBe(404);
  const retried = await retry(id);
  expect([retried.status, retried.headers.get("idempotency-replayed")]).toEqual([202, null]);
  const again = await retry(id);
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([202, "true"]);
  expect(again.body.request_id).toBe(retried.body.request_id);
  const other = await retry(`batch_${"1".repeat(32)}`);
  expect([other.status, other.body.error.issues?.[0]?.code]).toEqual([422, "key_reused"]);
  const unasked = await retry(id, { limit: 1 });
  expect([unasked.status, unasked.body.error.issues?.[0]?.code]).toEqual([400, "unknown_field"]);
  const data = await rig.ended(id);
  expect(data.items).toMatchObject({ total: 5, succeeded: 5, failed: 0 });
  const second = await rig.gateway.results(rig.key, id);
  expect(second.map(({ sequence }) => sequence)).toEqual([6, 7, 8, 9, 10]);
  expect(second.map(({ custom_id }) => custom_id).sort()).toEqual(
    items.map(({ custom_id }) => custom_id),
  );
  const ids = new Set(
    [...first, ...second].map((line) => line.request_id ?? line.error?.request_id),
  );
  expect(ids.size).toBe(10);
});

test("webhooks report each failure and the end once, written in the same statement as the change", async () => {
  await rig.gateway.db.sql`
    insert into webhook_endpoints (id, account_id, mode, url, events, secret)
    values ('whe_batches', ${rig.accountId}, 'test', 'https://hooks.example/', 
      '{batch.ended,batch.item_failed}', '\\x00')`;
  const items = [search("told-1"), search("told-2")];
  const { id } = (await rig.submit(items, {}, { "svc-test-scenario": "not_found" })).body.data;
  await rig.ended(id);
  const lines = await rig.gateway.results(rig.key, id);
  const events = await rig.gateway.db.sql<{ body: string }[]>`
    select body from webhook_events where account_id = ${rig.accountId} order by type, body`;
  const reports = events.map(({ body }) => JSON.parse(body) as { type: string; data: unknown });
  const failures = lines.map(({ custom_id, error }) => ({
    type: "batch.item_failed",
    data: { batch_id: id, custom_id, request_id: error?.request_id, mode: "test" },
  }));
  const end = { type: "batch.ended", data: { batch_id: id, mode: "test", state: "ended" } };
  expect(reports.map(({ type, data }) => ({ type, data }))).toEqual(
    expect.arrayContaining([end, ...failures]),
  );
  expect(reports).toHaveLength(3);
  await rig.gateway.db.sql`delete from webhook_endpoints where id = 'whe_batches'`;
});

test("max_credits is never exceeded, and items beyond it report it", async () => {
  const items = Array.from({ length: 40 }, (_, index) => search(`m-${index}`, 3));
  const { id } = (await rig.submit(items, { max_credits: 31 })).body.data;
  const data = await rig.ended(id);
  expect(data.credits).toEqual({ max: 31, held: 0, charged: 31 });
  const lines = await rig.gateway.results(rig.key, id);
  const charged = lines.map((line) => line.billing?.credits_charged ?? 0);
  expect(charged.reduce((sum, credits) => sum + credits, 0)).toBe(31);
  expect(lines.filter(({ billing }) => billing?.truncated_due_to_balance)).toHaveLength(1);
  const refused = lines.filter(({ status: code }) => code === 402);
  expect(refused).toHaveLength(29);
  expect(refused[0]?.error).toMatchObject({
    type: "insufficient_credits",
    message: "max_credits of the batch, or a budget, does not cover this call",
    billing: { credits_required: 1 },
  });
});

test("a balance that runs out: the rest fails, and runs once there are credits again", async () => {
  const poor = await rig.gateway.key({ mode: "test", credits: 10 });
  const items = Array.from({ length: 8 }, (_, index) => search(`p-${index}`, 3));
  const made = await rig.gateway.call<Status>(poor.key, "POST", "/batches", { body: { items } });
  const { id } = made.body.data;
  const now = async () =>
    (await rig.gateway.call<Status>(poor.key, "GET", `/batches/${id}`)).body.data;
  await until(async () => (await now()).state === "ended");
  expect(await rig.gateway.balance(poor.accountId, "test")).toEqual({ balance: 0, held: 0 });
  const lines = await rig.gateway.results(poor.key, id);
  expect(lines.filter(({ status: code }) => code === 402)).toHaveLength(4);
  const none = await rig.gateway.call<ErrorEnvelope>(poor.key, "POST", "/batches", {
    body: { items },
  });
  expect([none.status, none.body.error.type]).toEqual([402, "insufficient_credits"]);
  await rig.gateway.key({ mode: "test", account: await nameOf(poor.accountId), credits: 100 });
  await rig.gateway.call(poor.key, "POST", `/batches/${id}/retry`);
  await until(async () => (await now()).items.succeeded === 8);
  await rig.gateway.results(poor.key, id);
});
const nameOf = async (id: number) =>
  (await rig.gateway.db.sql<{ name: string }[]>`select name from accounts where id = ${id}`)[0]
    ?.name as string;

test("batches belong to one account and mode, and are listed newest first", async () => {
  const other = await rig.gateway.key({ mode: "test", credits: 10 });
  const listed = await rig.gateway.call<Envelope<BatchData[]>>(rig.key, "GET", "/batches?limit=3");
  const { data, pagination } = listed.body;
  expect(data).toHaveLength(3);
  expect(data.map((one) => one.created_at)).toEqual(
    data
      .map((one) => one.created_at)
      .toSorted()
      .toReversed(),
  );
  const rest = await rig.gateway.call<Envelope<BatchData[]>>(
    rig.key,
    "GET",
    `/batches?limit=100&cursor=${pagination?.next_cursor}`,
  );
  expect(rest.body.pagination).toEqual({ has_more: false, next_cursor: null });
  const ids = [...data, ...rest.body.data].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const cancelled = await rig.gateway.call<Envelope<BatchData[]>>(
    rig.key,
    "GET",
    "/batches?state=cancelled",
  );
  expect(cancelled.body.data.map(({ state }) => state)).toEqual(["cancelled"]);
  const [id = ""] = ids;
  // The same by the command line.
  const env = { DATABASE_URL: rig.gateway.db.url };
  const name = await nameOf(rig.accountId);
  const printed = await cliJson<{ batches: BatchData[] }>(
    ["batches", "list", "--account", name, "--limit", "3"],
    env,
  );
  expect(printed.json.batches.map((batch) => batch.id)).toEqual(ids.slice(0, 3));
  const one = await cliJson<BatchData>(["batches", "show", id], env);
  expect(one.json).toEqual(await rig.status(id));
  const { stdout } = await cli(["batches", "results", id, "--after", "1"], env);
  const whole = await fetch(`${rig.gateway.url}/batches/${id}/results?after=1`, {
    headers: { authorization: `Bearer ${rig.key}` },
  });
  expect(stdout).toBe(await whole.text());
  expect((await rig.gateway.call<Envelope<[]>>(other.key, "GET", "/batches")).body.data).toEqual(
    [],
  );
  for (const [method, path] of [
    ["GET", `/batches/${id}`],
    ["DELETE", `/batches/${id}`],
    ["GET", `/batches/${id}/results`],
    ["POST", `/batches/${id}/retry`],
  ] as const) {
    expect((await rig.gateway.call(other.key, method, path)).status, path).toBe(404);
  }
  const wrong = await rig.gateway.call<ErrorEnvelope>(rig.key, "GET", "/batches/batch_1");
  expect([wrong.status, wrong.body.error.type]).toEqual([400, "invalid_id"]);
});

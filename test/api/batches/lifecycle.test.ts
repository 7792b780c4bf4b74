import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { BatchData } from "../../../contract/batches.ts";
import { cli, cliJson } from "../../cli/cli.ts";
import { queueOf, queuePrefix } from "../../../runtime/redis/keys.ts";
import { type Envelope, type ErrorEnvelope, Gateway, until } from "../../gateway.ts";
import { clientOf } from "../../redis.ts";

let gateway: Gateway;
let key: string;
let accountId: number;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social,seo", shorter: ["slow"] });
  ({ key, accountId } = await gateway.key({ mode: "test", credits: 10_000 }));
});
afterEach(async () => expect(await gateway.violations()).toEqual([]));
afterAll(() => gateway?.stop());

type Status = Envelope<BatchData>;
interface Item {
  custom_id: string;
  operation: string;
  input: Record<string, unknown>;
}
const search = (id: string, limit = 3): Item => ({
  custom_id: id,
  operation: "shortclip.search",
  input: { q: `food ${id}`, limit },
});
const submit = (
  items: readonly unknown[],
  options: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) =>
  gateway.call<Status & ErrorEnvelope>(key, "POST", "/batches", {
    body: { ...options, items },
    headers,
  });
const status = async (id: string) =>
  (await gateway.call<Status>(key, "GET", `/batches/${id}`)).body.data;
async function ended(id: string): Promise<BatchData> {
  await until(async () => ["ended", "cancelled"].includes((await status(id)).state));
  return status(id);
}

test("a batch runs: each item is a call like any other, charged once", async () => {
  const before = await gateway.balance(accountId, "test");
  const items = [
    ...Array.from({ length: 20 }, (_, index) => search(`search-${index}`)),
    { custom_id: "user", operation: "shortclip.users.get", input: { username: "cook" } },
  ];
  const accepted = await submit(items);
  expect(accepted.status, accepted.text).toBe(202);
  const { id } = accepted.body.data;
  expect(accepted.headers.get("location")).toBe(`/batches/${id}`);
  const data = await ended(id);
  const lines = await gateway.results(key, id);
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
  const after = await gateway.balance(accountId, "test");
  expect(after).toEqual({ balance: before.balance - charged, held: 0 });
  const alone = await gateway.call<Envelope>(
    key,
    "GET",
    "/shortclip/search?q=food+search-0&limit=3",
  );
  const line = lines.find(({ custom_id }) => custom_id === "search-0");
  expect(line?.data).toEqual(alone.body.data);
});

test("an item whose job Redis refuses, or whose end Postgres refuses, fails and costs nothing", async () => {
  const { sql } = gateway.db;
  const redis = clientOf(gateway.redis.url);
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
    const accepted = await submit([search("end"), unqueued, search("good")]);
    const { id } = accepted.body.data;
    const { items, credits } = await ended(id);
    expect(items).toMatchObject({ total: 3, succeeded: 1, failed: 2, running: 0 });
    const lines = await gateway.results(key, id);
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

const ndjson = (lines: readonly string[], query = "", headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/batches${query}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/x-ndjson",
      ...headers,
    },
    body: lines.join("\n"),
  }).then(async (response) => ({
    status: response.status,
    body: (await response.json()) as Envelope<Accepted> & ErrorEnvelope,
  }));
type Accepted = BatchData & {
  skipped?: { count: number; lines: number[]; issues: { line: number; path: string }[] };
};

test("invalid items are reported with line, custom_id and field, and no item runs", async () => {
  const lines = [
    JSON.stringify(search("good")),
    "",
    JSON.stringify({ ...search("bad"), input: { limit: 3 } }),
    '{"custom_id":"cut',
    JSON.stringify(search("good")),
    JSON.stringify({ ...search("unknown"), operation: "shortclip.dance" }),
    JSON.stringify({ ...search("more"), extra: 1 }),
    JSON.stringify({ operation: "shortclip.search", input: {} }),
  ];
  const refused = await ndjson(lines);
  expect(refused.status).toBe(400);
  const { issues = [], message } = refused.body.error;
  expect(message).toBe("items[1].input.q, line 3: is required (and 5 more items are not valid)");
  expect(issues).toEqual([
    at(1, ".input.q", 3, "required", "bad"),
    at(2, "", 4, "malformed_json"),
    at(3, ".custom_id", 5, "duplicate", "good"),
    at(4, ".operation", 6, "unknown_operation", "unknown"),
    at(5, ".extra", 7, "unknown_field", "more"),
    at(6, ".custom_id", 8, "required"),
  ]);
  const [left] = await gateway.db.sql<{ count: number }[]>`
    select count(*)::int from batches where account_id = ${accountId} and state = 'receiving'`;
  expect(left?.count).toBe(0);
});

test("faults of items and options are worded as those of single calls", async () => {
  const lines = [
    { ...search("a"), input: "no" },
    { ...search("b"), input: { q: 3 } },
    { ...search("c"), custom_id: 7 },
    { ...search("d"), more: 1 },
  ].map((item) => JSON.stringify(item));
  const { issues = [] } = (await ndjson(lines)).body.error;
  expect(issues.map(({ message }) => message)).toEqual([
    "must be an object",
    "must be text",
    "must be text",
    "unknown field",
  ]);
  const option = await ndjson([JSON.stringify(search("a"))], "?max_credits=many");
  expect(option.body.error.message).toBe("max_credits: must be a number");
});
const at = (index: number, path: string, line: number, code: string, custom_id?: string): unknown =>
  expect.objectContaining({
    in: "body",
    path: `items[${index}]${path}`,
    line,
    code,
    ...(custom_id === undefined ? {} : { custom_id }),
  });

test("skip_invalid: valid items run, invalid ones are reported by their lines", async () => {
  const lines = [search("a"), { custom_id: "b" }, search("c")].map((item) => JSON.stringify(item));
  const accepted = await ndjson(lines, "?validation=skip_invalid");
  expect(accepted.status).toBe(202);
  const { id, skipped, items } = accepted.body.data;
  expect(items.total).toBe(2);
  expect(skipped?.count).toBe(1);
  expect(skipped?.lines).toEqual([2]);
  expect(skipped?.issues.map(({ line, path }) => [line, path])).toEqual([
    [2, "items[1].operation"],
    [2, "items[1].input"],
  ]);
  await ended(id);
  const results = await gateway.results(key, id);
  expect(results.map(({ custom_id }) => custom_id).sort()).toEqual(["a", "c"]);
});

test("unknown options and a body without items are refused", async () => {
  for (const [query, path] of [
    ["?max_credits=0", "max_credits"],
    ["?skip=true", "skip"],
    ["?validation=all", "validation"],
  ]) {
    const refused = await ndjson([JSON.stringify(search("a"))], query);
    expect([refused.status, refused.body.error.issues?.[0]?.path]).toEqual([400, path]);
  }
  expect((await ndjson(["", ""])).body.error.message).toBe("items: at least one is required");
  for (const body of [{}, [], { items: {} }, { items: [], more: 1 }]) {
    const answer = await gateway.call<ErrorEnvelope>(key, "POST", "/batches", { body });
    expect([answer.status, answer.body.error.type]).toEqual([400, "validation_error"]);
  }
  const text = await ndjson(["x"], "", { "content-type": "text/plain" });
  expect(text.status).toBe(415);
});

test("Idempotency-Key: the same batch gets the same answer, another batch is refused", async () => {
  const items = [search("one"), search("two")];
  const headers = { "idempotency-key": "batch-key" };
  const [first, repeated] = await Promise.all([
    submit(items, {}, headers),
    submit(items, {}, headers),
  ]);
  expect([first.status, repeated.status]).toEqual([202, 202]);
  expect(repeated.text).toBe(first.text);
  const later = await submit(items, {}, headers);
  expect(later.text).toBe(first.text);
  expect(later.headers.get("idempotency-replayed")).toBe("true");
  expect(later.headers.get("svc-request-id")).toBe(first.body.request_id);
  const other = await submit([search("other")], {}, headers);
  expect([other.status, other.body.error.issues?.[0]?.code]).toEqual([422, "key_reused"]);
  await ended(first.body.data.id);
  await gateway.results(key, first.body.data.id);
  // A refused batch leaves its key free.
  const free = { "idempotency-key": "free-key" };
  expect((await submit([{}], {}, free)).status).toBe(400);
  const again = await submit(items, {}, free);
  expect(again.status).toBe(202);
  await ended(again.body.data.id);
  await gateway.results(key, again.body.data.id);
});

test("results are the same bytes each time, continue after a given line, and stream as they arrive", async () => {
  const items = Array.from({ length: 20 }, (_, index) => search(`f-${index}`));
  const accepted = await submit(items, {}, { "svc-test-scenario": "slow" });
  const { id } = accepted.body.data;
  const response = await fetch(`${gateway.url}/batches/${id}/results?follow=true`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const followed = await response.text();
  const read = (query: string) =>
    fetch(`${gateway.url}/batches/${id}/results${query}`, {
      headers: { authorization: `Bearer ${key}` },
    }).then((answer) => answer.text());
  const whole = await read("");
  expect(followed.replace(/^\n+/gm, "")).toBe(whole);
  expect(await read("")).toBe(whole);
  const lines = whole.split("\n").filter(Boolean);
  expect(lines).toHaveLength(20);
  expect(await read("?after=17")).toBe(`${lines.slice(17).join("\n")}\n`);
  expect(await read("?after=20")).toBe("");
  await gateway.results(key, id);
});

test("the status is small; after a cancel no item starts, no further credit is charged, and finished items stay", async () => {
  const items = Array.from({ length: 200 }, (_, index) => search(`c-${index}`));
  const { id } = (await submit(items, {}, { "svc-test-scenario": "slow" })).body.data;
  await until(async () => (await status(id)).estimated_end_at !== null);
  const running = await gateway.call<Status>(key, "GET", `/batches/${id}`);
  expect(Buffer.byteLength(running.text)).toBeLessThanOrEqual(1024);
  expect(running.body.data.state).toBe("running");
  const counts = running.body.data.items;
  expect(counts.queued + counts.running + counts.succeeded + counts.failed).toBe(200);
  const answer = await gateway.call<Status>(key, "DELETE", `/batches/${id}`);
  const cancelledAt = Date.now();
  expect(answer.status).toBe(200);
  const { charged } = answer.body.data.credits;
  const data = await ended(id);
  console.log(`a cancelled batch stopped after ${Date.now() - cancelledAt} ms`);
  expect(data.state).toBe("cancelled");
  expect(data.credits).toEqual({ max: null, held: 0, charged });
  expect(data.items.cancelled + data.items.succeeded).toBe(200);
  expect(data.items.cancelled).toBeGreaterThan(0);
  const lines = await gateway.results(key, id);
  expect(lines).toHaveLength(data.items.succeeded);
  // A second cancel answers the same, and a retry finds no item to repeat.
  expect((await gateway.call<Status>(key, "DELETE", `/batches/${id}`)).body.data).toEqual(data);
  expect((await gateway.call(key, "POST", `/batches/${id}/retry`)).status).toBe(409);
});

test("only failed items are retried, each as a new call", async () => {
  const items = Array.from({ length: 5 }, (_, index) => search(`r-${index}`));
  const { id } = (await submit(items, {}, { "svc-test-scenario": "upstream_error" })).body.data;
  const failed = await ended(id);
  expect(failed.items.failed).toBe(5);
  const first = await gateway.results(key, id);
  expect(first.map(({ status: code, error }) => [code, error?.type])).toEqual(
    first.map(() => [502, "upstream_error"]),
  );
  // The reason of these failures no longer holds.
  await gateway.db.sql`update batches set scenario = null where public_id = ${id}`;
  const retried = await gateway.call<Status>(key, "POST", `/batches/${id}/retry`);
  expect(retried.status).toBe(202);
  const data = await ended(id);
  expect(data.items).toMatchObject({ total: 5, succeeded: 5, failed: 0 });
  const second = await gateway.results(key, id);
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
  await gateway.db.sql`
    insert into webhook_endpoints (id, account_id, mode, url, events, secret)
    values ('whe_batches', ${accountId}, 'test', 'https://hooks.example/', 
      '{batch.ended,batch.item_failed}', '\\x00')`;
  const items = [search("told-1"), search("told-2")];
  const { id } = (await submit(items, {}, { "svc-test-scenario": "not_found" })).body.data;
  await ended(id);
  const lines = await gateway.results(key, id);
  const events = await gateway.db.sql<{ body: string }[]>`
    select body from webhook_events where account_id = ${accountId} order by type, body`;
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
  await gateway.db.sql`delete from webhook_endpoints where id = 'whe_batches'`;
});

test("max_credits is never exceeded, and items beyond it report it", async () => {
  const items = Array.from({ length: 40 }, (_, index) => search(`m-${index}`, 3));
  const { id } = (await submit(items, { max_credits: 31 })).body.data;
  const data = await ended(id);
  expect(data.credits).toEqual({ max: 31, held: 0, charged: 31 });
  const lines = await gateway.results(key, id);
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
  const poor = await gateway.key({ mode: "test", credits: 10 });
  const items = Array.from({ length: 8 }, (_, index) => search(`p-${index}`, 3));
  const made = await gateway.call<Status>(poor.key, "POST", "/batches", { body: { items } });
  const { id } = made.body.data;
  const now = async () => (await gateway.call<Status>(poor.key, "GET", `/batches/${id}`)).body.data;
  await until(async () => (await now()).state === "ended");
  expect(await gateway.balance(poor.accountId, "test")).toEqual({ balance: 0, held: 0 });
  const lines = await gateway.results(poor.key, id);
  expect(lines.filter(({ status: code }) => code === 402)).toHaveLength(4);
  const none = await gateway.call<ErrorEnvelope>(poor.key, "POST", "/batches", { body: { items } });
  expect([none.status, none.body.error.type]).toEqual([402, "insufficient_credits"]);
  await gateway.key({ mode: "test", account: await nameOf(poor.accountId), credits: 100 });
  await gateway.call(poor.key, "POST", `/batches/${id}/retry`);
  await until(async () => (await now()).items.succeeded === 8);
  await gateway.results(poor.key, id);
});
const nameOf = async (id: number) =>
  (await gateway.db.sql<{ name: string }[]>`select name from accounts where id = ${id}`)[0]
    ?.name as string;

test("batches belong to one account and mode, and are listed newest first", async () => {
  const other = await gateway.key({ mode: "test", credits: 10 });
  const listed = await gateway.call<Envelope<BatchData[]>>(key, "GET", "/batches?limit=3");
  const { data, pagination } = listed.body;
  expect(data).toHaveLength(3);
  expect(data.map((one) => one.created_at)).toEqual(
    data
      .map((one) => one.created_at)
      .toSorted()
      .toReversed(),
  );
  const rest = await gateway.call<Envelope<BatchData[]>>(
    key,
    "GET",
    `/batches?limit=100&cursor=${pagination?.next_cursor}`,
  );
  expect(rest.body.pagination).toEqual({ has_more: false, next_cursor: null });
  const ids = [...data, ...rest.body.data].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const cancelled = await gateway.call<Envelope<BatchData[]>>(
    key,
    "GET",
    "/batches?state=cancelled",
  );
  expect(cancelled.body.data.map(({ state }) => state)).toEqual(["cancelled"]);
  const [id = ""] = ids;
  // The same by the command line.
  const env = { DATABASE_URL: gateway.db.url };
  const name = await nameOf(accountId);
  const printed = await cliJson<{ batches: BatchData[] }>(
    ["batches", "list", "--account", name, "--limit", "3"],
    env,
  );
  expect(printed.json.batches.map((batch) => batch.id)).toEqual(ids.slice(0, 3));
  const one = await cliJson<BatchData>(["batches", "show", id], env);
  expect(one.json).toEqual(await status(id));
  const { stdout } = await cli(["batches", "results", id, "--after", "1"], env);
  const whole = await fetch(`${gateway.url}/batches/${id}/results?after=1`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(stdout).toBe(await whole.text());
  expect((await gateway.call<Envelope<[]>>(other.key, "GET", "/batches")).body.data).toEqual([]);
  for (const [method, path] of [
    ["GET", `/batches/${id}`],
    ["DELETE", `/batches/${id}`],
    ["GET", `/batches/${id}/results`],
    ["POST", `/batches/${id}/retry`],
  ] as const) {
    expect((await gateway.call(other.key, method, path)).status, path).toBe(404);
  }
  const wrong = await gateway.call<ErrorEnvelope>(key, "GET", "/batches/batch_1");
  expect([wrong.status, wrong.body.error.type]).toEqual([400, "invalid_id"]);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount } from "../../db/accounts.ts";
import { CrawlStore } from "../../db/crawls.ts";
import { ItemStore } from "../../db/batch-items.ts";
import type { BatchStore } from "../../db/batches.ts";
import type { CallStore } from "../../db/calls.ts";
import { createKey, revokeKey } from "../../db/keys.ts";
import type { CrawlRules } from "../../runtime/crawl.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { TestDatabase } from "../database.ts";
import { liveAccount, newBatch } from "./live-account.ts";

const pepper = "a pepper for the keys of these tests";
let db: TestDatabase;
let calls: CallStore;
let batches: BatchStore;
let accountId: number;
let count = 0;

beforeAll(async () => {
  ({ db, accountId, calls, batches } = await liveAccount(100_000));
});
afterAll(() => db?.drop());

const fingerprint = "of a call";

const reserve = (key: string) =>
  calls.reserve({
    requestId: `svc_${(count += 1)}`,
    accountId,
    mode: "live",
    keyId: "first",
    operation: "shortclip.search",
    minimum: 0,
    most: 1,
    deadline: monotonicNow() + 60_000,
    idempotency: { key, fingerprint },
  });

const create = (idempotencyKey: string | undefined) =>
  batches.create(newBatch({ publicId: `bat_${(count += 1)}`, accountId, idempotencyKey }));

test("a batch without a key is a new one each time", async () => {
  const made = [await create(undefined), await create(undefined)];
  expect(made).toMatchObject([{ id: expect.any(Number) }, { id: expect.any(Number) }]);
});

test("a key belongs to the first batch or call that used it", async () => {
  await create("batch first");
  const found = await create("batch first");
  expect(found).toMatchObject({ publicId: expect.stringMatching(/^bat_/) });
  expect(await reserve("batch first")).toMatchObject({ kind: "taken" });
  const { publicId } = found as { publicId: string };
  expect(await batches.discard({ accountId, mode: "live" }, publicId)).toBe("gone");
  expect(await reserve("batch first")).toMatchObject({ kind: "held" });
  expect(await create("batch first")).toBe("of a call");
});

// A statement that waits for the row of a key sees the rest of the database as of before its wait.
test("a batch that claims a key while a call takes it finds the call", async () => {
  const deadline = Date.now() + 60_000;
  const call = { request_id: "svc_at_once", account_id: accountId, mode: "live", key_id: "first" };
  const most = { operation: "shortclip.search", minimum: 0, most: 1, deadline };
  const named = { ...call, ...most, idempotency_key: "at once", fingerprint };
  const claimed = await db.sql.begin(async (taking) => {
    await taking`
      select * from reserve_calls(${JSON.stringify([named])}::text::jsonb, '60 s', '1 day')`;
    const asking = create("at once").catch((error: unknown) => error);
    await taking`select pg_sleep(0.3)`;
    // Returned in a list, because the transaction would otherwise wait for its own waiter.
    return [asking];
  });
  expect(await claimed[0]).toBe("of a call");
  const [row] = await db.sql`select request_id, state from replays where key = 'at once'`;
  expect(row).toEqual({ request_id: "svc_at_once", state: "running" });
});

/** A batch with one item, still being received. */
async function receivedBatch(keyId = "first"): Promise<{ id: number; publicId: string }> {
  const publicId = `bat_${(count += 1)}`;
  const batch = newBatch({ publicId, accountId, idempotencyKey: undefined });
  const made = await batches.create({ ...batch, keyId });
  if (made === "of a call" || !("id" in made)) throw new Error("The batch has no id.");
  const call = { pool: "social", operation: "shortclip.search", input: "{}" };
  await batches.add(made.id, [
    { ...call, number: 0, custom_id: "a", minimum: 1, most: 1, lasts_ms: 60_000 },
  ]);
  return { id: made.id, publicId };
}

const accept = (id: number) =>
  batches.accept(id, {
    total: 1,
    pools: ["social"],
    maxCredits: undefined,
    fields: undefined,
    fingerprint: undefined,
    bytes: 0,
    keyed: true,
    answer: () => "{}",
  });

/** Accepts a batch with one item, which fails. */
async function failedBatch(items: ItemStore, keyId?: string) {
  const batch = await receivedBatch(keyId);
  await accept(batch.id);
  await failItem(items, batch.id);
  return batch;
}

async function startItem(items: ItemStore, batchId: number): Promise<string> {
  const { items: started } = await items.start(batchId, "social", 1, "this", -1);
  expect(started).toMatchObject([{ kind: "held" }]);
  return started[0]?.requestId as string;
}

const endItem = (items: ItemStore, batchId: number, requestId: string) =>
  items.end({
    batchId,
    number: 0,
    requestId,
    outcome: "fail",
    status: 502,
    errorType: "upstream_error",
    credits: 0,
    records: 0,
    truncated: false,
    durationMs: 1,
    body: Buffer.alloc(0),
    parts: 0,
    kept: 0,
  });

const failItem = async (items: ItemStore, batchId: number) =>
  endItem(items, batchId, await startItem(items, batchId));

const endsOf = async (batch: string) =>
  (
    await db.sql<{ state: string }[]>`
      select body::jsonb #>> '{data,state}' as state from webhook_events
      where type = 'batch.ended' and body::jsonb #>> '{data,batch_id}' = ${batch}
      order by created_at`
  ).map(({ state }) => state);

test("each end of a batch is an event, also when it is retried and then cancelled", async () => {
  const owner = { accountId, mode: "live" } as const;
  await db.sql`
    insert into webhook_endpoints (id, account_id, mode, url, events, secret)
    values ('whe_ends', ${accountId}, 'live', 'https://hooks.example/', '{batch.ended}', '\\x00')`;
  const items = new ItemStore(db);
  const again = await failedBatch(items);
  await batches.retry(owner, again.publicId);
  await failItem(items, again.id);
  expect(await endsOf(again.publicId)).toEqual(["ended", "ended"]);

  const waiting = await failedBatch(items);
  await batches.retry(owner, waiting.publicId);
  for (const _ of [1, 2]) await batches.cancel(owner, waiting.publicId);
  expect(await endsOf(waiting.publicId)).toEqual(["ended", "cancelled"]);

  const running = await failedBatch(items);
  await batches.retry(owner, running.publicId);
  const requestId = await startItem(items, running.id);
  await batches.cancel(owner, running.publicId);
  for (const _ of [1, 2]) await endItem(items, running.id, requestId);
  expect(await endsOf(running.publicId)).toEqual(["ended", "cancelled"]);
});

const reasonOf = (keyId: string) => ({
  errorType: "unauthorized",
  errorMessage: `The key ${keyId} was revoked`,
});

test("a batch that is accepted after its key was revoked starts no item, and names the reason", async () => {
  const owner = { accountId, mode: "live" } as const;
  const items = new ItemStore(db);
  const { id: keyId } = await createKey(db, pepper, owner);
  const { id, publicId } = await receivedBatch(keyId);
  await revokeKey(db, keyId);
  expect(await accept(id)).toBe(true);
  expect((await items.start(id, "social", 1, "this", -1)).items).toEqual([]);
  expect(await batches.get(owner, publicId)).toMatchObject({
    state: "cancelled",
    charged: 0,
    held: 0,
    ...reasonOf(keyId),
  });
});

test("another key of the account retries the batch of a revoked key as its own", async () => {
  const owner = { accountId, mode: "live" } as const;
  const items = new ItemStore(db);
  const { id: keyId } = await createKey(db, pepper, owner);
  const { id, publicId } = await failedBatch(items, keyId);
  await revokeKey(db, keyId);
  expect(await batches.get(owner, publicId)).toMatchObject({ state: "ended", errorType: null });
  expect(await batches.retry(owner, publicId)).toBe("cancelled");
  expect(await batches.retry({ ...owner, keyId }, publicId)).toBe("cancelled");
  const { id: other } = await createKey(db, pepper, owner);
  expect(await batches.retry({ ...owner, keyId: other }, publicId)).toBe(id);
  await startItem(items, id);
  const [hold] = await db.sql`select key_id from holds where state = 'open' and key_id = ${other}`;
  expect(hold).toEqual({ key_id: other });
});

test("a call with a key that is revoked by then reserves nothing", async () => {
  const { id: keyId } = await createKey(db, pepper, { accountId, mode: "live" });
  const call = {
    accountId,
    mode: "live",
    keyId,
    operation: "shortclip.search",
    minimum: 0,
    most: 1,
    deadline: monotonicNow() + 60_000,
  } as const;
  const background = { owner: "this", call: "{}", version: "2026-09-01", mostKept: Infinity };
  expect(await calls.reserve({ ...call, requestId: "svc_before" })).toMatchObject({ kind: "held" });
  await revokeKey(db, keyId);
  const idempotency = { key: "revoked", fingerprint };
  const late = { ...call, idempotency };
  expect(await calls.reserve({ ...late, requestId: "svc_r1" })).toEqual({ kind: "revoked" });
  expect(await calls.accept({ ...late, ...background, requestId: "svc_r2" })).toEqual({
    kind: "revoked",
  });
  expect(await calls.lookUp({ accountId, mode: "live", key: "revoked" })).toBeUndefined();
});

test("a retry of a batch has one effect, and none once it is late", async () => {
  const owner = { accountId, mode: "live" } as const;
  const items = new ItemStore(db);
  const { id, publicId } = await failedBatch(items);
  const retry = (stepId: string, notAfter = monotonicNow() + 60_000) =>
    batches.retry(owner, publicId, { stepId, notAfter });
  const counts = async () => {
    const { queued, failed } = (await batches.get(owner, publicId)) ?? {};
    return { queued, failed };
  };
  expect(await retry("first", monotonicNow() - 1000)).toBe("late");
  expect(await counts()).toEqual({ queued: 0, failed: 1 });
  expect(await retry("first")).toBe(id);
  expect(await counts()).toEqual({ queued: 1, failed: 0 });
  await failItem(items, id);
  for (const notAfter of [monotonicNow() + 60_000, monotonicNow() - 1])
    expect(await retry("first", notAfter)).toBe(id);
  expect(await counts()).toEqual({ queued: 0, failed: 1 });
  expect(await retry("second")).toBe(id);
  expect(await counts()).toEqual({ queued: 1, failed: 0 });
});

/** Makes running crawls of one site by `account`; `room` is how many of its items may start. */
async function newCrawl(account: number, running = 0, obeysRobots = true) {
  const crawls = new CrawlStore(db);
  const template = { operation: "web.fetch", pool: "social", input: {} };
  const item = { ...template, minimum: 1, most: 1, lasts_ms: 60_000 };
  const publicId = `bat_${(count += 1)}`;
  const batch = newBatch({ publicId, accountId: account, idempotencyKey: undefined });
  const made = await batches.create(batch);
  if (made === "of a call" || !("id" in made)) throw new Error("The batch has no id.");
  const { id } = made;
  const url = "https://tea.example/";
  const rules = { start: url, obeysRobots } as CrawlRules;
  const site = { url, site: "tea.example", first: `${url}robots.txt`, limit: 10, atOnce: 8 };
  await crawls.begin(id, { ...site, rules, page: item, file: item });
  await db.sql`update batches set state = 'running', running = ${running}, queued = 1 where id = ${id}`;
  const room = async () => {
    const [row] = await db.sql<{ room: number }[]>`
      select crawl_room(c, clock_timestamp()) as room from crawls c where batch_id = ${id}`;
    return row?.room;
  };
  return { id, room };
}

test("crawls of one site by several accounts have a part of its requests at once each", async () => {
  const many = await newCrawl(accountId, 30);
  expect(await (await newCrawl(accountId, 0)).room()).toBeLessThanOrEqual(0);
  const other = await createAccount(db, "other");
  expect(await (await newCrawl(other, 0)).room()).toBe(4);
  expect(await (await newCrawl(other, 3)).room()).toBe(1);
  expect(await many.room()).toBeLessThanOrEqual(0);
  await db.sql`delete from batches where id in (select batch_id from crawls)`;
});

test("the pause of a site's robots.txt lies between the starts of all its crawls, in turns", async () => {
  const [first, second, fresh] = [
    await newCrawl(accountId),
    await newCrawl(accountId),
    await newCrawl(accountId),
  ];
  const free = await newCrawl(accountId, 0, false);
  const crawls = [first, second, fresh, free];
  const rooms = async () => Promise.all(crawls.map(({ room }) => room()));
  const started = async ({ id }: { id: number }, msAgo: number) => {
    await db.sql`update crawls set delay_ms = 2000, known = 1,
      next_start = clock_timestamp() + (2000 - ${msAgo}) * interval '1 ms' where batch_id = ${id}`;
  };
  await started(second, 100_000);
  await started(first, 0);
  expect(await rooms(), "the pause").toEqual([0, 0, 0, 8]);
  await started(first, 2100);
  expect(await rooms(), "the one that started longest ago").toEqual([0, 1, 1, 8]);
  await started(first, 4000);
  expect(await rooms(), "nobody uses the turn").toEqual([1, 1, 1, 8]);
  await db.sql`delete from batches where id in (select batch_id from crawls)`;
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCredits, createAccount } from "../../db/accounts.ts";
import { CallStore } from "../../db/calls.ts";
import {
  addWebhookEndpoint,
  changeWebhookEndpoint,
  rotateWebhookSecret,
  webhookEndpoints,
  withdrawWebhookEndpoint,
  withdrawWebhookSecret,
} from "../../db/webhook-endpoints.ts";
import type { Owner } from "../../db/owner.ts";
import { pruneWrites } from "../../db/own-writes.ts";
import { emitWebhooks, pruneWebhooks, recordWebhooks, takeWebhooks } from "../../db/webhooks.ts";
import type { DueWebhook, WebhookEvent } from "../../db/webhooks.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";

let db: TestDatabase;
let accounts = 0;
let endpoints = 0;

beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

const bounds = { perLane: 4, atMost: 100, leaseMs: 60_000 };

/** An account of the test's own; deliveries due earlier are moved out of the way. */
async function owner(): Promise<Owner> {
  await db.sql`update webhook_deliveries set state = 'failed' where state in ('pending', 'sending')`;
  return { accountId: await createAccount(db, `told-${++accounts}`), mode: "live" };
}

async function endpoint(of: Owner, events: string[], url: string | null = "https://a.example/") {
  const id = `whe_${++endpoints}`;
  const secret = Buffer.from("sealed");
  await addWebhookEndpoint(db, of, {
    id,
    url: url && `${url}${id}`,
    description: "",
    events,
    secret,
  });
  return id;
}

const ended = (of: Owner, subject: string, more: Partial<WebhookEvent> = {}): WebhookEvent => ({
  ...of,
  type: "job.ended",
  subject,
  data: { request_id: subject, state: "succeeded" },
  ...more,
});

const answer = (due: DueWebhook, more: { delivered?: boolean; gone?: boolean } = {}) => ({
  delivery: due.delivery,
  attempt: due.attempt,
  delivered: false,
  gone: false,
  pause_ms: 0,
  told: { status: 500 },
  ...more,
});

const stateOf = async (id: string) =>
  (await db.sql<{ state: string }[]>`select state from webhook_deliveries where id = ${id}`)[0]
    ?.state;

test("an event goes to every endpoint registered for its type, once however often it is emitted", async () => {
  const of = await owner();
  const [one, two] = [
    await endpoint(of, ["job.ended"]),
    await endpoint(of, ["job.ended", "batch.ended"]),
  ];
  await endpoint(of, ["balance.low"]);
  await endpoint(await owner(), ["job.ended"]);
  await endpoint({ ...of, mode: "test" }, ["job.ended"]);

  const made = await Promise.all([1, 2, 3].map(() => emitWebhooks(db, [ended(of, "svc_1")])));
  expect(made.toSorted((a, b) => a - b)).toEqual([0, 0, 2]);

  const due = await takeWebhooks(db, bounds);
  const rows = await db.sql<{ endpoint_id: string }[]>`
    select endpoint_id from webhook_deliveries where id in ${db.sql(due.map((row) => row.delivery))}`;
  expect(rows.map((row) => row.endpoint_id).toSorted()).toEqual([one, two].toSorted());
  expect(new Set(due.map((row) => row.event)).size).toBe(1);
  expect(JSON.parse(due[0]?.body ?? "")).toEqual({
    type: "job.ended",
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: { request_id: "svc_1", state: "succeeded" },
  });
});

test("an event with its own address goes there as well, if the account has a secret for it", async () => {
  const of = await owner();
  const named = { url: "https://Own.example:8443/hook?x=1" };
  expect(await emitWebhooks(db, [ended(of, "svc_1", named)])).toBe(0);
  await endpoint(of, [], null);
  expect(await emitWebhooks(db, [ended(of, "svc_2", named), ended(of, "svc_3")])).toBe(1);
  expect(await takeWebhooks(db, bounds)).toMatchObject([{ url: named.url, attempt: 1 }]);
  expect(await db.sql`select lane from webhook_deliveries where url = ${named.url}`).toMatchObject([
    { lane: expect.stringMatching(/\/https:\/\/own\.example:8443$/) },
  ]);
});

test("each lane has a maximum of open attempts, one while its endpoint only fails, and no lane waits for another", async () => {
  const of = await owner();
  const busy = await endpoint(of, ["job.ended"]);
  await emitWebhooks(
    db,
    Array.from({ length: 50 }, (_, n) => ended(of, `svc_${n}`)),
  );
  const other = await endpoint(of, ["batch.ended"]);
  await emitWebhooks(db, [ended(of, "batch_1", { type: "batch.ended" })]);

  const [first, again] = [await takeWebhooks(db, bounds), await takeWebhooks(db, bounds)];
  expect(first).toHaveLength(5);
  expect(first.filter((row) => row.url.endsWith(other))).toHaveLength(1);
  expect(again).toEqual([]);

  await recordWebhooks(
    db,
    first.map((row) => answer(row)),
  );
  const next = await takeWebhooks(db, bounds);
  expect(next.filter((row) => row.url.endsWith(busy))).toHaveLength(1);

  await recordWebhooks(
    db,
    next.map((row) => answer(row, { delivered: true })),
  );
  expect(await takeWebhooks(db, bounds)).toHaveLength(4);
});

test("several concurrent processes exceed no bound and take no delivery twice", async () => {
  const of = await owner();
  await endpoint(of, ["job.ended"]);
  await emitWebhooks(
    db,
    Array.from({ length: 30 }, (_, n) => ended(of, `svc_${n}`)),
  );
  const taken = await Promise.all(Array.from({ length: 8 }, () => takeWebhooks(db, bounds)));
  expect(taken.flat()).toHaveLength(4);
});

test("an attempt without a result is repeated; a late result then changes nothing", async () => {
  const of = await owner();
  await endpoint(of, ["job.ended"]);
  await emitWebhooks(db, [ended(of, "svc_1")]);
  const [first] = (await takeWebhooks(db, { ...bounds, leaseMs: 0 })) as [DueWebhook];
  const [second] = (await takeWebhooks(db, bounds)) as [DueWebhook];
  expect(second).toMatchObject({ delivery: first.delivery, attempt: 2, event: first.event });
  await recordWebhooks(db, [answer(first)]);
  expect(await stateOf(first.delivery)).toBe("sending");
  await recordWebhooks(db, [answer(second, { delivered: true })]);
  expect(await stateOf(first.delivery)).toBe("delivered");
});

test("a late result that arrives together with a later attempt's does not hide it", async () => {
  const of = await owner();
  await endpoint(of, ["job.ended"]);
  await emitWebhooks(db, [ended(of, "svc_1"), ended(of, "svc_2")]);
  const earlier = await takeWebhooks(db, { ...bounds, leaseMs: 0 });
  const later = await takeWebhooks(db, bounds);
  expect(later.map(({ attempt }) => attempt)).toEqual([2, 2]);
  const stale = earlier.map((row) => answer(row));
  const told = later.map((row) => answer(row, { delivered: true }));
  // Either order, and twins of both.
  await recordWebhooks(db, [
    stale[0],
    told[0],
    told[1],
    stale[1],
    ...stale,
    ...told,
  ] as typeof told);
  expect(await Promise.all(later.map(({ delivery }) => stateOf(delivery)))).toEqual([
    "delivered",
    "delivered",
  ]);
});

test("attempts end 24 hours after the event, with a last one at that time", async () => {
  const of = await owner();
  await endpoint(of, ["job.ended"]);
  await emitWebhooks(db, [ended(of, "svc_1")]);
  const [first] = (await takeWebhooks(db, bounds)) as [DueWebhook];
  await recordWebhooks(db, [{ ...answer(first), pause_ms: 48 * 3600_000 }]);
  expect(
    await db.sql`select due_at = expires_at as last from webhook_deliveries where id = ${first.delivery}`,
  ).toMatchObject([{ last: true }]);
  await db.sql`update webhook_deliveries set due_at = now(), expires_at = now() where id = ${first.delivery}`;
  const [last] = (await takeWebhooks(db, bounds)) as [DueWebhook];
  await recordWebhooks(db, [answer(last)]);
  expect(await stateOf(first.delivery)).toBe("failed");
});

test("an endpoint that only failed for three days is switched off, and its waiting deliveries end", async () => {
  const of = await owner();
  const id = await endpoint(of, ["job.ended"]);
  await emitWebhooks(db, [ended(of, "svc_1"), ended(of, "svc_2")]);
  const [first] = (await takeWebhooks(db, { ...bounds, perLane: 1 })) as [DueWebhook];
  expect(await recordWebhooks(db, [answer(first)])).toEqual([]);

  await db.sql`update webhook_endpoints set failing_since = now() - interval '71 hours' where id = ${id}`;
  const [second] = (await takeWebhooks(db, bounds)) as [DueWebhook];
  expect(await recordWebhooks(db, [answer(second)])).toEqual([]);

  await db.sql`update webhook_endpoints set failing_since = now() - interval '73 hours' where id = ${id}`;
  const [third] = (await takeWebhooks(db, bounds)) as [DueWebhook];
  expect(await recordWebhooks(db, [answer(third)])).toEqual([id]);
  expect(await webhookEndpoints(db, of, id)).toMatchObject([{ offReason: "failing", pending: 0 }]);
  expect(await emitWebhooks(db, [ended(of, "svc_3")])).toBe(0);

  expect(await changeWebhookEndpoint(db, of, id, { enabled: true })).toBe(true);
  expect(await webhookEndpoints(db, of, id)).toMatchObject([
    { offSince: null, failingSince: null },
  ]);
  expect(await emitWebhooks(db, [ended(of, "svc_3")])).toBe(1);
});

test("one delivery keeps an endpoint on; one answer of 410 switches it off", async () => {
  const of = await owner();
  const id = await endpoint(of, ["job.ended"]);
  await emitWebhooks(db, [ended(of, "svc_1"), ended(of, "svc_2")]);
  const both = await takeWebhooks(db, bounds);
  await db.sql`update webhook_endpoints set failing_since = now() - interval '73 hours' where id = ${id}`;
  const results = both.map((row, n) => answer(row, { delivered: n === 0 }));
  expect(await recordWebhooks(db, results)).toEqual([]);

  const [again] = (await takeWebhooks(db, bounds)) as [DueWebhook];
  expect(await recordWebhooks(db, [answer(again, { gone: true })])).toEqual([id]);
  expect(await webhookEndpoints(db, of, id)).toMatchObject([{ offReason: "gone" }]);
});

test("beyond the limit of waiting events later ones are counted, not kept", async () => {
  const of = await owner();
  const id = await endpoint(of, ["job.ended"]);
  const emit = (subject: string) => {
    const input = JSON.stringify([
      { account_id: of.accountId, mode: of.mode, type: "job.ended", subject, data: {} },
    ]);
    return db.sql`select emit_webhooks(${input}::text::jsonb, 3)`;
  };
  for (let n = 0; n < 5; n += 1) await emit(`svc_${n}`);
  expect(await webhookEndpoints(db, of, id)).toMatchObject([{ pending: 3, dropped: 2 }]);
});

test("a balance that falls below the threshold is reported once each time", async () => {
  const of = await owner();
  const id = await endpoint(of, ["balance.low"]);
  await addCredits(db, of.accountId, "live", 100, "top-up");
  await db.sql`update balances set alert_below = 50 where account_id = ${of.accountId}`;
  const store = new CallStore(db);
  let calls = 0;
  async function spend(credits: number) {
    const requestId = `svc_spent_${of.accountId}_${++calls}`;
    await store.reserve({
      ...of,
      requestId,
      keyId: "key",
      operation: "maps.search",
      minimum: 0,
      most: 100,
      deadline: Date.now() + 60_000,
    });
    const charge = { credits, records: credits, truncated: false, status: 200, durationMs: 1 };
    await store.settle({ requestId, ...charge, notAfter: Date.now() + 60_000 });
  }
  const alerts = async () =>
    (
      await db.sql<{ body: string }[]>`
      select e.body from webhook_deliveries d join webhook_events e on e.id = d.event_id
      where d.endpoint_id = ${id} order by e.created_at`
    ).map((row) => (JSON.parse(row.body) as { data: object }).data);
  await spend(50);
  expect(await alerts()).toEqual([]);
  await spend(1);
  await spend(10);
  expect(await alerts()).toEqual([{ mode: "live", balance: 49, threshold: 50 }]);
  await addCredits(db, of.accountId, "live", 100, "top-up");
  await spend(100);
  expect(await alerts()).toHaveLength(2);
});

test("the log goes back a week; waiting deliveries stay", async () => {
  const of = await owner();
  await endpoint(of, ["job.ended"]);
  await emitWebhooks(db, [ended(of, "svc_1"), ended(of, "svc_2")]);
  const [first] = (await takeWebhooks(db, { ...bounds, perLane: 1 })) as [DueWebhook];
  await recordWebhooks(db, [answer(first, { delivered: true })]);
  const age = (text: string) => db.sql`
    update webhook_events set created_at = now() - ${text}::interval where account_id = ${of.accountId}`;
  await age("6 days 23 hours");
  expect(await pruneWebhooks(db)).toBe(0);
  await age("7 days 1 minute");
  expect(await pruneWebhooks(db)).toBe(1);
  expect(await stateOf(first.delivery)).toBeUndefined();
});

test("accounts take turns, the one with the fewest in flight first, each within a quarter of all", async () => {
  const many = await owner();
  await endpoint(many, ["job.ended"]);
  await emitWebhooks(
    db,
    Array.from({ length: 40 }, (_, n) => ended(many, `svc_${n}`)),
  );
  await db.sql`update webhook_deliveries set lane = endpoint_id || '/' || id
    where account_id = ${many.accountId}`;
  const few = { ...many, accountId: await createAccount(db, `told-${++accounts}`) };
  await endpoint(few, ["job.ended"]);
  await emitWebhooks(
    db,
    Array.from({ length: 2 }, (_, n) => ended(few, `svc_${n}`)),
  );
  const accountsOf = async (atMost: number) =>
    (await takeWebhooks(db, { ...bounds, atMost }))
      .map(({ account }) => Number(account))
      .toSorted((a, b) => a - b);
  const [m, f] = [many.accountId, few.accountId];
  // The deliveries of `few` are due later than all of `many`.
  expect(await accountsOf(8)).toEqual([m, m, f, f]);
  expect(await accountsOf(20)).toEqual([m, m, m]);
});

test("a secret is replaced once, not when it is late, and can be withdrawn", async () => {
  const of = await owner();
  const id = await endpoint(of, ["job.ended"]);
  const secrets = async () => {
    const [row] = await db.sql<{ secret: Buffer; former: Buffer | null }[]>`
      select secret, former_secret as former from webhook_endpoints where id = ${id}`;
    return [row?.secret.toString(), row?.former?.toString()];
  };
  const next = { id, secret: Buffer.from("next") };
  const late = { ...next, notAfter: Date.now() - 1000 };
  expect(await rotateWebhookSecret(db, of, late, 1000)).toBe(false);
  expect(await withdrawWebhookSecret(db, of, next)).toBe(false);
  expect(await secrets()).toEqual(["sealed", undefined]);
  for (const sent of [next, next, late])
    expect(await rotateWebhookSecret(db, of, sent, 1000)).toBe(true);
  expect(await secrets()).toEqual(["next", "sealed"]);
  expect(await withdrawWebhookSecret(db, of, next)).toBe(true);
  expect(await withdrawWebhookSecret(db, of, next)).toBe(false);
  expect(await secrets()).toEqual(["sealed", undefined]);
});

test("a write that is withdrawn frees its key, unless a repeated request was answered from it", async () => {
  const of = await owner();
  const id = await endpoint(of, ["job.ended"]);
  const write = (requestId: string) => ({ key: "rotate", fingerprint: "f", requestId });
  const rotate = (name: string, more: object = {}) =>
    rotateWebhookSecret(db, of, { id, secret: Buffer.from(name), ...more }, 1000, write(name));
  const withdraw = (name: string) =>
    withdrawWebhookSecret(db, of, { id, secret: Buffer.from(name) }, write(name));
  await expect(rotate("one", { notAfter: Date.now() - 1000 })).rejects.toThrow("too late");
  expect(await rotate("one")).toBe(true);
  expect(await rotate("one")).toBe(true);
  expect(await withdraw("one")).toBe(true);
  expect(await rotate("two")).toBe(true);
  expect(await rotate("three")).toMatchObject({ requestId: "two", secret: Buffer.from("two") });
  // The withdrawal of the third has nothing to undo, and that of the second comes too late.
  expect(await withdraw("three")).toBe(false);
  expect(await withdraw("two")).toBe(true);
  expect(await rotate("four")).toMatchObject({ requestId: "two" });
  await db.sql`update own_writes set created_at = now() - interval '25 hours'`;
  expect(await rotate("five")).toBe(true);
  await db.sql`update own_writes set created_at = now() - interval '25 hours'`;
  await pruneWrites(db);
  expect(await db.sql`select 1 from own_writes`).toHaveLength(0);

  const made = { id: "whe_made", url: null, description: "", events: [], secret: Buffer.from("s") };
  const first = { key: "make", fingerprint: "f", requestId: "a" };
  expect(await addWebhookEndpoint(db, of, made, first)).toBeUndefined();
  expect(await withdrawWebhookEndpoint(db, of, made.id, first)).toBe(true);
  expect(await webhookEndpoints(db, of, made.id)).toHaveLength(0);
  expect(await addWebhookEndpoint(db, of, made, first)).toBeUndefined();
  const second = { ...first, requestId: "b" };
  expect(await addWebhookEndpoint(db, of, { ...made, id: "whe_other" }, second)).toMatchObject({
    subject: "whe_made",
  });
  expect(await withdrawWebhookEndpoint(db, of, made.id, first)).toBe(true);
  expect(await webhookEndpoints(db, of, made.id)).toHaveLength(1);
});

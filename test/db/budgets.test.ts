import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { webhookPayloads } from "../../contract/webhook-payloads.ts";
import { addCredits, createAccount } from "../../db/accounts.ts";
import { audit } from "../../db/audit.ts";
import { budgetStore, budgetChanges, budgetsOf, leftOf, setBudget } from "../../db/budgets.ts";
import { CallStore } from "../../db/calls.ts";
import type { Reservation } from "../../db/call-types.ts";
import { createKey, rotateKey } from "../../db/keys.ts";
import type { Period } from "../../db/schema.ts";
import { type TestDatabase, testDatabase } from "../database.ts";

let db: TestDatabase;
/** Two processes that share only the database. */
let stores: [CallStore, CallStore];
let count = 0;

beforeAll(async () => {
  db = await testDatabase();
  stores = [new CallStore(db), new CallStore(db)];
});
afterEach(async () => expect(await audit(db)).toEqual([]));
afterAll(() => db?.drop());

const who = "the test";
const pepper = "a pepper for the keys of these tests";

async function account(credits = 100_000): Promise<number> {
  const id = await createAccount(db, `account ${(count += 1)}`);
  await addCredits(db, id, "live", credits, "top-up");
  return id;
}

const call = (accountId: number, more: Partial<Reservation> = {}): Reservation => ({
  requestId: `svc_${(count += 1)}`,
  accountId,
  mode: "live",
  keyId: "first",
  operation: "shortclip.search",
  minimum: 0,
  most: 10,
  deadline: Date.now() + 60_000,
  ...more,
});

const settle = (store: CallStore, requestId: string, credits: number) =>
  store.settle({
    requestId,
    credits,
    records: credits,
    truncated: false,
    status: 200,
    durationMs: 1,
  });
const release = (store: CallStore, requestId: string) =>
  store.release({ requestId, status: 503, errorType: "upstream_unavailable", durationMs: 1 });

const set = (
  accountId: number,
  credits: number | undefined,
  more: { period?: Period; keyId?: string } = {},
) => setBudget(db, { accountId, mode: "live", period: "day", who, credits, ...more });

const spent = async (accountId: number, keyId?: string) => {
  const [row] = await db.sql<{ credits: number }[]>`
    select coalesce(sum(credits), 0)::int as credits from usage
    where account_id = ${accountId} and (${keyId ?? null}::text is null or key_id = ${keyId ?? null})`;
  return row?.credits;
};

test("a call gets the rest of its budgets, of the account and of its key, and returned credits are available again", async () => {
  const [store] = stores;
  const id = await account();
  await set(id, 15);
  await set(id, 12, { keyId: "first", period: "month" });
  const first = call(id);
  expect(await store.reserve(first)).toMatchObject({ kind: "held", amount: 10 });
  const second = call(id);
  expect(await store.reserve(second)).toMatchObject({ kind: "held", amount: 2 });
  expect(await store.reserve(call(id))).toMatchObject({ kind: "insufficient", balance: 99_988 });
  // The other key is bound by the account's budget alone.
  const other = call(id, { keyId: "second" });
  expect(await store.reserve(other)).toMatchObject({ kind: "held", amount: 3 });
  expect(await store.reserve(call(id, { keyId: "second" }))).toMatchObject({
    kind: "insufficient",
  });
  await settle(store, first.requestId, 4);
  await release(store, second.requestId);
  await settle(store, other.requestId, 3);
  const { budgets } = await budgetStore(db).standing({
    accountId: id,
    mode: "live",
    keyId: "first",
  });
  expect(budgets.map((one) => [one.keyId, one.charged, one.held, leftOf(one)])).toEqual([
    [undefined, 7, 0, 8],
    ["first", 4, 0, 8],
  ]);
  // A least price is reserved in full or not at all.
  expect(await store.reserve(call(id, { minimum: 9 }))).toMatchObject({ kind: "insufficient" });
  expect(await store.reserve(call(id, { minimum: 8 }))).toMatchObject({ kind: "held", amount: 8 });
});

test("1,000 concurrent calls through two processes never exceed a budget by one credit, and use it up", async () => {
  const id = await account();
  await set(id, 700);
  await set(id, 300, { keyId: "first", period: "week" });
  const calls = Array.from({ length: 1000 }, (_, index) =>
    call(id, { keyId: index % 2 === 0 ? "first" : "second", most: 1 + (index % 7) }),
  );
  await Promise.all(
    calls.map(async (one, index) => {
      const store = stores[index % 3 === 0 ? 0 : 1];
      const reserved = await store.reserve(one);
      if (reserved.kind !== "held") return;
      // A third fails, the others cost less than their maximum or all of it.
      if (index % 3 === 1) await release(store, one.requestId);
      else await settle(store, one.requestId, index % 2 === 0 ? reserved.amount : 1);
    }),
  );
  expect(await spent(id)).toBeLessThanOrEqual(700);
  expect(await spent(id, "first")).toBeLessThanOrEqual(300);
  // The rest can be spent to the last credit.
  for (const keyId of ["first", "second"]) {
    for (;;) {
      const one = call(id, { keyId, most: 40 });
      const reserved = await stores[0].reserve(one);
      if (reserved.kind !== "held") break;
      await settle(stores[1], one.requestId, reserved.amount);
    }
  }
  expect(await spent(id)).toBe(700);
  expect(await spent(id, "first")).toBeLessThanOrEqual(300);
});

test("earlier spending and holds count against a new budget, and so does a hold that nothing settles", async () => {
  const [store] = stores;
  const id = await account();
  const [settled, open, lost] = [
    call(id),
    call(id),
    call(id, { deadline: Date.now() - 3_600_000 }),
  ];
  for (const one of [settled, open, lost]) await store.reserve(one);
  await settle(store, settled.requestId, 6);
  await set(id, 30);
  const [before] = await budgetsOf(db, id);
  expect(before).toMatchObject({ charged: 6, held: 20, credits: 30 });
  expect(await store.reserve(call(id))).toMatchObject({ kind: "held", amount: 4 });
  await db.sql`select void_expired(interval '0', 10)`;
  await settle(store, open.requestId, 10);
  expect((await budgetsOf(db, id))[0]).toMatchObject({ charged: 16, held: 4 });
});

test.each(["day", "week", "month"] as const)(
  "an expired %s releases all but the open holds",
  async (period) => {
    const [store] = stores;
    const id = await account();
    await set(id, 20, { period });
    const [first, second] = [call(id), call(id)];
    for (const one of [first, second]) await store.reserve(one);
    await settle(store, first.requestId, 10);
    await db.sql`update budgets set began = budget_began(${period}, began - interval '1 hour')
    where account_id = ${id}`;
    const [over] = await budgetsOf(db, id);
    expect(over).toMatchObject({ charged: 0, held: 10 });
    expect(over?.renewsInMs).toBeGreaterThan(0);
    expect(over?.renewsInMs).toBeLessThanOrEqual(31 * 24 * 3_600_000);
    expect(await store.reserve(call(id, { most: 20 }))).toMatchObject({ kind: "held", amount: 10 });
    await settle(store, second.requestId, 10);
    expect((await budgetsOf(db, id))[0]).toMatchObject({ charged: 10, held: 10 });
    await db.sql`delete from budgets where account_id = ${id}`;
  },
);

test("a budget that is lowered, raised and removed; each change has a row with its author", async () => {
  const [store] = stores;
  const id = await account();
  await set(id, 10);
  const one = call(id);
  await store.reserve(one);
  await set(id, 5);
  expect(await store.reserve(call(id))).toMatchObject({ kind: "insufficient" });
  await set(id, 12);
  expect(await store.reserve(call(id))).toMatchObject({ kind: "held", amount: 2 });
  await set(id, undefined);
  expect(await store.reserve(call(id))).toMatchObject({ kind: "held", amount: 10 });
  await settle(store, one.requestId, 10);
  const changes = await budgetChanges(db, id);
  expect(changes.map(({ credits }) => credits)).toEqual([null, 12, 5, 10]);
  expect(changes[0]).toMatchObject({ who, mode: "live", period: "day", keyId: undefined });
  await expect(db.sql`delete from budget_changes`).rejects.toThrow("append-only");
});

test("keys that replace each other share one budget, also while two of them work", async () => {
  const [store] = stores;
  const id = await account();
  const { id: old } = await createKey(db, pepper, { accountId: id, mode: "live" });
  await set(id, 10, { keyId: old });
  const [one, open] = [call(id, { keyId: old }), call(id, { keyId: old, most: 1 })];
  await store.reserve(one);
  await settle(store, one.requestId, 6);
  await store.reserve(open);
  const { id: next } = await rotateKey(db, pepper, old);
  const after = call(id, { keyId: next });
  expect(await store.reserve(after)).toMatchObject({ kind: "held", amount: 3 });
  expect(await store.reserve(call(id, { keyId: old }))).toMatchObject({ kind: "insufficient" });
  await settle(store, open.requestId, 1);
  await settle(store, after.requestId, 3);
  expect(await budgetsOf(db, id)).toMatchObject([{ keyId: next, charged: 10, held: 0 }]);

  await set(id, 12, { keyId: old });
  await set(id, 20, { keyId: old, period: "week" });
  for (const keyId of [old, next]) {
    const { budgets } = await budgetStore(db).standing({ accountId: id, mode: "live", keyId });
    expect(budgets.map((one) => [one.keyId, one.period, leftOf(one)])).toEqual(
      expect.arrayContaining([
        [next, "day", 2],
        [next, "week", 10],
      ]),
    );
  }
  const { id: last } = await rotateKey(db, pepper, next, { overlapMs: 0 });
  expect(await store.reserve(call(id, { keyId: last }))).toMatchObject({ kind: "held", amount: 2 });
  expect(await budgetsOf(db, id)).toHaveLength(2);
});

test("a share of a budget is reported once a period, to its subscribers", async () => {
  const [store] = stores;
  const id = await account();
  await db.sql`
    insert into webhook_endpoints (id, account_id, mode, url, events, secret)
    values (${`whe_${id}`}, ${id}, 'live', 'https://example.com/', '{budget.threshold}', '\\x00')`;
  const events = async () => {
    const rows = await db.sql<{ body: string }[]>`
      select e.body from webhook_events e join webhook_deliveries d on d.event_id = e.id
      where e.account_id = ${id} and e.type = 'budget.threshold' order by e.created_at`;
    return rows.map(({ body }) => JSON.parse(body) as unknown);
  };
  await set(id, 20);
  const spend = async (credits: number) => {
    const one = call(id);
    await store.reserve(one);
    await settle(store, one.requestId, credits);
  };
  await spend(10);
  expect(await events()).toEqual([]);
  await spend(7);
  const [payload] = webhookPayloads.filter(({ type }) => type === "budget.threshold");
  const alerts = await events();
  expect(alerts).toHaveLength(1);
  expect(payload?.schema.parse(alerts[0])).toMatchObject({
    data: { of: "account", period: "day", credits: 20, charged: 17, alert_percent: 80 },
  });
  await spend(1);
  expect(await events()).toHaveLength(1);
  // In the next period again.
  await db.sql`update budgets set began = began - interval '1 day', told = told - interval '1 day'
    where account_id = ${id}`;
  await spend(10);
  expect(await events()).toHaveLength(1);
  await spend(8);
  expect(await events()).toHaveLength(2);
  // Its calendar differs from the usage's from here on.
  await set(id, undefined);
});

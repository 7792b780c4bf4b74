import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addCredits, createAccount } from "../../db/accounts.ts";
import { audit } from "../../db/audit.ts";
import { CallStore } from "../../db/calls.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { type TestDatabase, testDatabase } from "../database.ts";

/** A lock on one account's balance, such as an operator's transaction that stays open. */

let db: TestDatabase;
let store: CallStore;
let count = 0;

beforeAll(async () => {
  db = await testDatabase();
  store = new CallStore(db);
});
afterAll(async () => {
  expect(await audit(db)).toEqual([]);
  await db.drop();
});

async function accountWith(credits: number): Promise<number> {
  const id = await createAccount(db, `account ${(count += 1)}`);
  await addCredits(db, id, "live", credits, "top-up");
  return id;
}

/** Reserves a call, and settles or releases it. */
async function call(accountId: number): Promise<void> {
  const requestId = `svc_${(count += 1)}`;
  const isSettled = count % 2 === 0;
  await store.reserve({
    requestId,
    accountId,
    mode: "live",
    keyId: "key",
    operation: "shortclip.search",
    minimum: 0,
    most: 1,
    deadline: monotonicNow() + 60_000,
  });
  if (isSettled)
    await store.settle({
      requestId,
      accountId,
      credits: 1,
      records: 1,
      truncated: false,
      status: 200,
      durationMs: 1,
    });
  else
    await store.release({
      requestId,
      accountId,
      status: 503,
      errorType: "upstream_unavailable",
      durationMs: 1,
    });
}

/** Locks the balance of an account until the returned function is called. */
async function lock(accountId: number): Promise<() => Promise<void>> {
  const session = await db.sql.reserve();
  await session`begin`;
  await session`select 1 from balances where account_id = ${accountId} for update`;
  return async () => {
    await session`rollback`;
    session.release();
  };
}

test("while one account's balance is locked, calls of other accounts are answered at once", async () => {
  const [locked, ...others] = await Promise.all([1, 2, 3, 4].map(() => accountWith(10_000)));
  const unlock = await lock(locked as number);
  const end = performance.now() + 2500;
  const times: number[] = [];
  const busy = others.map(async (id) => {
    while (performance.now() < end) {
      const from = performance.now();
      await call(id);
      times.push(performance.now() - from);
      await sleep(5);
    }
  });
  const waiting = (async () => {
    const answers: string[] = [];
    while (performance.now() < end) {
      const calls = [1, 2, 3].map(() => call(locked as number));
      for (const result of await Promise.allSettled(calls)) answers.push(result.status);
    }
    return answers;
  })();
  await Promise.all(busy);
  const sorted = times.toSorted((a, b) => a - b);
  console.log(
    `beside a locked balance: ${times.length} calls, p50 ${sorted[sorted.length >> 1]?.toFixed()} ms, slowest ${sorted.at(-1)?.toFixed()} ms`,
  );
  expect(sorted[sorted.length >> 1]).toBeLessThan(200);
  expect(sorted.at(-1)).toBeLessThan(1500);
  expect(new Set(await waiting)).toEqual(new Set(["rejected"]));
  await unlock();
  await call(locked as number);
});

test("calls of an account whose balance is locked for a moment wait for it", async () => {
  const id = await accountWith(10);
  const unlock = await lock(id);
  const calls = [1, 2, 3].map(() => call(id));
  await sleep(600);
  await unlock();
  await Promise.all(calls);
});

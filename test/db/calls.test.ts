import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { account, addCredits, createAccount } from "../../db/accounts.ts";
import { audit } from "../../db/audit.ts";
import { CallStore } from "../../db/calls.ts";
import type { Reservation, Settlement } from "../../db/call-types.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";

let db: TestDatabase;
let store: CallStore;
/** A second process that shares only the database with the first. */
let elsewhere: CallStore;
let count = 0;

beforeAll(async () => {
  db = await testDatabase();
  store = new CallStore(db);
  elsewhere = new CallStore(db);
});
afterAll(async () => {
  expect(await audit(db)).toEqual([]);
  await db.drop();
});

async function accountWith(credits: number): Promise<number> {
  const id = await createAccount(db, `account ${(count += 1)}`);
  if (credits > 0) await addCredits(db, id, "live", credits, "top-up");
  return id;
}

const call = (accountId: number, more: Partial<Reservation> = {}): Reservation => ({
  requestId: `svc_${(count += 1)}`,
  accountId,
  mode: "live",
  keyId: "key",
  operation: "shortclip.search",
  minimum: 0,
  most: 20,
  deadline: Date.now() + 60_000,
  ...more,
});

const answer = (
  requestId: string,
  credits: number,
  more: Partial<Settlement> = {},
): Settlement => ({
  requestId,
  credits,
  records: credits,
  truncated: false,
  status: 200,
  durationMs: 12.3,
  stored: { contentType: "application/json", body: Buffer.from(`{"of":"${requestId}"}`) },
  ...more,
});

const failure = (requestId: string) => ({
  requestId,
  status: 503,
  errorType: "upstream_unavailable",
  durationMs: 5,
});

const keyed = (key: string, fingerprint = "first"): Partial<Reservation> => ({
  idempotency: { key, fingerprint },
});

async function balanceOf(id: number) {
  const found = (await account(db, id))?.balances.live;
  if (!found) throw new Error(`account ${id} is gone`);
  const { balance, held, available } = found;
  return { balance, held, available };
}

describe("reserve", () => {
  test("sets aside the most that the balance covers", async () => {
    const id = await accountWith(25);
    expect(await store.reserve(call(id))).toEqual({ kind: "held", amount: 20, balance: 5 });
    expect(await store.reserve(call(id))).toEqual({ kind: "held", amount: 5, balance: 0 });
    expect(await store.reserve(call(id))).toEqual({ kind: "insufficient", balance: 0 });
    expect(await balanceOf(id)).toEqual({ balance: 25, held: 25, available: 0 });
  });

  test("requires the minimum, and one credit where there is none", async () => {
    const id = await accountWith(9);
    const reserved = await store.reserve(call(id, { minimum: 10, most: 10 }));
    expect(reserved).toEqual({ kind: "insufficient", balance: 9 });
    const empty = await accountWith(0);
    expect(await store.reserve(call(empty))).toEqual({ kind: "insufficient", balance: 0 });
  });

  test("keeps live and test credits apart", async () => {
    const id = await accountWith(1);
    expect(await store.reserve(call(id, { mode: "test" }))).toMatchObject({ balance: 999_980 });
    expect(await balanceOf(id)).toEqual({ balance: 1, held: 0, available: 1 });
  });

  test("repeated for the same request has no further effect", async () => {
    const id = await accountWith(50);
    const same = call(id, keyed("repeated"));
    const first = await store.reserve(same);
    expect(await elsewhere.reserve(same)).toEqual(first);
    expect(await balanceOf(id)).toMatchObject({ held: 20 });
  });

  test("a refusal leaves the key free", async () => {
    const id = await accountWith(0);
    expect(await store.reserve(call(id, keyed("poor")))).toMatchObject({ kind: "insufficient" });
    await addCredits(db, id, "live", 5, "top-up");
    expect(await store.reserve(call(id, keyed("poor")))).toMatchObject({ kind: "held", amount: 5 });
  });

  test("one bad call does not fail the calls it shares a statement with", async () => {
    const id = await accountWith(100);
    const calls = Array.from({ length: 10 }, (_, n) => call(n === 6 ? 0 : id, { most: 1 }));
    const results = await Promise.allSettled(calls.map((one) => store.reserve(one)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(9);
    expect(results[6]).toMatchObject({
      status: "rejected",
      reason: { message: /no live balance/ },
    });
    expect(await balanceOf(id)).toMatchObject({ held: 9 });
  });
});

describe("settle", () => {
  test("charges the delivered records, releases the rest, once", async () => {
    const id = await accountWith(50);
    const one = call(id);
    await store.reserve(one);
    const charge = { credits: 3, records: 3, balance: 47, truncated: false };
    expect(await store.settle(answer(one.requestId, 3))).toEqual({ kind: "settled", ...charge });
    await addCredits(db, id, "live", 100, "later");
    const again = answer(one.requestId, 9, { truncated: true });
    expect(await store.settle(again)).toEqual({ kind: "already", ...charge });
    expect(await elsewhere.settle(again)).toEqual({ kind: "already", ...charge });
    expect(await balanceOf(id)).toEqual({ balance: 147, held: 0, available: 147 });
  });

  test("never charges more than the hold", async () => {
    const id = await accountWith(7);
    const one = call(id);
    await store.reserve(one);
    expect(await store.settle(answer(one.requestId, 20))).toMatchObject({ credits: 7, balance: 0 });
  });

  test("called 20 times concurrently by two processes settles once, all with the same numbers", async () => {
    const id = await accountWith(30);
    const [one, other] = [call(id, { most: 10 }), call(id, { most: 10 })];
    await Promise.all([store.reserve(one), store.reserve(other)]);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? store : elsewhere).settle(answer((n % 4 < 2 ? one : other).requestId, 4)),
      ),
    );
    expect(results.filter(({ kind }) => kind === "settled")).toHaveLength(2);
    expect(results.filter(({ kind }) => kind === "already")).toHaveLength(18);
    const balances = results.map((result) => (result.kind === "expired" ? -1 : result.balance));
    expect(new Set(balances).size).toBe(2);
    expect(await balanceOf(id)).toEqual({ balance: 22, held: 0, available: 22 });
  });

  test("one bad call does not fail the calls it shares a statement with", async () => {
    const id = await accountWith(100);
    const calls = Array.from({ length: 10 }, () => call(id, { most: 2 }));
    await Promise.all(calls.map((one) => store.reserve(one)));
    const results = await Promise.allSettled(
      calls.map(({ requestId }, n) => store.settle(answer(requestId, n === 4 ? -1 : 2))),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(9);
    expect(results[4]).toMatchObject({ status: "rejected" });
    expect(await balanceOf(id)).toEqual({ balance: 82, held: 2, available: 80 });
  });

  test("an expired or void hold cannot be settled", async () => {
    const id = await accountWith(50);
    const [late, void_, inTime] = [
      call(id, { deadline: Date.now() - 60_500, ...keyed("late") }),
      call(id),
      call(id, { deadline: Date.now() - 50_000, most: 1 }),
    ];
    await Promise.all([late, void_, inTime].map((one) => store.reserve(one)));
    await store.release(failure(void_.requestId));
    expect(await store.settle(answer(late.requestId, 1))).toEqual({ kind: "expired" });
    expect(await store.settle(answer(void_.requestId, 1))).toEqual({ kind: "expired" });
    expect(await store.settle(answer("svc_unknown", 1))).toEqual({ kind: "expired" });
    expect(await store.settle(answer(inTime.requestId, 1))).toMatchObject({ kind: "settled" });
    // The key of the expired call is free before any sweep, and its credits come back with it.
    expect(await store.lookUp({ accountId: id, mode: "live", key: "late" })).toBeUndefined();
    const anew = call(id, keyed("late", "other"));
    expect(await store.reserve(anew)).toEqual({ kind: "held", amount: 20, balance: 29 });
    expect(await store.settle(answer(late.requestId, 1))).toEqual({ kind: "expired" });
    expect(await store.settle(answer(anew.requestId, 2))).toMatchObject({
      credits: 2,
      balance: 47,
    });
  });
});

describe("release", () => {
  test("gives the hold back and frees the key", async () => {
    const id = await accountWith(10);
    const one = call(id, keyed("released"));
    await store.reserve(one);
    expect(await store.release(failure(one.requestId))).toBe(true);
    expect(await store.release(failure(one.requestId))).toBe(false);
    expect(await balanceOf(id)).toEqual({ balance: 10, held: 0, available: 10 });
    expect(await store.lookUp({ accountId: id, mode: "live", key: "released" })).toBeUndefined();
    expect(await store.reserve(call(id, keyed("released", "other")))).toMatchObject({
      kind: "held",
    });
  });

  test("leaves a call that another request has joined", async () => {
    const id = await accountWith(10);
    const unlessJoined = true;
    const alone = call(id, keyed("alone"));
    await store.reserve(alone);
    expect(await store.release({ ...failure(alone.requestId), unlessJoined })).toBe(true);
    expect(await store.join({ requestId: alone.requestId, accountId: id })).toBe(false);
    const shared = call(id, keyed("shared"));
    await store.reserve(shared);
    for (const _ of [1, 2])
      expect(await elsewhere.join({ requestId: shared.requestId, accountId: id })).toBe(true);
    expect(await store.release({ ...failure(shared.requestId), unlessJoined })).toBe(false);
    expect((await balanceOf(id)).held).toBe(10);
    expect(await store.release(failure(shared.requestId))).toBe(true);
    // The next call with the key is not joined yet.
    const next = call(id, keyed("shared"));
    await store.reserve(next);
    expect(await store.release({ ...failure(next.requestId), unlessJoined })).toBe(true);
  });

  test("does nothing to a settled call", async () => {
    const id = await accountWith(10);
    const one = call(id, keyed("kept"));
    await store.reserve(one);
    await store.settle(answer(one.requestId, 4));
    expect(await store.release(failure(one.requestId))).toBe(false);
    expect(await balanceOf(id)).toEqual({ balance: 6, held: 0, available: 6 });
    expect(await store.lookUp({ accountId: id, mode: "live", key: "kept" })).toMatchObject({
      state: "final",
    });
  });
});

describe("Idempotency-Key", () => {
  test("case 3: of 50 concurrent retries one reserves, the others find it running", async () => {
    const id = await accountWith(1000);
    const retries = Array.from({ length: 50 }, () => call(id, keyed("twins")));
    const results = await Promise.all(
      retries.map((retry, n) => (n % 2 ? store : elsewhere).reserve(retry)),
    );
    const owners = retries.filter((_, n) => results[n]?.kind === "held");
    expect(owners).toHaveLength(1);
    const owner = owners[0] as Reservation;
    for (const result of results)
      if (result.kind !== "held")
        expect(result).toEqual({
          kind: "taken",
          state: "running",
          requestId: owner.requestId,
          operation: "shortclip.search",
          fingerprint: "first",
          deadline: owner.deadline,
          held: 20,
          maxRecords: 20,
        });
    expect(await balanceOf(id)).toMatchObject({ held: 20 });
  });

  test("cases 1 and 5: the answer is kept byte for byte, with its balance of that time; so is a 404", async () => {
    const id = await accountWith(30);
    const one = call(id, keyed("kept bytes"));
    await store.reserve(one);
    const bytes = Buffer.from([0, 255, 34, 92, 10, 0xc3, 0xa9]);
    const stored = { contentType: "image/x", body: bytes };
    await store.settle(answer(one.requestId, 5, { truncated: true, stored }));
    await addCredits(db, id, "live", 7, "later");
    const scope = { accountId: id, mode: "live" as const, key: "kept bytes" };
    const replay = {
      state: "final",
      requestId: one.requestId,
      operation: "shortclip.search",
      fingerprint: "first",
      status: 200,
      contentType: "image/x",
      body: bytes,
      billing: { credits: 5, records: 5, balance: 25, truncated: true },
    };
    expect(await elsewhere.lookUp(scope)).toEqual(replay);
    expect(await store.reserve(call(id, keyed("kept bytes", "other")))).toEqual({
      kind: "taken",
      ...replay,
    });
    const missing = call(id, keyed("missing"));
    await store.reserve(missing);
    expect(await store.settle(answer(missing.requestId, 0, { status: 404 }))).toEqual({
      kind: "settled",
      credits: 0,
      records: 0,
      balance: 32,
      truncated: false,
    });
    expect(await store.lookUp({ ...scope, key: "missing" })).toMatchObject({
      state: "final",
      status: 404,
    });
  });

  test("belongs to one account and mode", async () => {
    const [a, b] = [await accountWith(10), await accountWith(10)];
    const results = await Promise.all([
      store.reserve(call(a, keyed("scoped"))),
      store.reserve(call(b, keyed("scoped"))),
      store.reserve(call(a, { ...keyed("scoped"), mode: "test" })),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(["held", "held", "held"]);
  });

  test("a concurrent retry whose owner holds the whole balance is accepted, not refused", async () => {
    const id = await accountWith(1);
    await store.reserve(call(id, keyed("last credit")));
    expect(await store.reserve(call(id, keyed("last credit")))).toMatchObject({ kind: "taken" });
  });

  test("case 6: 23 h 59 min replays, 24 h + 1 s runs anew", async () => {
    const id = await accountWith(30);
    const scope = { accountId: id, mode: "live" as const, key: "window" };
    const one = call(id, keyed("window"));
    await store.reserve(one);
    await store.settle(answer(one.requestId, 1));
    const age = (interval: string) =>
      db.sql`update replays set created_at = now() - ${interval}::text::interval
        where account_id = ${id} and key = 'window'`;
    await age("23 hours 59 minutes");
    expect(await store.lookUp(scope)).toMatchObject({ state: "final", requestId: one.requestId });
    expect(await store.reserve(call(id, keyed("window")))).toMatchObject({ kind: "taken" });
    await age("24 hours 1 second");
    expect(await store.lookUp(scope)).toBeUndefined();
    const anew = Array.from({ length: 5 }, () => call(id, keyed("window", "other")));
    const results = await Promise.all(anew.map((retry) => store.reserve(retry)));
    expect(results.map(({ kind }) => kind).toSorted()).toEqual([
      "held",
      ...Array.from({ length: 4 }, () => "taken"),
    ]);
    expect(await store.lookUp(scope)).toMatchObject({ state: "running", fingerprint: "other" });
    expect(await store.settle(answer(one.requestId, 1))).toMatchObject({ kind: "already" });
  });

  test("a body over 64 KiB is stored apart and must be there first", async () => {
    const id = await accountWith(30);
    const one = call(id, keyed("large"));
    const body = Buffer.alloc(3 * 1024 * 1024, "large body ");
    await store.reserve(one);
    const stored = { contentType: "application/json", body };
    await expect(store.settle(answer(one.requestId, 1, { stored }))).rejects.toThrow(RangeError);
    const apart = answer(one.requestId, 1, { stored: { ...stored, body: "apart" } });
    await expect(store.settle(apart)).rejects.toThrow(/before the settle/);
    await store.storeBody(one.requestId, body);
    await store.storeBody(one.requestId, body);
    expect(await store.settle(apart)).toMatchObject({ kind: "settled" });
    expect(await store.settle(apart)).toMatchObject({ kind: "already" });
    const replay = await store.lookUp({ accountId: id, mode: "live", key: "large" });
    expect(replay?.state === "final" && body.equals(replay.body)).toBe(true);
  });
});

test("case 7: 200 concurrent calls, of mixed cost, on a balance of 50", async () => {
  const id = await accountWith(50);
  let charged = 0;
  let refused = 0;
  await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const from = n % 2 ? store : elsewhere;
      const one = call(id, { most: 1 + (n % 5), minimum: n % 7 === 0 ? 3 : 0 });
      const reserved = await from.reserve(one);
      if (reserved.kind !== "held") {
        expect(reserved.kind).toBe("insufficient");
        refused += 1;
        return;
      }
      const settled = await from.settle(answer(one.requestId, reserved.amount));
      if (settled.kind !== "settled") throw new Error(settled.kind);
      charged += settled.credits;
    }),
  );
  const left = (await balanceOf(id))?.balance ?? Number.NaN;
  expect(charged + left).toBe(50);
  expect(left).toBeGreaterThanOrEqual(0);
  expect(left).toBeLessThan(3);
  expect(refused).toBeGreaterThan(100);
});

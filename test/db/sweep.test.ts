import { afterAll, beforeAll, expect, test } from "vitest";
import { account, addCredits, createAccount } from "../../db/accounts.ts";
import { audit } from "../../db/audit.ts";
import { CallStore } from "../../db/calls.ts";
import type { Reservation } from "../../db/call-types.ts";
import { pruneReplays, sweepHolds } from "../../db/sweep.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";

let db: TestDatabase;
let store: CallStore;
let accountId: number;

beforeAll(async () => {
  db = await testDatabase();
  store = new CallStore(db);
  accountId = await createAccount(db, "swept");
  await addCredits(db, accountId, "live", 10_000, "top-up");
});
afterAll(() => db.drop());

const call = (key: string, deadline: number): Reservation => ({
  requestId: `svc_${key}`,
  accountId,
  mode: "live",
  keyId: "key",
  operation: "maps.search",
  minimum: 0,
  most: 1,
  deadline,
  idempotency: { key, fingerprint: "f" },
});

const rowsOf = async (table: "replays" | "bodies") =>
  (await db.sql<{ n: number }[]>`select count(*) as n from ${db.sql(table)}`)[0]?.n;

test("sweepHolds, in several processes at once, voids holds past their grace and no others", async () => {
  const late = Array.from({ length: 1200 }, (_, n) => call(`late${n}`, Date.now() - 61_000));
  const running = Array.from({ length: 30 }, (_, n) => call(`running${n}`, Date.now() - 50_000));
  await Promise.all([...late, ...running].map((one) => store.reserve(one)));
  await Promise.all([sweepHolds(db), sweepHolds(db), sweepHolds(db)]);
  expect((await account(db, accountId))?.balances.live).toMatchObject({
    balance: 10_000,
    held: 30,
  });
  expect(await rowsOf("replays")).toBe(30);
  expect(await audit(db)).toEqual([]);
  const [usage] = await db.sql`
    select count(*) as calls, sum(credits)::integer as credits, min(status) as status from usage`;
  expect(usage).toEqual({ calls: 1200, credits: 0, status: 504 });
  await sweepHolds(db, { graceMs: 40_000 });
  expect((await account(db, accountId))?.balances.live.held).toBe(0);
  expect(await sweepHolds(db)).toBe(0);
});

test("pruneReplays deletes after 24 h and never earlier", async () => {
  const calls = Array.from({ length: 1100 }, (_, n) => call(`old${n}`, Date.now() + 60_000));
  await Promise.all(calls.map((one) => store.reserve(one)));
  await Promise.all(
    calls.slice(0, 20).map((one) => store.storeBody(one.requestId, Buffer.from("body"))),
  );
  await Promise.all(
    calls.map(({ requestId }, n) =>
      store.settle({
        requestId,
        credits: 0,
        records: 0,
        truncated: false,
        status: 200,
        durationMs: 1,
        stored: { contentType: "text/plain", body: n < 20 ? "apart" : Buffer.from("body") },
      }),
    ),
  );
  const age = (interval: string) =>
    db.sql.begin(async (sql) => {
      await sql`update replays set created_at = now() - ${interval}::text::interval where key <> 'old0'`;
      await sql`update bodies set created_at = now() - ${interval}::text::interval
        where request_id <> 'svc_old0'`;
    });
  await age("23 hours 59 minutes");
  expect(await pruneReplays(db)).toBe(0);
  expect([await rowsOf("replays"), await rowsOf("bodies")]).toEqual([1100, 20]);
  await age("24 hours 1 second");
  const pruned = await Promise.all([pruneReplays(db), pruneReplays(db)]);
  expect(pruned[0] + pruned[1]).toBe(1099);
  expect([await rowsOf("replays"), await rowsOf("bodies")]).toEqual([1, 1]);
  expect(await store.lookUp({ accountId, mode: "live", key: "old0" })).toMatchObject({
    state: "final",
    body: Buffer.from("body"),
  });
});

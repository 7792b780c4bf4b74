import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount } from "../../db/accounts.ts";
import { CallStore } from "../../db/calls.ts";
import { sumEarlierUsage, usageBy } from "../../db/usage.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";

let db: TestDatabase;
let store: CallStore;
beforeAll(async () => {
  db = await testDatabase();
  store = new CallStore(db);
});
afterAll(() => db.drop());

let count = 0;

async function used(accountId: number, operation: string, records: number, at: string) {
  const requestId = `svc_${(count += 1)}`;
  await store.reserve({
    requestId,
    accountId,
    mode: "test",
    keyId: "key",
    operation,
    minimum: 0,
    most: 100,
    deadline: Date.now() + 60_000,
  });
  if (records > 0)
    await store.settle({
      requestId,
      credits: records,
      records,
      truncated: false,
      status: 200,
      durationMs: 40,
    });
  else await store.release({ requestId, status: 502, errorType: "upstream_error", durationMs: 3 });
  await db.sql`update usage set at = ${at}::text::timestamptz where request_id = ${requestId}`;
}

test("usageBy sums calls per day in UTC, area and operation, within the range", async () => {
  const accountId = await createAccount(db, "user");
  const other = await createAccount(db, "other");
  await used(accountId, "seo.serp", 4, "2026-03-01T00:00:00Z");
  await used(accountId, "seo.serp", 6, "2026-03-01T23:59:59.9Z");
  await used(accountId, "seo.serp", 0, "2026-03-01T12:00:00+02:00");
  await used(accountId, "seo.serp", 1, "2026-03-02T01:00:00+02:00");
  await used(accountId, "maps.search", 2, "2026-03-02T10:00:00Z");
  await used(accountId, "maps.search", 9, "2026-03-03T00:00:00Z");
  await used(accountId, "maps.search", 9, "2026-02-28T23:59:59Z");
  await used(other, "maps.search", 9, "2026-03-02T10:00:00Z");
  const range = { from: new Date("2026-03-01"), to: new Date("2026-03-03") };
  const expected = [
    {
      day: "2026-03-01",
      area: "seo",
      operation: "seo.serp",
      calls: 4,
      errors: 1,
      credits: 11,
      records: 11,
    },
    {
      day: "2026-03-02",
      area: "maps",
      operation: "maps.search",
      calls: 1,
      errors: 0,
      credits: 2,
      records: 2,
    },
  ];
  const report = () => usageBy(db, accountId, "test", range);
  // As after the migration of a database with calls: no sums yet.
  await db.sql`delete from usage_days`;
  await db.sql`update usage_sums set whole_from = '2026-03-03'`;
  expect(await report()).toEqual(expected);
  await db.sql`select sum_earlier_usage()`;
  expect(await wholeFrom()).toBe("2026-03-02");
  expect(await report()).toEqual(expected);
  await sumEarlierUsage(db);
  expect(await wholeFrom()).toBe("-infinity");
  expect(await report()).toEqual(expected);
  // Reports of whole days read no call.
  await db.sql`delete from usage where account_id = ${accountId}`;
  expect(await report()).toEqual(expected);
  expect(await usageBy(db, accountId, "live", range)).toEqual([]);
});

test("a report names areas as the catalogue does", async () => {
  const accountId = await createAccount(db, "areas");
  await used(accountId, "news_aggregator.items.get", 1, "2026-04-01T12:00:00Z");
  await db.sql`update usage_days set day = '2026-04-01' where account_id = ${accountId}`;
  const range = { from: new Date("2026-04-01"), to: new Date("2026-04-02") };
  const report = await usageBy(db, accountId, "test", range);
  expect(report.map(({ area }) => area)).toEqual(["news-aggregator"]);
});

const wholeFrom = async () =>
  (await db.sql<{ day: string }[]>`select whole_from::text as day from usage_sums`)[0]?.day;

test("a day is summed once it is over, with calls that it counted before", async () => {
  const accountId = await createAccount(db, "late");
  const today = new Date().toISOString().slice(0, 10);
  const call = (id: string, at: string) => db.sql`
    insert into usage (request_id, account_id, mode, operation, status, credits, records, duration_ms, at)
    values (${id}, ${accountId}, 'test', 'seo.serp', 200, 1, 1, 1, ${at})`;
  await call("svc_before", `${today}T00:00:00Z`);
  await db.sql`delete from usage_days where account_id = ${accountId}`;
  await db.sql`update usage_sums set whole_from = ${today}::date + 1`;
  await call("svc_after", `${today}T00:00:01Z`);
  await sumEarlierUsage(db);
  expect(await wholeFrom()).not.toBe(today);
  const range = { from: new Date(today), to: new Date(Date.parse(today) + 24 * 3600_000) };
  expect(await usageBy(db, accountId, "test", range)).toMatchObject([{ calls: 2, credits: 2 }]);
  // The same a day later.
  await db.sql`update usage set at = at - interval '1 day' where account_id = ${accountId}`;
  await db.sql`update usage_days set day = day - 1 where account_id = ${accountId}`;
  await db.sql`update usage_sums set whole_from = ${today}::date`;
  await db.sql`select sum_earlier_usage()`;
  const before = { from: new Date(Date.parse(today) - 24 * 3600_000), to: new Date(today) };
  expect(await usageBy(db, accountId, "test", before)).toMatchObject([{ calls: 2, credits: 2 }]);
  await db.sql`delete from usage where account_id = ${accountId}`;
  expect(await usageBy(db, accountId, "test", before)).toMatchObject([{ calls: 2, credits: 2 }]);
});

test("parallel calls of an account are all in the sums", async () => {
  const accountId = await createAccount(db, "parallel");
  const ids = Array.from({ length: 60 }, (_, index) => `svc_parallel${index}`);
  const deadline = Date.now() + 60_000;
  const call = { accountId, mode: "test" as const, keyId: "key", minimum: 0, most: 10, deadline };
  await Promise.all(
    ids.map((requestId, index) =>
      store.reserve({ ...call, requestId, operation: `seo.op${index % 3}` }),
    ),
  );
  await Promise.all(
    ids.map((requestId, index) =>
      index % 2
        ? store.settle({
            requestId,
            credits: 2,
            records: 2,
            truncated: false,
            status: 200,
            durationMs: 4,
          })
        : store.release({ requestId, status: 502, errorType: "upstream_error", durationMs: 3 }),
    ),
  );
  const today = new Date().toISOString().slice(0, 10);
  await db.sql`update usage_sums set whole_from = '-infinity'`;
  const range = { from: new Date(today), to: new Date(Date.parse(today) + 24 * 3600_000) };
  const rows = await usageBy(db, accountId, "test", range);
  expect(rows.map(({ calls, errors, credits }) => [calls, errors, credits])).toEqual([
    [20, 10, 20],
    [20, 10, 20],
    [20, 10, 20],
  ]);
});

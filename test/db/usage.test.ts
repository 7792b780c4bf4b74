import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount } from "../../db/accounts.ts";
import { CallStore } from "../../db/calls.ts";
import { usageBy } from "../../db/usage.ts";
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
  expect(await usageBy(db, accountId, "test", range)).toEqual([
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
  ]);
  expect(await usageBy(db, accountId, "live", range)).toEqual([]);
});

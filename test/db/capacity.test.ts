import { afterAll, beforeAll, expect, test } from "vitest";
import { addCredits, createAccount } from "../../db/accounts.ts";
import { CallStore } from "../../db/calls.ts";
import {
  type HistoryRow,
  capacityHistory,
  costBy,
  noteCapacity,
  noteUpstreamTotals,
  pruneCapacity,
  usedByPool,
} from "../../db/capacity.ts";
import { type TestDatabase, testDatabase } from "../database.ts";

let db: TestDatabase;
beforeAll(async () => (db = await testDatabase()));
afterAll(() => db.drop());

const row = (change: Partial<HistoryRow> = {}): HistoryRow => ({
  pool: "serp",
  workers: 1,
  desired: 2,
  slots: 32,
  callsPerSecond: 3.5,
  p95WaitMs: null,
  targetMs: 500,
  wall: "slots",
  failed: 2,
  failedLive: 1,
  ...change,
});

test("a minute is written once, read in stretches, and kept for a week", async () => {
  const now = Date.now();
  const ago = (minutes: number) => new Date(now - minutes * 60_000);
  await noteCapacity(db, ago(1), [row(), row({ pool: "seo" })]);
  await noteCapacity(db, ago(1), [row({ desired: 9 })]);
  for (let minutes = 2; minutes < 62; minutes += 1) {
    await noteCapacity(db, ago(minutes), [row({ workers: 3, p95WaitMs: minutes })]);
  }
  await noteCapacity(db, ago(8 * 24 * 60), [row({ desired: 50 })]);
  const points = await capacityHistory(db, { hours: 24, minutes: 15 });
  expect(points.filter(({ pool }) => pool === "seo")).toHaveLength(1);
  const serp = points.filter(({ pool }) => pool === "serp");
  expect(serp.length).toBeGreaterThanOrEqual(4);
  expect(serp.length).toBeLessThanOrEqual(6);
  expect(serp.every(({ at }) => at % 900_000 === 0)).toBe(true);
  expect(Math.max(...serp.map(({ desired }) => desired))).toBe(2);
  expect(serp[0]).toMatchObject({ workers: 3, callsPerSecond: 3.5, failedMost: 2 });
  const sum = (what: "failed" | "failedLive") => serp.reduce((all, point) => all + point[what], 0);
  expect([sum("failed"), sum("failedLive")]).toEqual([2 * 61, 61]);
  await pruneCapacity(db);
  const [left] = await db.sql<{ oldest: Date; count: number }[]>`
    select min(at) as oldest, count(*)::int as count from capacity_history`;
  expect(left?.count).toBe(62);
});

test("upstream costs are added up by day, once, even after Redis lost its totals", async () => {
  const at = (time: string) => new Date(`2026-11-20T${time}Z`);
  const report = (time: string, calls: number, dollars: number) =>
    noteUpstreamTotals(db, at(time), [
      { upstream: "dataforseo", operation: "seo.serp", calls, dollars },
    ]);
  const day = async () => {
    const [found] = await db.sql<{ calls: number; dollars: number }[]>`
      select calls, dollars::float8 as dollars from upstream_days where upstream = 'dataforseo'`;
    return found;
  };
  await report("10:00:00", 100, 0.2);
  await report("10:00:00", 100, 0.2);
  await report("10:01:00", 150, 0.3);
  // Another process of the dashboards that read earlier and reports later.
  await report("10:00:30", 120, 0.24);
  expect(await day()).toEqual({ calls: 150, dollars: 0.3 });
  // A Redis that has lost its data starts from nothing.
  await report("10:05:00", 20, 0.04);
  await report("10:06:00", 30, 0.06);
  expect(await day()).toEqual({ calls: 180, dollars: 0.36 });
});

test("cost is beside the operation's revenue of that day; the plan's figures come from usage", async () => {
  const account = await createAccount(db, "earner");
  await addCredits(db, account, "live", 1000, "test");
  const store = new CallStore(db);
  const call = async (requestId: string, durationMs: number, failed = false) => {
    await store.reserve({
      requestId,
      accountId: account,
      mode: "live",
      keyId: "key",
      operation: "seo.serp",
      minimum: 0,
      most: 10,
      deadline: Date.now() + 60_000,
    });
    if (failed)
      await store.release({ requestId, status: 429, errorType: "rate_limited", durationMs });
    else {
      await store.settle({
        requestId,
        credits: 5,
        records: 5,
        truncated: false,
        status: 200,
        durationMs,
      });
    }
  };
  await call("svc_a", 1000);
  await call("svc_b", 3000);
  await call("svc_c", 1, true);
  await noteUpstreamTotals(db, new Date(), [
    { upstream: "dataforseo", operation: "seo.serp", calls: 33, dollars: 0.07 },
    { upstream: "tikhub", operation: "shortclip.search", calls: 2, dollars: 0 },
  ]);
  const rows = await costBy(db, 1);
  expect(rows).toContainEqual(
    expect.objectContaining({ upstream: "tikhub", calls: 2, dollars: 0, credits: 0 }),
  );
  expect(rows.find(({ operation }) => operation === "seo.serp")).toMatchObject({ credits: 10 });
  const range = { from: new Date(Date.now() - 3600_000), to: new Date(Date.now() + 60_000) };
  const used = await usedByPool(db, range, { "seo.serp": "seo", "maps.search": "serp" });
  const figures = { calls: 2, meanMs: 2000, scv: 0.25, credits: 10 };
  expect(used).toMatchObject([
    { pool: "seo", operation: null, ...figures },
    { pool: "seo", operation: "seo.serp", ...figures },
  ]);
  expect(used[0]?.peakMinute).toBeGreaterThanOrEqual(1);
});

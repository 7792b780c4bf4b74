import { afterAll, beforeAll, expect, test } from "vitest";
import { accountNamed } from "../../db/accounts.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";
import { cli, cliJson, cliProcess } from "./cli.ts";
import type { Fault } from "./cli.ts";

interface Answer {
  account: string;
  from: string;
  to: string;
  rows: { day: string; mode: string; operation: string; calls: number; credits: number }[];
  total: { calls: number; errors: number; records: number; credits: number };
}

let db: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  db = await testDatabase();
  env = { DATABASE_URL: db.url };
  await cliJson(["accounts", "create", "caller"], env);
  await cliJson(["accounts", "create", "idle"], env);
  const id = (await accountNamed(db, "caller"))?.id as number;
  const calls: [string, string, number, string | null, number][] = [
    ["2026-03-01T23:59:59Z", "live", 200, null, 1],
    ["2026-03-02T00:00:00Z", "live", 200, null, 7],
    ["2026-03-02T12:00:00Z", "live", 503, "upstream_unavailable", 0],
    ["2026-03-02T23:59:59Z", "test", 200, null, 2],
    ["2026-03-03T00:00:00Z", "live", 200, null, 100],
  ];
  for (const [index, [at, mode, status, error, credits]] of calls.entries()) {
    await db.sql`insert into usage (request_id, account_id, mode, operation, status, error_type,
        credits, records, duration_ms, at)
      values (${`svc_${index}`}, ${id}, ${mode}, 'browser.markdown', ${status}, ${error},
        ${credits}, ${credits}, 10, ${at})`;
  }
});

afterAll(() => db.drop());

const ask = (...more: string[]) => cliJson<Answer>(["usage", "--account", "caller", ...more], env);

test("both ends of the days are included", async () => {
  const { code, json } = await ask("--from", "2026-03-02", "--to", "2026-03-02");
  expect(code).toBe(0);
  expect(json).toEqual({
    account: "caller",
    from: "2026-03-02",
    to: "2026-03-02",
    rows: [
      {
        day: "2026-03-02",
        mode: "live",
        area: "browser",
        operation: "browser.markdown",
        calls: 2,
        errors: 1,
        credits: 7,
        records: 7,
      },
      {
        day: "2026-03-02",
        mode: "test",
        area: "browser",
        operation: "browser.markdown",
        calls: 1,
        errors: 0,
        credits: 2,
        records: 2,
      },
    ],
    total: { calls: 3, errors: 1, records: 9, credits: 9 },
  });
});

test("one mode, several days", async () => {
  const { json } = await ask("--from", "2026-03-01", "--to", "2026-03-03", "--mode", "live");
  expect(json.rows.map((row) => [row.day, row.credits])).toEqual([
    ["2026-03-01", 1],
    ["2026-03-02", 7],
    ["2026-03-03", 100],
  ]);
});

test("without days: the thirty up to today", async () => {
  const { json } = await cliJson<Answer>(["usage", "--account", "idle"], env);
  const days = (Date.parse(json.to) - Date.parse(json.from)) / 86_400_000 + 1;
  expect(days).toBe(30);
  expect(Math.abs(Date.parse(json.to) - Date.now())).toBeLessThan(2 * 86_400_000);
  expect(json.total.calls).toBe(0);
});

test("output for people", async () => {
  const days = ["--from", "2026-03-01", "--to", "2026-03-03"];
  const { stdout } = await cliProcess(["usage", "--account", "caller", ...days], env);
  expect(stdout).toMatch(/^2026-03-02 +live +browser\.markdown +2 +1 +7 +7$/m);
  expect(stdout).toMatch(/^total +5 +1 +110 +110$/m);
  const idle = await cli(["usage", "--account", "idle"], env);
  expect(idle.stdout).toMatch(/^idle made no calls/);
  const absent = await cliJson<Fault>(["usage", "--account", "nobody"], env);
  expect(absent).toMatchObject({ code: 1, json: { error: { type: "account_unknown" } } });
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { audit } from "../../db/audit.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";
import { cliJson, cliProcess } from "./cli.ts";
import type { Fault } from "./cli.ts";

let db: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  db = await testDatabase();
  env = { DATABASE_URL: db.url };
  await cliJson(["accounts", "create", "payer"], env);
});

afterAll(() => db.drop());

const add = (credits: string, ...more: string[]) =>
  cliJson<Fault>(
    ["credits", "add", "--account", "payer", "--mode", "live", "--credits", credits, ...more],
    env,
  );

test("credits are booked with their reason, taken back, and never below zero", async () => {
  expect(await add("250", "--reason", "invoice 17")).toEqual({
    code: 0,
    json: { account: "payer", mode: "live", credits: 250, balance: 250 },
  });
  const [entry] = await db.sql`select amount, reason from ledger where side = 'account'
    and mode = 'live'`;
  expect(entry).toMatchObject({ amount: 250, reason: "invoice 17" });
  expect(await add("-50")).toMatchObject({ code: 0, json: { credits: -50, balance: 200 } });
  expect(await add("-201")).toMatchObject({
    code: 1,
    json: { error: { type: "balance_too_low" } },
  });
  const { json } = await cliJson<{ accounts: unknown[] }>(["accounts", "list"], env);
  expect(json.accounts).toMatchObject([{ balances: { live: { balance: 200 } } }]);
  expect(await audit(db)).toEqual([]);
});

test("an unknown account is refused", async () => {
  const args = ["credits", "add", "--account", "nobody", "--mode", "test", "--credits", "1"];
  const { code, json } = await cliJson<Fault>(args, env, cliProcess);
  expect(code).toBe(1);
  expect(json.error.message).toContain("nobody");
});

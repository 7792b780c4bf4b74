import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  account,
  accountNamed,
  addCredits,
  changeAccount,
  createAccount,
  listAccounts,
} from "../../db/accounts.ts";
import { audit } from "../../db/audit.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

describe("accounts", () => {
  test("begin with no live credits, a million test credits, and the default limits", async () => {
    const id = await createAccount(db, "new");
    expect(await account(db, id)).toMatchObject({
      id,
      name: "new",
      disabled: false,
      ratePerSecond: 60,
      maxInFlight: 20,
      balances: {
        live: { balance: 0, held: 0, available: 0 },
        test: { balance: 1_000_000, held: 0, available: 1_000_000 },
      },
    });
    expect(await accountNamed(db, "new")).toEqual(await account(db, id));
    expect(await listAccounts(db)).toContainEqual(await account(db, id));
  });

  test("have a unique name", async () => {
    await createAccount(db, "twice");
    await expect(createAccount(db, "twice")).rejects.toMatchObject({ code: "account_exists" });
  });

  test("can be changed", async () => {
    const id = await createAccount(db, "changed");
    await changeAccount(db, id, { disabled: true, ratePerSecond: 1000, maxInFlight: 500 });
    expect(await account(db, id)).toMatchObject({
      disabled: true,
      ratePerSecond: 1000,
      maxInFlight: 500,
    });
    await expect(changeAccount(db, 0, { disabled: true })).rejects.toMatchObject({
      code: "account_unknown",
    });
  });
});

describe("addCredits", () => {
  test("books both sides, also concurrently and backwards, and never below zero", async () => {
    const id = await createAccount(db, "credits");
    await Promise.all(Array.from({ length: 20 }, () => addCredits(db, id, "live", 5, "top-up")));
    expect(await addCredits(db, id, "live", -40, "correction")).toBe(60);
    await expect(addCredits(db, id, "live", -61, "too much")).rejects.toMatchObject({
      code: "balance_too_low",
    });
    expect((await account(db, id))?.balances.live.balance).toBe(60);
    const [sums] = await db.sql`
      select sum(amount)::integer as all, sum(amount) filter (where side = 'account')::integer as account
      from ledger where account_id = ${id} and mode = 'live'`;
    expect(sums).toEqual({ all: 0, account: 60 });
    expect(await audit(db)).toEqual([]);
  });

  test("refuses fractions, zero and unknown accounts", async () => {
    const id = await createAccount(db, "refusals");
    await expect(addCredits(db, id, "live", 0.5, "half")).rejects.toThrow(RangeError);
    await expect(addCredits(db, id, "live", 0, "none")).rejects.toThrow(RangeError);
    await expect(addCredits(db, 0, "live", 1, "nobody")).rejects.toMatchObject({
      code: "account_unknown",
    });
  });
});

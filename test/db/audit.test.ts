import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addCredits, createAccount } from "../../db/accounts.ts";
import { audit } from "../../db/audit.ts";
import { CallStore } from "../../db/calls.ts";
import type { Reservation } from "../../db/call-types.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";

let db: TestDatabase;
let accountId: number;
let count = 0;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

beforeEach(async () => {
  await db.sql`alter table ledger disable trigger user`;
  await db.sql`truncate ledger, holds, settlements, replays, usage, balances, api_keys, accounts cascade`;
  await db.sql`alter table ledger enable trigger user`;
  accountId = await createAccount(db, `audited ${(count += 1)}`);
  await addCredits(db, accountId, "live", 100, "top-up");
  const store = new CallStore(db);
  const call = (requestId: string): Reservation => ({
    requestId,
    accountId,
    mode: "live",
    keyId: "key",
    operation: "maps.search",
    minimum: 0,
    most: 10,
    deadline: Date.now() + 60_000,
  });
  await Promise.all(["settled", "open", "void"].map((id) => store.reserve(call(id))));
  await store.settle({
    requestId: "settled",
    credits: 4,
    records: 4,
    truncated: false,
    status: 200,
    durationMs: 1,
  });
  await store.release({
    requestId: "void",
    status: 502,
    errorType: "upstream_error",
    durationMs: 1,
  });
  expect(await audit(db)).toEqual([]);
});

const rules = async () => (await audit(db)).map(({ rule }) => rule);

describe("audit finds", () => {
  const faults: [string, (id: number) => PromiseLike<unknown>, string][] = [
    [
      "a balance that its entries do not explain",
      (id) => db.sql`update balances set balance = balance + 1 where account_id = ${id}`,
      "balance is the sum of its entries",
    ],
    [
      "held credits without a hold",
      (id) =>
        db.sql`update balances set held = held + 1 where account_id = ${id} and mode = 'live'`,
      "held is the sum of open holds",
    ],
    [
      "a one-sided transaction",
      (id) => db.sql`insert into ledger values ('one', 'grants', ${id}, 'live', 5, 'one side')`,
      "a transaction has two entries that sum to zero",
    ],
    [
      "a transaction between accounts",
      (id) => db.sql`insert into ledger values ('two', 'account', ${id}, 'live', 0, 'x'),
        ('two', 'grants', ${id + 1}, 'live', 0, 'x')`,
      "a transaction stays within one account and mode",
    ],
    [
      "a settle of a void hold",
      () => db.sql`insert into settlements values ('void', 0, 0, false, 0, 200)`,
      "a settled hold has one settle, any other none",
    ],
    [
      "a settled hold without its settle",
      () => db.sql`update holds set state = 'settled' where id = 'void'`,
      "a settled hold has one settle, any other none",
    ],
    [
      "a settle that charged something else",
      () => db.sql`update settlements set credits = 5 where hold_id = 'settled'`,
      "a settle charges the amount in the ledger, at most its hold",
    ],
    [
      "a charge nobody settled",
      (id) => db.sql`insert into ledger values ('x', 'revenue', ${id}, 'live', 0, 'x'),
        ('x', 'account', ${id}, 'live', 0, 'x')`,
      "a charge belongs to a settle",
    ],
  ];
  test.each(faults)("%s", async (_, fault, rule) => {
    await fault(accountId);
    expect(await rules()).toContain(rule);
  });
});

describe("the database itself refuses", () => {
  test("to change or delete ledger entries", async () => {
    await expect(db.sql`update ledger set amount = 1`).rejects.toThrow(/append-only/);
    await expect(db.sql`delete from ledger`).rejects.toThrow(/append-only/);
    await expect(db.sql`truncate ledger`).rejects.toThrow(/append-only/);
  });

  test("negative balances and holds above the balance", async () => {
    await expect(db.sql`update balances set balance = -1`).rejects.toThrow(/check/);
    await expect(db.sql`update balances set held = balance + 1`).rejects.toThrow(/check/);
    await expect(db.sql`update balances set held = -1`).rejects.toThrow(/check/);
  });

  test("a second settle of a hold", async () => {
    await expect(
      db.sql`insert into settlements values ('settled', 0, 0, false, 0, 200)`,
    ).rejects.toThrow(/duplicate key/);
  });
});

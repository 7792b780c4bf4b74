import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changeAccount, createAccount } from "../../db/accounts.ts";
import { generateKey } from "../../db/key.ts";
import {
  authenticate,
  createKey,
  findKey,
  listKeys,
  revokeKey,
  rotateKey,
  touchKey,
} from "../../db/keys.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";

const pepper = "a pepper for tests";
let db: TestDatabase;
let looked = 0;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

const newAccount = () => createAccount(db, `account ${Math.random()}`);
const check = (key: string) =>
  authenticate(key, pepper, (id) => {
    looked += 1;
    return findKey(db, id);
  });

describe("the life of a key", () => {
  test("created, used, revoked", async () => {
    const accountId = await newAccount();
    const { id, key } = await createKey(db, pepper, { accountId, mode: "live" });
    expect(await check(key)).toMatchObject({
      id,
      accountId,
      mode: "live",
      valid: true,
      ratePerSecond: 60,
      maxInFlight: 20,
    });
    await revokeKey(db, id);
    expect(await check(key)).toBeUndefined();
    expect(await findKey(db, id)).toMatchObject({ revoked: true, valid: false });
    await revokeKey(db, id);
    await expect(revokeKey(db, "nobody00")).rejects.toMatchObject({ code: "key_unknown" });
  });

  test("the secret is nowhere in the database", async () => {
    const accountId = await newAccount();
    const { key } = await createKey(db, pepper, { accountId, mode: "live" });
    const rows = await db.sql`select row_to_json(k)::text as row from api_keys k`;
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(key.slice(18, 61));
  });

  test("two valid keys per account and mode, even when requested concurrently", async () => {
    const accountId = await newAccount();
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, () => createKey(db, pepper, { accountId, mode: "live" })),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    for (const answer of results)
      if (answer.status === "rejected") expect(answer.reason).toMatchObject({ code: "key_limit" });
    await createKey(db, pepper, { accountId, mode: "test" });
    const [first] = (await listKeys(db, accountId)).filter(({ mode }) => mode === "live");
    await revokeKey(db, first?.id ?? "");
    await createKey(db, pepper, { accountId, mode: "live" });
    await expect(createKey(db, pepper, { accountId: 0, mode: "live" })).rejects.toMatchObject({
      code: "account_unknown",
    });
  });

  test("rotation keeps the old key for the overlap only", async () => {
    const accountId = await newAccount();
    const first = await createKey(db, pepper, { accountId, mode: "test" });
    const second = await rotateKey(db, pepper, first.id);
    expect(second.mode).toBe("test");
    expect(await check(first.key)).toBeDefined();
    expect(await check(second.key)).toBeDefined();
    await expect(rotateKey(db, pepper, second.id)).rejects.toMatchObject({ code: "key_limit" });
    expect(await check(second.key)).toMatchObject({ expiresAt: undefined });
    const third = await rotateKey(db, pepper, second.id, { overlapMs: 0 });
    expect(await check(second.key)).toBeUndefined();
    expect(await check(third.key)).toBeDefined();
    await expect(rotateKey(db, pepper, second.id)).rejects.toMatchObject({ code: "key_unknown" });
    await db.sql`update api_keys set expires_at = now() - interval '1 s' where id = ${first.id}`;
    expect(await check(first.key)).toBeUndefined();
    expect((await listKeys(db, accountId)).map(({ valid }) => valid)).toEqual([true, false, false]);
  });

  test("the keys of a disabled account are refused", async () => {
    const accountId = await newAccount();
    const { key } = await createKey(db, pepper, { accountId, mode: "live" });
    await changeAccount(db, accountId, { disabled: true });
    expect(await check(key)).toBeUndefined();
  });
});

describe("authenticate", () => {
  test("makes one query for unknown, wrong and revoked keys, and none for malformed ones", async () => {
    const accountId = await newAccount();
    const { id, key } = await createKey(db, pepper, { accountId, mode: "live" });
    const other = generateKey("live").text;
    const wrongSecret = `svc_live_${id}_${other.slice(18)}`;
    const wrongMode = key.replace("svc_live_", "svc_test_");
    for (const refused of [other, wrongSecret, wrongMode]) {
      looked = 0;
      expect(await check(refused)).toBeUndefined();
      expect(looked).toBe(1);
    }
    looked = 0;
    for (const malformed of ["", "svc_live", `${key}x`, `${key.slice(0, -1)}!`, key.slice(0, -1)])
      expect(await check(malformed)).toBeUndefined();
    const last = key.at(-1) === "0" ? "1" : "0";
    expect(await check(key.slice(0, -1) + last)).toBeUndefined();
    expect(looked).toBe(0);
    expect(
      await authenticate(key, "another pepper", (known) => findKey(db, known)),
    ).toBeUndefined();
  });
});

test("last use is written at most once a minute", async () => {
  const accountId = await newAccount();
  const { id } = await createKey(db, pepper, { accountId, mode: "live" });
  const fresh = async () => {
    const found = await findKey(db, id);
    if (!found) throw new Error("the key is gone");
    return found;
  };
  const first = await fresh();
  const unaware = await fresh();
  await touchKey(db, first);
  const used = (await fresh()).lastUsedAt;
  expect(used).toBeDefined();
  await touchKey(db, first);
  await touchKey(db, unaware);
  expect((await fresh()).lastUsedAt).toBe(used);
  await db.sql`update api_keys set last_used_at = now() - interval '61 s' where id = ${id}`;
  await touchKey(db, await fresh());
  expect((await fresh()).lastUsedAt).toBeGreaterThan((used ?? 0) - 1000);
});

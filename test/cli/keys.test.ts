import { afterAll, beforeAll, expect, test } from "vitest";
import { accountNamed } from "../../db/accounts.ts";
import { audit } from "../../db/audit.ts";
import { authenticate, findKey } from "../../db/keys.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";
import { cli, cliJson, cliProcess, pepper } from "./cli.ts";
import type { Fault } from "./cli.ts";

interface Created {
  account: string;
  mode: string;
  id: string;
  key: string;
  balance: number;
}

interface Listed {
  account: string;
  keys: { id: string; mode: string; valid: boolean; expires_at: string | null }[];
}

let db: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  db = await testDatabase();
  env = { DATABASE_URL: db.url, KEY_PEPPER: pepper };
});

afterAll(() => db.drop());

const accepted = (key: string) => authenticate(key, pepper, (id) => findKey(db, id));

async function create(account: string, mode: string, ...more: string[]): Promise<Created> {
  const { code, json } = await cliJson<Created>(
    ["keys", "create", "--account", account, "--mode", mode, ...more],
    env,
  );
  expect(code).toBe(0);
  return json;
}

test("a missing account is created, credits are added, the key works", async () => {
  const created = await create("demo", "live", "--credits", "1000");
  expect(created).toEqual({
    account: "demo",
    mode: "live",
    id: expect.stringMatching(/^[0-9A-Za-z]{8}$/),
    key: expect.stringMatching(/^svc_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$/),
    balance: 1000,
  });
  expect(await accepted(created.key)).toMatchObject({ accountName: "demo", mode: "live" });
  expect((await accountNamed(db, "demo"))?.balances.live.balance).toBe(1000);

  const second = await create("demo", "test");
  expect(second.balance).toBe(1_000_000);
  expect((await create("demo", "live", "--credits", "5")).balance).toBe(1005);
  expect(await audit(db)).toEqual([]);
});

test("the key is shown once, to people with a warning", async () => {
  const args = ["keys", "create", "--account", "shown", "--mode", "test"];
  const { code, stdout } = await cliProcess(args, env);
  expect(code).toBe(0);
  const key = /svc_test_\w+/.exec(stdout)?.[0] ?? "";
  expect(await accepted(key)).toBeDefined();
  expect(stdout).toContain("not shown again");
  const listed = await cli(["keys", "list", "--account", "shown"], env);
  expect(listed.stdout).toContain(key.split("_")[2]);
  expect(listed.stdout).not.toContain(key.split("_")[3]);
});

test("a third key is refused and books nothing", async () => {
  await create("full", "live", "--credits", "10");
  await create("full", "live");
  const third = await cliJson<Fault>(
    ["keys", "create", "--account", "full", "--mode", "live", "--credits", "10"],
    env,
  );
  expect(third).toMatchObject({ code: 1, json: { error: { type: "key_limit" } } });
  expect((await accountNamed(db, "full"))?.balances.live.balance).toBe(10);
});

test("two concurrent creations of the same account both get a key of it", async () => {
  const keys = await Promise.all([create("raced", "live"), create("raced", "test")]);
  const owners = await Promise.all(keys.map(async ({ key }) => (await accepted(key))?.accountId));
  expect(owners[0]).toBeTypeOf("number");
  expect(owners[1]).toBe(owners[0]);
});

test("rotation: both keys work until the overlap ends", async () => {
  const old = await create("turning", "live");
  const before = Date.now();
  const { json } = await cliJson<Created & { replaces: { id: string; valid_until: string } }>(
    ["keys", "rotate", old.id, "--overlap-hours", "2"],
    env,
  );
  expect(json).toMatchObject({ account: "turning", mode: "live", replaces: { id: old.id } });
  const hours = (Date.parse(json.replaces.valid_until) - before) / 3_600_000;
  expect(hours).toBeGreaterThan(1.99);
  expect(hours).toBeLessThan(2.02);
  expect(await accepted(old.key)).toBeDefined();
  expect(await accepted(json.key)).toBeDefined();

  // Two keys are still valid: the successor ends at once to leave a slot for its own successor.
  const last = await cliJson<Created>(["keys", "rotate", json.id, "--overlap-hours", "0"], env);
  expect(last.code).toBe(0);
  expect(await accepted(json.key)).toBeUndefined();
  expect(await accepted(last.json.key)).toBeDefined();

  const third = await cliJson<Fault>(["keys", "rotate", last.json.id], env);
  expect(third).toMatchObject({ code: 1, json: { error: { type: "key_limit" } } });
  expect(await accepted(last.json.key)).toBeDefined();
});

test("revocation, and a list that shows the state of each key", async () => {
  const first = await create("ending", "live");
  const second = await create("ending", "live");
  const revoked = await cliJson(["keys", "revoke", first.id], env);
  expect(revoked).toEqual({
    code: 0,
    json: { account: "ending", mode: "live", id: first.id, revoked: true },
  });
  expect(await accepted(first.key)).toBeUndefined();
  expect(await accepted(second.key)).toBeDefined();

  const { json } = await cliJson<Listed>(["keys", "list", "--account", "ending"], env);
  expect(json.keys.map(({ id, valid }) => [id, valid])).toEqual([
    [second.id, true],
    [first.id, false],
  ]);
  const { stdout } = await cli(["keys", "list", "--account", "ending"], env);
  expect(stdout).toMatch(new RegExp(`^${first.id} +live +revoked`, "m"));
  expect(stdout).toMatch(new RegExp(`^${second.id} +live +valid`, "m"));

  await cliJson(["accounts", "set", "ending", "--disable"], env);
  expect(await accepted(second.key)).toBeUndefined();
  const disabled = await cliJson<Listed>(["keys", "list", "--account", "ending"], env);
  expect(disabled.json.keys.every(({ valid }) => !valid)).toBe(true);
});

test("an unknown id, and an ended one", async () => {
  for (const command of ["rotate", "revoke"]) {
    const { code, json } = await cliJson<Fault>(["keys", command, "aaaaaaaa"], env);
    expect(code).toBe(1);
    expect(json.error.type).toBe("key_unknown");
    expect(json.error.message).toContain("aaaaaaaa");
  }
  const { id } = await create("over", "live");
  await cliJson(["keys", "revoke", id], env);
  const { code, json } = await cliJson<Fault>(["keys", "rotate", id], env);
  expect(code).toBe(1);
  expect(json.error.message).toContain("no longer valid");
  const absent = await cliJson<Fault>(["keys", "list", "--account", "nobody"], env);
  expect(absent).toMatchObject({ code: 1, json: { error: { type: "account_unknown" } } });
});

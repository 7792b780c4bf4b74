import { userInfo } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { matchesHash, namedUsers } from "../../dashboards/users.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";
import { cli, cliJson, cliProcess } from "./cli.ts";
import type { Fault } from "./cli.ts";

let db: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  db = await testDatabase();
  env = { DATABASE_URL: db.url };
});

afterAll(() => db.drop());

test("create, change, list", async () => {
  const none = await cliJson(["accounts", "list"], env, cliProcess);
  expect(none).toEqual({ code: 0, json: { accounts: [] } });

  const created = await cliJson(["accounts", "create", "press office", "--rate", "5"], env);
  expect(created).toEqual({
    code: 0,
    json: {
      name: "press office",
      disabled: false,
      rate_per_second: 5,
      max_in_flight: 20,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      balances: {
        live: { balance: 0, held: 0, available: 0, alert_below: null },
        test: { balance: 1_000_000, held: 0, available: 1_000_000, alert_below: null },
      },
    },
  });

  const set = ["accounts", "set", "press office"];
  const changed = await cliJson([...set, "--in-flight", "3", "--disable"], env);
  expect(changed).toMatchObject({
    code: 0,
    json: { disabled: true, rate_per_second: 5, max_in_flight: 3 },
  });
  const enabled = await cliJson([...set, "--enable"], env);
  expect(enabled).toMatchObject({ json: { disabled: false, max_in_flight: 3 } });

  const listed = await cliJson(["accounts", "list"], env);
  expect(listed.json).toEqual({ accounts: [enabled.json] });
  const { code, stdout } = await cli(["accounts", "list"], env);
  expect(code).toBe(0);
  expect(stdout.split("\n")[1]).toMatch(/^press office +no +5 +3 +0 +1000000$/);
});

test("a name that is taken, and an unknown one", async () => {
  await cliJson(["accounts", "create", "twice"], env);
  const taken = await cliJson<Fault>(["accounts", "create", "twice", "--rate", "1"], env);
  expect(taken).toMatchObject({ code: 1, json: { error: { type: "account_exists" } } });
  expect(taken.json.error.message).toContain("twice");
  const absent = await cliJson<Fault>(["accounts", "set", "nobody", "--disable"], env);
  expect(absent).toMatchObject({ code: 1, json: { error: { type: "account_unknown" } } });
  expect(absent.json.error.message).toContain("nobody");
});

test("the log of changes has who, before, after and why of each change", async () => {
  const account = ["--account", "logged"];
  const json = async <T>(...args: string[]) =>
    (await cliJson<T>(args, { ...env, KEY_PEPPER: "p".repeat(32) })).json;
  await json("accounts", "create", "logged");
  await json("accounts", "set", "logged", "--rate", "7", "--why", "they asked");
  await json("accounts", "set", "logged", "--ignore-robots", "yes");
  await json("credits", "add", ...account, "--mode", "live", "--credits", "50", "--reason", "paid");
  const { id } = await json<{ id: string }>("keys", "create", ...account, "--mode", "live");
  const next = await json<{ id: string }>("keys", "rotate", id, "--overlap-hours", "0");
  await json("keys", "revoke", next.id, "--why", "it leaked");
  const budget = ["accounts", "budget", "logged", "--mode", "live", "--per", "day"];
  await json(...budget, "--credits", "10");
  await json(...budget, "--off", "--why", "no longer needed");
  await json("control", "cap", "account", "logged", "--per-minute", "9", "--why", "too busy");
  await json("control", "on", "account", "logged", "--why", "calm again");
  await db.sql`update accounts set max_in_flight = 3 where name = 'logged'`;

  interface Row {
    who: string;
    via: string;
    kind: string;
    target: string;
    why: string;
    before: unknown;
    after: unknown;
  }
  const { changes } = await json<{ changes: Row[] }>("changes", ...account);
  const limits = { disabled: false, max_in_flight: 20 };
  const ending = { state: "replaced", replaced_by: next.id, until: expect.stringMatching(/Z$/) };
  const alert = { alert_percent: 80 };
  expect(changes.map((row) => [row.kind, row.target, row.before, row.after, row.why])).toEqual(
    [
      ["account", "logged", null, { rate_per_second: 60, max_in_flight: 20 }, ""],
      ["credits", "logged test", { balance: 0 }, { balance: 1_000_000 }, "opening balance"],
      [
        "limits",
        "logged",
        { ...limits, rate_per_second: 60 },
        { ...limits, rate_per_second: 7 },
        "they asked",
      ],
      ["limits", "logged", { may_ignore_robots: false }, { may_ignore_robots: true }, ""],
      ["credits", "logged live", { balance: 0 }, { balance: 50 }, "paid"],
      ["key", id, null, { state: "valid", mode: "live" }, ""],
      ["key", next.id, null, { state: "valid", mode: "live" }, ""],
      ["key", id, { state: "valid" }, ending, ""],
      ["key", next.id, { state: "valid" }, { state: "revoked" }, "it leaked"],
      ["budget", "logged live day", null, { ...alert, credits: 10 }, ""],
      ["budget", "logged live day", { ...alert, credits: 10 }, null, "no longer needed"],
      [
        "control",
        "account logged",
        { effect: "none" },
        { effect: "cap", per_minute: 9 },
        "too busy",
      ],
      [
        "control",
        "account logged",
        { effect: "cap", per_minute: 9 },
        { effect: "none" },
        "calm again",
      ],
      [
        "limits",
        "logged",
        { ...limits, rate_per_second: 7 },
        { ...limits, rate_per_second: 7, max_in_flight: 3 },
        "",
      ],
    ].toReversed(),
  );
  const [byHand, byCommand] = changes;
  expect(byHand?.via).toBe("program");
  expect(byCommand).toMatchObject({ via: "command line", who: userInfo().username });
  const { stdout } = await cli(["changes", ...account, "--kind", "limits"], env);
  expect(stdout).toMatch(
    / command line +limits +logged +rate per second 60 +rate per second 7 +they asked\n/,
  );
  await expect(db.sql`delete from changes`).rejects.toThrow(/append-only/);
});

test("users hash prints an entry for the dashboards, whose password is shown once", async () => {
  const { json } = await cliJson<{ entry: string; password: string }>(
    ["users", "hash", "ada", "--role", "viewer"],
    env,
  );
  const [user] = namedUsers.parse(json.entry);
  expect(user).toMatchObject({ user: "ada", role: "viewer" });
  expect(json.entry).not.toContain(json.password);
  expect(await matchesHash(json.password, user?.hash ?? "")).toBe(true);
  expect(await matchesHash(`${json.password}x`, user?.hash ?? "")).toBe(false);
  expect((await cli(["users", "hash", "a:b", "--role", "viewer"], env)).stderr).toContain("colons");
});

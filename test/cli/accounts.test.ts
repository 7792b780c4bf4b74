import { afterAll, beforeAll, expect, test } from "vitest";
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

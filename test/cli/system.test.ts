import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authenticate, findKey } from "../../db/keys.ts";
import { DataFolder } from "../../local/data-folder.ts";
import { emptyDatabase, testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";
import { freePort } from "../redis-server.ts";
import { cli, cliJson, cliProcess, pepper } from "./cli.ts";
import type { Fault } from "./cli.ts";

let db: TestDatabase;
let home: string;

beforeAll(async () => {
  db = await testDatabase();
  home = mkdtempSync(join(tmpdir(), "gateway-cli-"));
});

afterAll(async () => {
  await db.drop();
  rmSync(home, { recursive: true, force: true });
});

const createKey = ["keys", "create", "--account", "found", "--mode", "test"];

describe("locating the system", () => {
  test("nothing found: one sentence, exit code 1", async () => {
    const { code, stdout, stderr } = await cliProcess(["accounts", "list"], { DATA_DIR: home });
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^No gateway is running in .*npm start.*\.\n$/);
    expect(stderr).toContain(home);
  });

  test("a folder with a running gateway: its database, and its pepper", async () => {
    const dir = join(home, "running");
    const folder = await DataFolder.open(dir);
    const { keyPepper } = folder.secrets();
    folder.announce({ databaseUrl: db.url, redisUrl: "", apiUrl: "", dashboardsUrl: "" });
    const first = await cliJson<{ key: string }>(createKey, { DATA_DIR: dir });
    expect(first.code).toBe(0);
    const find = (id: string) => findKey(db, id);
    expect(await authenticate(first.json.key, keyPepper, find)).toMatchObject({
      accountName: "found",
    });

    const own = await cliJson<{ key: string }>(createKey, { DATA_DIR: dir, KEY_PEPPER: pepper });
    expect(await authenticate(own.json.key, pepper, find)).toBeDefined();
    folder.close();
    const closed = await cliJson<Fault>(createKey, { DATA_DIR: dir });
    expect(closed).toMatchObject({ code: 1, json: { error: { type: "not_running" } } });
  });

  test("a database without its pepper: reading works, making keys does not", async () => {
    const env = { DATABASE_URL: db.url };
    expect((await cliJson(["accounts", "list"], { ...env, DATA_DIR: "" })).code).toBe(0);
    const { code, json } = await cliJson<Fault>(createKey, { ...env, DATA_DIR: "" });
    expect(code).toBe(1);
    expect(json.error.message).toContain("KEY_PEPPER");
    const short = await cliJson<Fault>(createKey, { ...env, KEY_PEPPER: "short" });
    expect(short.json.error.message).toContain("KEY_PEPPER");
  });

  test("secrets from files", async () => {
    const file = join(home, "database-url");
    writeFileSync(file, `${db.url}\n`);
    expect((await cliJson(["accounts", "list"], { DATABASE_URL_FILE: file })).code).toBe(0);
    const { json } = await cliJson<Fault>(["accounts", "list"], {
      DATABASE_URL_FILE: join(home, "no"),
    });
    expect(json.error.message).toContain("DATABASE_URL_FILE");
  });
});

describe("a database that cannot serve", () => {
  const failing = async (url: string, run = cli) => {
    const { code, stderr } = await run(["accounts", "list"], { DATABASE_URL: url });
    expect(code).toBe(1);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).not.toContain("hidden");
    return stderr;
  };

  test("nothing listens", async () => {
    const url = `postgres://somebody:hidden@127.0.0.1:${await freePort()}/gateway`;
    expect(await failing(url, cliProcess)).toContain("did not answer (ECONNREFUSED)");
  });

  test("a wrong password", async () => {
    const url = new URL(db.url);
    if (url.password === "") return;
    url.password = "hidden";
    expect(await failing(url.href)).toMatch(/refuses the (password|user) in DATABASE_URL/);
  });

  test("no such database", async () => {
    const url = new URL(db.url);
    url.pathname = "/absent";
    expect(await failing(url.href)).toContain("no database of the name");
  });

  test("a database without migrations", async () => {
    const empty = await emptyDatabase();
    try {
      expect(await failing(empty.url)).toContain("migrate");
    } finally {
      await empty.drop();
    }
  });

  test("an invalid address", async () => {
    expect(await failing("hidden")).toContain("DATABASE_URL");
  });
});

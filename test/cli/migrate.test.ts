import { expect, test } from "vitest";
import { connect } from "../../db/client.ts";
import { migrationState } from "../../db/migration-state.ts";
import { emptyDatabase } from "../database.ts";
import { freePort } from "../redis-server.ts";
import { cliJson, cliProcess } from "./cli.ts";
import type { Fault } from "./cli.ts";

test("an empty database is brought up to date, once", async () => {
  const { url, drop } = await emptyDatabase();
  const db = connect(url, { max: 1 });
  try {
    const names = (await migrationState(db)).pending;
    expect(names.length).toBeGreaterThan(0);
    const first = await cliJson(["migrate"], { DATABASE_URL: url }, cliProcess);
    expect(first).toEqual({ code: 0, json: { applied: names } });
    expect((await migrationState(db)).pending).toEqual([]);
    const second = await cliJson(["migrate"], { DATABASE_URL: url });
    expect(second).toEqual({ code: 0, json: { applied: [] } });

    await db.sql`insert into schema_versions (name, sha256, compatible_from) values ('9999_later.sql', 'x', 0)`;
    const older = await cliJson<{ warning: string }>(["migrate"], { DATABASE_URL: url });
    expect(older).toMatchObject({ code: 0, json: { applied: [] } });
    expect(older.json.warning).toContain("9999_later.sql");

    await db.sql`update schema_versions set sha256 = 'other' where name = ${names[0] ?? ""}`;
    const changed = await cliJson<Fault>(["migrate"], { DATABASE_URL: url });
    expect(changed.code).toBe(1);
    expect(changed.json.error.message).toContain(names[0]);
  } finally {
    await db.close();
    await drop();
  }
});

test("a database that does not listen is named", async () => {
  const url = `postgres://somebody@127.0.0.1:${await freePort()}/gateway`;
  const { code, stderr } = await cliProcess(["migrate"], { DATABASE_URL: url });
  expect(code).toBe(1);
  expect(stderr).toContain("did not answer");
});

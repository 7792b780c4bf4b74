import { expect, test } from "vitest";
import { connect } from "../../db/client.ts";
import { settingsWarning } from "../../db/objection.ts";
import { testDatabase } from "../database.ts";

test("settings that a session lacks are named, and none are missed that it has", async () => {
  const db = await testDatabase();
  const name = new URL(db.url).pathname.slice(1);
  // A session behind a pooler has the settings of its role and its database alone.
  const warned = async (): Promise<string | undefined> => {
    const pooled = connect(`${db.url}?pgbouncer=true`, { max: 1 });
    try {
      return await settingsWarning(pooled);
    } finally {
      await pooled.close();
    }
  };
  try {
    expect(await settingsWarning(db)).toBeUndefined();
    expect(await warned()).toContain("no time limit");
    await db.sql.unsafe(`alter database ${name} set statement_timeout = '10s'`);
    await db.sql.unsafe(`alter database ${name} set lock_timeout = '2s'`);
    const [, [server]] = await db.sql.begin((sql) => [
      sql`set local jit = on`,
      sql<{ compiles: boolean }[]>`select pg_jit_available() as compiles`,
    ]);
    // Some builds of Postgres have no compiler.
    const missing = await warned();
    if (server?.compiles) expect(missing).toContain("set jit = off");
    else expect(missing).toBeUndefined();
    await db.sql.unsafe(`alter database ${name} set jit = off`);
    expect(await warned()).toBeUndefined();
  } finally {
    await db.drop();
  }
});

import { randomBytes } from "node:crypto";
import type postgres from "postgres";
import { oneConnection } from "../db/address.ts";
import { connect } from "../db/client.ts";
import type { ConnectOptions, Database } from "../db/client.ts";
import { migrate } from "../db/migrate.ts";

export interface TestDatabase extends Database {
  readonly url: string;
  /** Closes the connections and drops the database. */
  drop: () => Promise<void>;
}

/** Returns the address at which the work succeeded. */
async function asAdmin(run: (sql: postgres.Sql) => Promise<unknown>): Promise<string> {
  const address = process.env["TEST_DATABASE_URL"];
  if (!address) throw new Error("TEST_DATABASE_URL names an administrative database to test on.");
  const sql = oneConnection(address, 10);
  try {
    await run(sql);
  } finally {
    await sql.end();
  }
  return address;
}

/** An empty database of its own on the server of TEST_DATABASE_URL; returns its address. */
export async function emptyDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const address = await asAdmin((sql) => sql.unsafe(`create database ${name}`));
  const drop = async () => {
    await asAdmin((sql) => sql.unsafe(`drop database if exists ${name} with (force)`));
  };
  return { url: databaseNamed(address, name), drop };
}

/** The same server or servers with another database. */
export const databaseNamed = (url: string, name: string): string =>
  url.replace(/^([^/]+\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${name}`);

/** A migrated database of its own. */
export async function testDatabase(options?: ConnectOptions): Promise<TestDatabase> {
  const database = await emptyDatabase();
  await migrate(database.url);
  return opened(database, options);
}

export function opened(
  { url, drop }: Awaited<ReturnType<typeof emptyDatabase>>,
  options?: ConnectOptions,
): TestDatabase {
  const db = connect(url, options);
  return {
    ...db,
    url,
    drop: async () => {
      await db.close();
      await drop();
    },
  };
}

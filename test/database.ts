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

export interface OwnDatabase {
  url: string;
  drop: () => Promise<void>;
}

/** A database of its own on the server of TEST_DATABASE_URL, empty unless it copies the named one. */
export async function ownDatabase(template?: string): Promise<OwnDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const from = template === undefined ? "" : `template ${template}`;
  const address = await asAdmin((sql) => sql.unsafe(`create database ${name} ${from}`));
  const drop = async () => {
    await asAdmin((sql) => sql.unsafe(`drop database if exists ${name} with (force)`));
  };
  return { url: databaseNamed(address, name), drop };
}

/** The same server or servers with another database. */
export const databaseNamed = (url: string, name: string): string =>
  url.replace(/^([^/]+\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${name}`);

export const emptyDatabase = (): Promise<OwnDatabase> => ownDatabase();

/** Makes the database that `testDatabase` copies, so that each run applies the migrations once. */
export async function templateDatabase(): Promise<OwnDatabase> {
  const database = await ownDatabase();
  await migrate(database.url);
  process.env["TEST_TEMPLATE_DATABASE"] = database.url;
  return database;
}

/** Name of the database to copy; a test's own server has none. */
function templateName(): string | undefined {
  const [server = "", template] = [
    process.env["TEST_DATABASE_URL"],
    process.env["TEST_TEMPLATE_DATABASE"],
  ];
  if (template === undefined || databaseNamed(server, "") !== databaseNamed(template, "")) return;
  return new URL(template).pathname.slice(1);
}

/** A migrated database of its own. */
export async function testDatabase(options?: ConnectOptions): Promise<TestDatabase> {
  const template = templateName();
  const database = await ownDatabase(template);
  if (template === undefined) await migrate(database.url);
  return opened(database, options);
}

export function opened({ url, drop }: OwnDatabase, options?: ConnectOptions): TestDatabase {
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

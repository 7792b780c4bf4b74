import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import postgres from "postgres";
import type { Database } from "./client.ts";

interface Migration {
  name: string;
  text: string;
  sha256: string;
}

// Any number that nothing else in the database uses.
const migrationLock = 7_240_613;

const folder = new URL("./migrations/", import.meta.url);

function migrations(): Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => {
      const text = readFileSync(new URL(name, folder), "utf8");
      return { name, text, sha256: createHash("sha256").update(text).digest("hex") };
    });
}

function notIn(applied: Map<string, string>): Migration[] {
  const all = migrations();
  const changed = all.find(({ name, sha256 }) => (applied.get(name) ?? sha256) !== sha256);
  if (changed) throw new Error(`Migration ${changed.name} was changed after it was applied.`);
  return all.filter(({ name }) => !applied.has(name));
}

/** Brings the database up to date and returns the names of what was applied; safe to run in several processes at once. */
export async function migrate(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    await sql`select pg_advisory_lock(${migrationLock})`;
    await sql`
      create table if not exists migrations (
        name text primary key, sha256 text not null, applied_at timestamptz not null default now())`;
    const rows = await sql<{ name: string; sha256: string }[]>`select name, sha256 from migrations`;
    const pending = notIn(new Map(rows.map((row) => [row.name, row.sha256])));
    for (const { name, text, sha256 } of pending) {
      await sql.begin(async (transaction) => {
        await transaction.unsafe(text).simple();
        await transaction`insert into migrations (name, sha256) values (${name}, ${sha256})`;
      });
    }
    return pending.map(({ name }) => name);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Names of the migrations that this database has not had yet. */
export async function pendingMigrations(db: Database): Promise<string[]> {
  const [found] = await db.answer(
    db.sql<{ there: boolean }[]>`select to_regclass('migrations') is not null as there`,
  );
  if (!found?.there) return migrations().map(({ name }) => name);
  const rows = await db.answer(
    db.sql<{ name: string; sha256: string }[]>`select name, sha256 from migrations`,
  );
  return notIn(new Map(rows.map((row) => [row.name, row.sha256]))).map(({ name }) => name);
}

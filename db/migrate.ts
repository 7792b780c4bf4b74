import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { oneConnection } from "./address.ts";
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
  const names = new Set(all.map(({ name }) => name));
  const unknown = [...applied.keys()].filter((name) => !names.has(name));
  if (unknown.length > 0)
    throw new Error(`The database is newer than this version: it has had ${unknown.join(", ")}.`);
  return all.filter(({ name }) => !applied.has(name));
}

/** Brings the database up to date and returns the names of what was applied; safe to run in several processes at once. */
export async function migrate(url: string): Promise<string[]> {
  const sql = oneConnection(url, 10);
  try {
    const applied: string[] = [];
    for (;;) {
      // Each in a transaction with the lock: behind a pooler there is nothing longer than that.
      const name = await sql.begin(async (transaction) => {
        await transaction`select pg_advisory_xact_lock(${migrationLock})`;
        await transaction`
          create table if not exists migrations (
            name text primary key, sha256 text not null, applied_at timestamptz not null default now())`;
        const rows = await transaction<{ name: string; sha256: string }[]>`
          select name, sha256 from migrations`;
        const [next] = notIn(new Map(rows.map((row) => [row.name, row.sha256])));
        if (!next) return undefined;
        await transaction.unsafe(next.text).simple();
        await transaction`
          insert into migrations (name, sha256) values (${next.name}, ${next.sha256})`;
        return next.name;
      });
      if (name === undefined) return applied;
      applied.push(name);
    }
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Names of migrations: not applied yet, applied with another text, and applied but unknown to this version. */
export async function migrationState(
  db: Database,
): Promise<{ pending: string[]; changed: string[]; unknown: string[] }> {
  const known = migrations();
  const [found] = await db.answer(
    db.sql<{ there: boolean }[]>`select to_regclass('migrations') is not null as there`,
  );
  const rows = found?.there
    ? await db.answer(
        db.sql<{ name: string; sha256: string }[]>`select name, sha256 from migrations`,
      )
    : [];
  const applied = new Map(rows.map((row) => [row.name, row.sha256]));
  const names = new Set(known.map(({ name }) => name));
  const nameOf = ({ name }: { name: string }) => name;
  return {
    pending: known.filter(({ name }) => !applied.has(name)).map(nameOf),
    changed: known
      .filter(({ name, sha256 }) => (applied.get(name) ?? sha256) !== sha256)
      .map(nameOf),
    unknown: [...applied.keys()].filter((name) => !names.has(name)).toSorted(),
  };
}

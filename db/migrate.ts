import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { oneConnection } from "./address.ts";
import type { Database } from "./client.ts";

interface Migration {
  name: string;
  text: string;
  sha256: string;
  /** Number of the latest migration that a process must know to work with the database from here on. */
  compatibleFrom: number;
}

type Applied = Pick<Migration, "name" | "sha256" | "compatibleFrom">;

/** Names of migrations, seen from this version. */
export interface MigrationState {
  /** Not applied yet. */
  pending: string[];
  /** Applied with another text. */
  changed: string[];
  /** Applied by a later version; this one works with them. */
  unknown: string[];
  /** Applied by a later version; this one does not work with them. */
  breaking: string[];
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
      return {
        name,
        text,
        sha256: createHash("sha256").update(text).digest("hex"),
        compatibleFrom: Number(/^-- compatible from (\d{4})$/m.exec(text)?.[1] ?? 0),
      };
    });
}

function compared(known: readonly Migration[], applied: readonly Applied[]): MigrationState {
  const newest = Number.parseInt(known.at(-1)?.name ?? "0", 10);
  const texts = new Map(applied.map(({ name, sha256 }) => [name, sha256]));
  const names = new Set(known.map(({ name }) => name));
  const foreign = applied.filter(({ name }) => !names.has(name));
  const nameOf = ({ name }: { name: string }) => name;
  return {
    pending: known.map(nameOf).filter((name) => !texts.has(name)),
    changed: known.filter(({ name, sha256 }) => (texts.get(name) ?? sha256) !== sha256).map(nameOf),
    unknown: foreign.filter(({ compatibleFrom }) => compatibleFrom <= newest).map(nameOf),
    breaking: foreign.filter(({ compatibleFrom }) => compatibleFrom > newest).map(nameOf),
  };
}

/** One sentence when this version can neither work with the database nor migrate it. */
export function migrationObjection(state: MigrationState): string | undefined {
  const { pending, changed, unknown, breaking } = state;
  if (changed.length > 0) {
    return `Migration ${changed.join(", ")} was changed after it was applied: the database belongs to another build.`;
  }
  if (breaking.length > 0) {
    return `The database is newer than this version, which does not work with ${breaking.join(", ")}: start the version that migrated it, or a later one.`;
  }
  if (pending.length > 0 && unknown.length > 0) {
    return `The database belongs to another build: it has had ${unknown.join(", ")}, and ${pending.join(", ")} not.`;
  }
  return undefined;
}

/** One sentence when a later version has migrated the database and this one works with it. */
export const migrationWarning = ({ unknown }: MigrationState): string | undefined =>
  unknown.length > 0
    ? `The database is newer than this version, which does not know ${unknown.join(", ")} and works with it: a later version has migrated it.`
    : undefined;

const appliedRows = `
  select name, sha256, coalesce((to_jsonb(m) ->> 'compatible_from')::integer, 0) as "compatibleFrom"
  from migrations m order by name`;

/**
 * Brings the database up to date and returns the names of what was applied; safe to run in several
 * processes at once. A database that a later version has migrated is left as it is, with a warning.
 */
export async function migrate(
  url: string,
  warn: (warning: string) => void = () => {},
): Promise<string[]> {
  const sql = oneConnection(url, 10);
  try {
    const known = migrations();
    const applied: string[] = [];
    for (;;) {
      // Each in a transaction with the lock: behind a pooler there is nothing longer than that.
      const name = await sql.begin(async (transaction) => {
        await transaction`select pg_advisory_xact_lock(${migrationLock})`;
        await transaction`
          create table if not exists migrations (
            name text primary key, sha256 text not null, applied_at timestamptz not null default now())`;
        await transaction`
          alter table migrations add column if not exists compatible_from integer not null default 0`;
        const state = compared(known, await transaction.unsafe<Applied[]>(appliedRows));
        const objection = migrationObjection(state);
        if (objection !== undefined) throw new Error(objection);
        const next = known.find((migration) => migration.name === state.pending[0]);
        if (!next) {
          const warning = migrationWarning(state);
          if (warning !== undefined) warn(warning);
          return undefined;
        }
        const { name, text, sha256, compatibleFrom } = next;
        await transaction.unsafe(text).simple();
        await transaction`
          insert into migrations (name, sha256, compatible_from)
          values (${name}, ${sha256}, ${compatibleFrom})`;
        return name;
      });
      if (name === undefined) return applied;
      applied.push(name);
    }
  } finally {
    await sql.end({ timeout: 5 });
  }
}

export async function migrationState(db: Database): Promise<MigrationState> {
  const [found] = await db.answer(
    db.sql<{ there: boolean }[]>`select to_regclass('migrations') is not null as there`,
  );
  const applied = found?.there ? await db.answer(db.sql.unsafe<Applied[]>(appliedRows)) : [];
  return compared(migrations(), applied);
}

import type { Sql, TransactionSql } from "postgres";
import { oneConnection } from "./address.ts";
import { baseline, migrationObjection, migrationWarning, stateOf } from "./migration-state.ts";
import { type Migration, numberOf, sqlFiles } from "./migrations.ts";
import { retryUntil } from "../runtime/retry.ts";

// Any number that nothing else in the database uses.
const migrationLock = 7_240_613;

/**
 * Waiting for a table's lock, in milliseconds. All calls wait behind a waiting migration, and statements that wait
 * for its other tables deadlock with it; Postgres ends one of them after a second. So the migration gives up first,
 * and begins again after a pause.
 */
const tableLockMs = 300;
const pauseMs = 500;
const mostAttempts = 120;
const lockTimeout = "55P03";
const deadlock = "40P01";

/**
 * Brings the database up to date and returns the names of the applied migrations; safe to run in several
 * processes at once. A database that a later version has migrated is left as it is, with a warning.
 */
export async function migrate(
  url: string,
  warn: (warning: string) => void = () => {},
  files = sqlFiles(),
): Promise<string[]> {
  const sql = oneConnection(url, 10);
  try {
    return await retryUntil(() => applyPending(sql, warn, files), {
      pauseMs,
      isOver: (error, attempt) =>
        ![lockTimeout, deadlock].includes((error as { code?: string }).code ?? "") ||
        attempt === mostAttempts,
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** One transaction: no process ever sees new tables beside old functions. */
function applyPending(
  sql: Sql,
  warn: (warning: string) => void,
  files: ReturnType<typeof sqlFiles>,
): Promise<string[]> {
  return sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${migrationLock})`;
    await transaction`select set_config('lock_timeout', ${`${tableLockMs}ms`}, true)`;
    const state = await stateOf((query) => transaction.unsafe(query), files);
    const objection = migrationObjection(state);
    if (objection !== undefined) throw new Error(objection);
    const warning = migrationWarning(state);
    if (warning !== undefined) warn(warning);
    if (state.pending.length === 0) return [];

    await transaction`
      create table if not exists schema_versions (
        name text primary key, sha256 text not null, compatible_from integer not null,
        applied_at timestamptz not null default now())`;
    for (const step of [...files.migrations, files.functions]) {
      if (state.pending.includes(step.name)) await transaction.unsafe(step.text).simple();
      await note(transaction, step);
    }
    return state.pending;
  });
}

async function note(transaction: TransactionSql, step: Migration): Promise<void> {
  const { name, sha256, compatibleFrom } = step;
  await transaction`
    insert into schema_versions (name, sha256, compatible_from)
    values (${name}, ${sha256}, ${compatibleFrom})
    on conflict (name) do update set sha256 = excluded.sha256, applied_at = excluded.applied_at
      where schema_versions.sha256 <> excluded.sha256`;
  // A process that reads only the former table refuses to start on a row that it does not know.
  if (compatibleFrom > numberOf(baseline)) await closeFormer(transaction, name);
}

async function closeFormer(transaction: TransactionSql, name: string): Promise<void> {
  const [table] = await transaction<{ there: boolean }[]>`
    select to_regclass('migrations') is not null as there`;
  if (table?.there) {
    await transaction`
      insert into migrations (name, sha256) values (${name}, '') on conflict do nothing`;
  }
}

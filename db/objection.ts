import type { Database } from "./client.ts";
import { migrationObjection, migrationState, migrationWarning } from "./migration-state.ts";

export const oldestPostgres = 14;

/** A sentence if this version must not use the database, otherwise undefined. */
export async function databaseObjection(db: Database): Promise<string | undefined> {
  const [server] = await db.answer(
    db.sql<{ version: string }[]>`select current_setting('server_version') as version`,
  );
  const version = server?.version ?? "";
  if (Number.parseInt(version, 10) < oldestPostgres) {
    return `Postgres ${version} is too old: ${oldestPostgres} or later is needed.`;
  }
  const state = await migrationState(db);
  const objection = migrationObjection(state);
  if (objection !== undefined) return objection;
  if (state.pending.length > 0) {
    return `The database is not migrated, ${state.pending.join(", ")} pending: run \`npm run migrate\`.`;
  }
  return undefined;
}

/** Warnings about a database that this version can use. */
export async function databaseWarnings(db: Database): Promise<string[]> {
  const warnings = [migrationWarning(await migrationState(db)), await limitsWarning(db)];
  return warnings.filter((warning) => warning !== undefined);
}

/** A sentence if statements have no time limit: behind a pooler the role must have the limits. */
export async function limitsWarning(db: Database): Promise<string | undefined> {
  const [limits] = await db.answer(
    db.sql<{ unlimited: boolean; role: string }[]>`
      select current_user as role,
        '0' in (current_setting('statement_timeout'), current_setting('lock_timeout')) as unlimited`,
  );
  return limits?.unlimited
    ? `Statements have no time limit, so calls hang while they wait for a lock: alter role ${limits.role} set statement_timeout = '10s', and lock_timeout = '2s'.`
    : undefined;
}

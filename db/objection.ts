import type { Database } from "./client.ts";
import {
  type MigrationState,
  migrationObjection,
  migrationState,
  migrationWarning,
} from "./migration-state.ts";

export const oldestPostgres = 14;

export interface DatabaseCheck {
  /** A sentence if this version must not use the database. */
  objection: string | undefined;
  /** A sentence if this version can use the database, and a later one has migrated it. */
  warning: string | undefined;
}

/** Compares the server and the applied migrations with the needs of this version. */
export async function checkDatabase(db: Database): Promise<DatabaseCheck> {
  const [server] = await db.answer(
    db.sql<{ version: string }[]>`select current_setting('server_version') as version`,
  );
  const version = server?.version ?? "";
  if (Number.parseInt(version, 10) < oldestPostgres) {
    const objection = `Postgres ${version} is too old: ${oldestPostgres} or later is needed.`;
    return { objection, warning: undefined };
  }
  const state = await migrationState(db);
  const objection = migrationObjection(state) ?? pendingObjection(state);
  return { objection, warning: objection === undefined ? migrationWarning(state) : undefined };
}

const pendingObjection = ({ pending }: MigrationState): string | undefined =>
  pending.length > 0
    ? `The database is not migrated, ${pending.join(", ")} pending: run \`npm run migrate\`.`
    : undefined;

/** Sentences about settings that a session lacks: behind a pooler the role must have them. */
export async function settingsWarning(db: Database): Promise<string | undefined> {
  const [found] = await db.answer(
    db.sql<{ unlimited: boolean; compiles: boolean; role: string }[]>`
      select current_user as role, pg_jit_available() as compiles,
        '0' in (current_setting('statement_timeout'), current_setting('lock_timeout')) as unlimited`,
  );
  if (!found) return undefined;
  const { unlimited, compiles, role } = found;
  const sentences: string[] = [];
  if (unlimited)
    sentences.push(
      `Statements have no time limit, so calls hang while they wait for a lock: alter role ${role} set statement_timeout = '10s', and lock_timeout = '2s'.`,
    );
  if (compiles)
    sentences.push(
      `Just-in-time compilation takes longer than the statements: alter role ${role} set jit = off.`,
    );
  return sentences.length > 0 ? sentences.join(" ") : undefined;
}

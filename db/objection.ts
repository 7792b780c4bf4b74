import type { Database } from "./client.ts";
import { migrationState } from "./migrate.ts";

export const oldestPostgres = 14;

/** One sentence when this version must not work with the database, otherwise undefined. */
export async function databaseObjection(db: Database): Promise<string | undefined> {
  const [server] = await db.answer(
    db.sql<{ version: string }[]>`select current_setting('server_version') as version`,
  );
  const version = server?.version ?? "";
  if (Number.parseInt(version, 10) < oldestPostgres) {
    return `Postgres ${version} is too old: ${oldestPostgres} or later is needed.`;
  }
  const { pending, changed, unknown } = await migrationState(db);
  if (changed.length > 0) {
    return `The database was migrated by other texts of ${changed.join(", ")}: it belongs to another build.`;
  }
  if (unknown.length > 0) {
    return `The database is newer than this version, which does not know ${unknown.join(", ")}: start the version that migrated it, or a later one.`;
  }
  if (pending.length > 0) {
    return `The database is not migrated, ${pending.join(", ")} pending: run \`npm run migrate\`.`;
  }
  return undefined;
}

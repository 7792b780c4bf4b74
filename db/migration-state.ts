import type { Database } from "./client.ts";
import { type Migration, type SqlFiles, numberOf, sqlFiles } from "./migrations.ts";

/** Names of migrations, compared with the files of this version; "functions" stands for all functions. */
export interface MigrationState {
  /** Migrations of this version that are not applied yet. */
  pending: string[];
  /** Applied with another text. */
  changed: string[];
  /** Applied by a later version, and compatible with this one. */
  unknown: string[];
  /** Applied by a later version, and not compatible with this one. */
  breaking: string[];
  /** The database's last migration, if this version cannot upgrade from it. */
  outdated: string | undefined;
}

interface Applied extends Pick<Migration, "name" | "sha256" | "compatibleFrom"> {}

/**
 * Up to commit 8d894b3 the table `migrations` had the state: 21 files, whose result is the baseline. The table
 * stays unchanged, because a process of that commit starts on exactly those rows.
 */
export const former = { last: "0021_batch_starts.sql", commit: "8d894b3" };
export const baseline = "0021_baseline.sql";

type Query = <T extends object>(text: string) => Promise<readonly T[]>;

function compared(
  { migrations, functions }: SqlFiles,
  applied: readonly Applied[],
): Omit<MigrationState, "outdated"> {
  const newest = numberOf(migrations.at(-1)?.name ?? "0");
  const hashes = new Map(applied.map(({ name, sha256 }) => [name, sha256]));
  const names = new Set([...migrations, functions].map(({ name }) => name));
  const foreign = applied.filter(({ name }) => !names.has(name));
  const nameOf = ({ name }: { name: string }) => name;
  // A later version's migration brought its functions, which serve this version as well.
  const isBehind = foreign.length === 0 && hashes.get(functions.name) !== functions.sha256;
  return {
    pending: [
      ...migrations.map(nameOf).filter((name) => !hashes.has(name)),
      ...(isBehind ? [functions.name] : []),
    ],
    changed: migrations
      .filter(({ name, sha256 }) => (hashes.get(name) ?? sha256) !== sha256)
      .map(nameOf),
    unknown: foreign.filter(({ compatibleFrom }) => compatibleFrom <= newest).map(nameOf),
    breaking: foreign.filter(({ compatibleFrom }) => compatibleFrom > newest).map(nameOf),
  };
}

/** Compares the applied migrations of a database with the files. */
export async function stateOf(query: Query, files: SqlFiles): Promise<MigrationState> {
  const [table] = await query<{ current: boolean; former: boolean }>(`
    select to_regclass('schema_versions') is not null as current,
      to_regclass('migrations') is not null as former`);
  if (table?.current) {
    const rows = await query<Applied>(`
      select name, sha256, compatible_from as "compatibleFrom" from schema_versions order by name`);
    return { ...compared(files, rows), outdated: undefined };
  }
  const rows = table?.former
    ? await query<{ name: string }>("select name from migrations order by name")
    : [];
  const isAtBaseline = rows.some(({ name }) => name === former.last);
  const applied = files.migrations.filter(({ name }) => isAtBaseline && name === baseline);
  return {
    ...compared(files, applied),
    outdated: isAtBaseline ? undefined : rows.at(-1)?.name,
  };
}

export function migrationState(db: Database, files = sqlFiles()): Promise<MigrationState> {
  return stateOf((text) => db.answer(db.sql.unsafe(text)), files);
}

/** A sentence if this version can neither use nor migrate the database. */
export function migrationObjection(state: MigrationState): string | undefined {
  const { pending, changed, unknown, breaking, outdated } = state;
  if (outdated !== undefined) {
    return `The database is at ${outdated}, and this version upgrades from ${former.last} on: run \`npm run migrate\` of commit ${former.commit} first.`;
  }
  if (changed.length > 0) {
    return `Migration ${changed.join(", ")} was changed after it was applied: the database belongs to another build.`;
  }
  if (breaking.length > 0) {
    return `The database is newer than this version, which does not work with ${breaking.join(", ")}: start the version that migrated it, or a later one.`;
  }
  if (pending.length > 0 && unknown.length > 0) {
    return `The database belongs to another build: ${unknown.join(", ")} was applied, and ${pending.join(", ")} was not.`;
  }
  return undefined;
}

/** A sentence if a later version has migrated the database and this version can use it. */
export const migrationWarning = ({ unknown }: MigrationState): string | undefined =>
  unknown.length > 0
    ? `The database is newer than this version, which does not know ${unknown.join(", ")} and works with it: a later version has migrated it.`
    : undefined;

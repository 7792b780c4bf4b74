import type { Database } from "./client.ts";
import { type Migration, type SqlFiles, numberOf, sqlFiles } from "./migrations.ts";

/** Names of migrations, seen from this version; "functions" stands for all of them. */
export interface MigrationState {
  /** Not applied yet. */
  pending: string[];
  /** Applied with another text. */
  changed: string[];
  /** Applied by a later version; this one works with them. */
  unknown: string[];
  /** Applied by a later version; this one does not work with them. */
  breaking: string[];
  /** The last one that the database has had, where this version does not upgrade from it. */
  outdated: string | undefined;
}

interface Applied extends Pick<Migration, "name" | "sha256" | "compatibleFrom"> {}

/**
 * Up to commit 8d894b3 a table `migrations` had the state, with 21 files of which the baseline is the sum.
 * It stays as it was: a process of that commit starts where it finds those rows and no other.
 */
export const former = { last: "0021_batch_starts.sql", commit: "8d894b3" };
export const baseline = "0021_baseline.sql";

type Ask = <T extends object>(query: string) => Promise<readonly T[]>;

function compared(
  { migrations, functions }: SqlFiles,
  applied: readonly Applied[],
): Omit<MigrationState, "outdated"> {
  const newest = numberOf(migrations.at(-1)?.name ?? "0");
  const hashes = new Map(applied.map(({ name, sha256 }) => [name, sha256]));
  const names = new Set([...migrations, functions].map(({ name }) => name));
  const foreign = applied.filter(({ name }) => !names.has(name));
  const nameOf = ({ name }: { name: string }) => name;
  // With a later version's migration came its functions, which serve this version as well.
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

/** What the database has had, beside what the files bring. */
export async function stateOf(ask: Ask, files: SqlFiles): Promise<MigrationState> {
  const [table] = await ask<{ current: boolean; former: boolean }>(`
    select to_regclass('schema_versions') is not null as current,
      to_regclass('migrations') is not null as former`);
  if (table?.current) {
    const rows = await ask<Applied>(`
      select name, sha256, compatible_from as "compatibleFrom" from schema_versions order by name`);
    return { ...compared(files, rows), outdated: undefined };
  }
  const rows = table?.former
    ? await ask<{ name: string }>("select name from migrations order by name")
    : [];
  const isAtBaseline = rows.some(({ name }) => name === former.last);
  const known = files.migrations.filter(({ name }) => isAtBaseline && name === baseline);
  return {
    ...compared(files, known),
    outdated: isAtBaseline ? undefined : rows.at(-1)?.name,
  };
}

export function migrationState(db: Database, files = sqlFiles()): Promise<MigrationState> {
  return stateOf((query) => db.answer(db.sql.unsafe(query)), files);
}

/** One sentence when this version can neither work with the database nor migrate it. */
export function migrationObjection(state: MigrationState): string | undefined {
  const { pending, changed, unknown, breaking, outdated } = state;
  if (outdated !== undefined) {
    return `The database stands at ${outdated}, and this version upgrades from ${former.last} on: run \`npm run migrate\` of commit ${former.commit} first.`;
  }
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

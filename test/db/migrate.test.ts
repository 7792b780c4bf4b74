import { getTableColumns, is } from "../../db/drizzle.ts";
import { getTableConfig, PgTable } from "../../db/drizzle.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../../db/client.ts";
import type { Database } from "../../db/client.ts";
import { migrate } from "../../db/migrate.ts";
import { migrationObjection, migrationState, migrationWarning } from "../../db/migration-state.ts";
import { type SqlFiles, migration, sqlFiles } from "../../db/migrations.ts";
import * as schema from "../../db/schema.ts";
import { emptyDatabase, testDatabase } from "../database.ts";
import { schemaText } from "./schema-text.ts";

let target: Awaited<ReturnType<typeof emptyDatabase>>;
let db: Database;

beforeAll(async () => {
  target = await emptyDatabase();
  db = connect(target.url, { max: 2 });
});

afterAll(async () => {
  await db.close();
  await target.drop();
});

test("several processes at once apply each migration once, in order", async () => {
  const pending = (await migrationState(db)).pending;
  expect(pending.length).toBeGreaterThan(0);
  expect(pending).toEqual(pending.toSorted());
  const applied = await Promise.all([
    migrate(target.url),
    migrate(target.url),
    migrate(target.url),
  ]);
  expect(applied.flat().toSorted()).toEqual(pending);
  expect(await migrationState(db)).toEqual({
    pending: [],
    changed: [],
    unknown: [],
    breaking: [],
    outdated: undefined,
  });
  expect(await migrate(target.url)).toEqual([]);
});

test("schema.ts names the tables, columns and types that the migrations create", async () => {
  const rows = await db.sql<{ name: string }[]>`
    select table_name || '.' || column_name || ' '
      || case data_type when 'ARRAY' then substr(udt_name, 2) || '[]' else data_type end
      || case is_nullable when 'NO' then ' not null' else '' end as name
    from information_schema.columns where table_schema = 'public' and table_name <> 'schema_versions'`;
  const declared = Object.values(schema)
    .filter((table) => is(table, PgTable))
    .flatMap((table) =>
      Object.values(getTableColumns(table)).map(
        (column) =>
          `${getTableConfig(table).name}.${column.name} ${column.getSQLType()}${column.notNull ? " not null" : ""}`,
      ),
    );
  expect(declared.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

const schemaHead = `-- The schema that db/migrations and db/functions make, for readers; no program runs this file.
-- Written by a test. Renew it with: npx vitest run --project system test/db/migrate.test.ts -u

`;

test("schema.sql is the database as the migrations and functions make it", async () => {
  await expect(schemaHead + (await schemaText(db))).toMatchFileSnapshot("schema.sql");
});

const body = async (name: string, of: Database = db) =>
  (await of.sql`select prosrc from pg_proc where proname = ${name}`)[0]?.["prosrc"] as string;

test("functions are written again where their files differ from those of the last time, and only then", async () => {
  const before = await body("end_webhooks");
  const byHand =
    "create or replace function end_webhooks(endpoints text[]) returns void language sql as";
  await db.sql.unsafe(`${byHand} 'select'`);
  // An edit made by hand in the database stays until the files change.
  expect(await migrate(target.url)).toEqual([]);
  expect(await body("end_webhooks")).toBe("select");

  await db.sql`update schema_versions set sha256 = 'other' where name = 'functions'`;
  expect((await migrationState(db)).pending).toEqual(["functions"]);
  const applied = await Promise.all([migrate(target.url), migrate(target.url)]);
  expect(applied.flat()).toEqual(["functions"]);
  expect(await body("end_webhooks")).toBe(before);
  expect((await migrationState(db)).pending).toEqual([]);
});

const files = sqlFiles();
const newest = Number.parseInt(files.migrations.at(-1)?.name ?? "", 10);
/** The files of a later version: one more migration, and a function with another text. */
const later = (head: string): SqlFiles => ({
  migrations: [...files.migrations, migration("9998_later.sql", `${head}\nselect 1`)],
  functions: {
    ...files.functions,
    sha256: "later",
    text: `${files.functions.text}\ncreate or replace function end_webhooks(endpoints text[]) returns void language sql as 'select';`,
  },
});

test("a version starts on, and does not migrate, a database that a later one has migrated", async () => {
  const other = await testDatabase();
  try {
    const next = later(`-- compatible from ${String(newest).padStart(4, "0")}`);
    expect(await migrate(other.url, undefined, next)).toEqual(["9998_later.sql", "functions"]);
    expect(await migrationState(other)).toEqual({
      pending: [],
      changed: [],
      unknown: ["9998_later.sql"],
      breaking: [],
      outdated: undefined,
    });
    const warnings: string[] = [];
    expect(await migrate(other.url, (warning) => warnings.push(warning))).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("9998_later.sql")]);
    expect(await body("end_webhooks", other)).toBe("select");
  } finally {
    await other.drop();
  }
});

test("a migration can close the database to versions that do not know it", async () => {
  const other = await testDatabase();
  try {
    await migrate(other.url, undefined, later("-- compatible from 9998"));
    expect(await migrationState(other)).toMatchObject({
      pending: [],
      unknown: [],
      breaking: ["9998_later.sql"],
    });
    await expect(migrate(other.url)).rejects.toThrow(/newer than this version.*9998_later\.sql/);
  } finally {
    await other.drop();
  }
});

/** Migrations of this version that older processes cannot work with, each with its reason in the changelog. */
const closing: string[] = [];

test("each earlier version starts on this database and migrates nothing, unless a migration closes it", async () => {
  for (const [index, { name }] of files.migrations.slice(0, -1).entries()) {
    const newer = files.migrations.slice(index + 1).map((one) => one.name);
    const earlier = {
      migrations: files.migrations.slice(0, index + 1),
      functions: { ...files.functions, sha256: "of an earlier version" },
    };
    const state = await migrationState(db, earlier);
    const isOpen = !newer.some((one) => closing.includes(one));
    expect(migrationObjection(state) === undefined, name).toBe(isOpen);
    expect([...state.unknown, ...state.breaking].toSorted(), name).toEqual(newer);
    expect(state.pending, name).toEqual([]);
    if (!isOpen) continue;
    expect(migrationWarning(state), name).toContain(newer.at(-1));
    expect(await migrate(target.url, undefined, earlier), name).toEqual([]);
  }
});

test("a migration that fails leaves nothing of its run behind", async () => {
  const other = await emptyDatabase();
  const there = connect(other.url, { max: 1 });
  try {
    const broken = later("select 1 from nowhere;");
    await expect(migrate(other.url, undefined, broken)).rejects.toThrow(/nowhere/);
    expect((await migrationState(there)).pending).toEqual([
      ...files.migrations.map(({ name }) => name),
      "functions",
    ]);
    expect(await migrate(other.url)).toContain("functions");
  } finally {
    await there.close();
    await other.drop();
  }
});

test("a database with migrations of another build, and without some of this one's, is refused", async () => {
  const last = files.migrations.at(-1)?.name ?? "";
  await db.sql`update schema_versions set name = '9999_other.sql' where name = ${last}`;
  try {
    await expect(migrate(target.url)).rejects.toThrow(/another build.*9999_other\.sql/);
  } finally {
    await db.sql`update schema_versions set name = ${last} where name = '9999_other.sql'`;
  }
});

test("a migration that was changed afterwards is reported", async () => {
  await db.sql`
    update schema_versions set sha256 = 'other'
    where name = (select min(name) from schema_versions)`;
  expect((await migrationState(db)).changed).toHaveLength(1);
  await expect(migrate(target.url)).rejects.toThrow(/was changed/);
});

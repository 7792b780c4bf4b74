import { readdirSync } from "node:fs";
import { getTableColumns, is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../../db/client.ts";
import type { Database } from "../../db/client.ts";
import { migrate, migrationState } from "../../db/migrate.ts";
import * as schema from "../../db/schema.ts";
import { emptyDatabase } from "../database.ts";

const newestName =
  readdirSync(new URL("../../db/migrations/", import.meta.url))
    .toSorted()
    .at(-1) ?? "";
const newest = Number.parseInt(newestName, 10);

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
  expect(await migrationState(db)).toEqual({ pending: [], changed: [], unknown: [], breaking: [] });
  expect(await migrate(target.url)).toEqual([]);
});

test("schema.ts names the tables, columns and types that the migrations create", async () => {
  const rows = await db.sql<{ name: string }[]>`
    select table_name || '.' || column_name || ' '
      || case data_type when 'ARRAY' then substr(udt_name, 2) || '[]' else data_type end
      || case is_nullable when 'NO' then ' not null' else '' end as name
    from information_schema.columns where table_schema = 'public' and table_name <> 'migrations'`;
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

test("an older version has nothing to do on a database with one more migration, and warns", async () => {
  const later = { name: "9999_later.sql", sha256: "x" };
  await db.sql`insert into migrations ${db.sql({ ...later, compatible_from: newest })}`;
  try {
    expect(await migrationState(db)).toMatchObject({
      pending: [],
      unknown: [later.name],
      breaking: [],
    });
    const warnings: string[] = [];
    expect(await migrate(target.url, (warning) => warnings.push(warning))).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining(later.name)]);

    await db.sql`update migrations set compatible_from = ${newest + 1} where name = ${later.name}`;
    expect(await migrationState(db)).toMatchObject({ unknown: [], breaking: [later.name] });
    await expect(migrate(target.url)).rejects.toThrow(/newer than this version.*9999_later\.sql/);
  } finally {
    await db.sql`delete from migrations where name = ${later.name}`;
  }
});

test("a database with migrations of another build, and without some of this one's, is refused", async () => {
  await db.sql`update migrations set name = '9999_other.sql' where name = (select max(name) from migrations)`;
  try {
    await expect(migrate(target.url)).rejects.toThrow(/another build.*9999_other\.sql/);
  } finally {
    await db.sql`update migrations set name = ${newestName} where name = '9999_other.sql'`;
  }
});

test("a migration that was changed afterwards is reported", async () => {
  await db.sql`update migrations set sha256 = 'other' where name = (select min(name) from migrations)`;
  expect((await migrationState(db)).changed).toHaveLength(1);
  await expect(migrate(target.url)).rejects.toThrow(/was changed/);
});

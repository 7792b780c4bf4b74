import { afterEach, beforeEach, expect, test } from "vitest";
import { createAccount } from "../../db/accounts.ts";
import { audit } from "../../db/audit.ts";
import { CallStore } from "../../db/calls.ts";
import { usageBy } from "../../db/usage.ts";
import { type Database, connect } from "../../db/client.ts";
import { JobStore } from "../../db/jobs.ts";
import { migrate } from "../../db/migrate.ts";
import { former, migrationState } from "../../db/migration-state.ts";
import { migration, sqlFiles } from "../../db/migrations.ts";
import { type emptyDatabase, testDatabase } from "../database.ts";
import { formerDatabase } from "./former.ts";
import { schemaText } from "./schema-text.ts";

/** A database that commit 8d894b3 made with its own migrations. */

let target: Awaited<ReturnType<typeof emptyDatabase>>;
let db: Database;
beforeEach(async () => {
  target = await formerDatabase();
  db = connect(target.url, { max: 2 });
});
afterEach(async () => {
  await db.close();
  await target.drop();
});

const names = async (table: string) =>
  (await db.sql<{ name: string }[]>`select name from ${db.sql(table)} order by name`).map(
    ({ name }) => name,
  );

test("after the upgrade it is what a new database is, to the last body of a function, but for two to be dropped", async () => {
  const fresh = await testDatabase();
  try {
    expect((await migrationState(db)).pending).toContain("functions");
    const applied = await Promise.all([migrate(target.url), migrate(target.url)]);
    expect(applied.flat()).not.toContain("0021_baseline.sql");
    expect((await migrationState(db)).pending).toEqual([]);
    // db/README.md says why they stay for a release.
    for (const name of ["accept_jobs", "end_jobs"]) await db.sql`drop function ${db.sql(name)}`;
    const [upgraded, made] = await Promise.all([
      schemaText(db, { bodies: true }),
      schemaText(fresh, { bodies: true }),
    ]);
    expect(upgraded).toBe(made);
  } finally {
    await fresh.drop();
  }
});

/** Every row of every table, by table. */
async function rows(): Promise<Record<string, unknown[]>> {
  const tables = await db.sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_versions'`;
  const found = tables.map(async ({ name }) => {
    const all = await db.sql<{ row: Record<string, unknown> }[]>`
      select to_jsonb(t) as row from ${db.sql(name)} t order by t::text`;
    return [name, all.map(({ row }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

const seconds = (count: number) => Date.now() + count * 1000;
const call = (accountId: number, requestId: string) => ({
  requestId,
  accountId,
  mode: "test" as const,
  keyId: "key",
  operation: "seo.backlinks.list",
  minimum: 1,
  most: 10,
  deadline: seconds(60),
  idempotency: { key: requestId, fingerprint: "f" },
});
const charge = (requestId: string) => ({
  requestId,
  credits: 3,
  records: 3,
  truncated: false,
  status: 200,
  durationMs: 5,
  stored: { contentType: "application/json", body: Buffer.from("{}") },
});
const job = { call: "{}", owner: "gone", version: "2026-07-01", mostKept: Infinity };

test("rows stay as they are, and what had begun goes on", async () => {
  const [calls, jobs] = [new CallStore(db), new JobStore(db)];
  const accountId = await createAccount(db, "somebody");
  await calls.reserve(call(accountId, "settled"));
  await calls.settle(charge("settled"));
  await calls.reserve(call(accountId, "running"));
  await calls.accept({ ...call(accountId, "queued"), ...job });
  await calls.accept({ ...call(accountId, "failing"), ...job });
  await db.sql`
    insert into controls (at, who, why, kind, target, effect, per_minute, until) values
      ('2026-01-02T03:04:05Z', 'ada (command line)', 'busy', 'account', 'somebody', 'cap', 9, '2026-01-02T04:04:05Z'),
      ('2026-01-03T00:00:00Z', 'bob', 'on the board', 'job', 'seo/7', 'retry', null, null)`;
  const before = await rows();
  expect(before["jobs"]).toHaveLength(2);
  expect(before["replays"]).toHaveLength(4);

  await migrate(target.url);
  // The columns that migrations have added since.
  const withColumn = (table: string, column: object) =>
    before[table]?.map((row) => ({ ...(row as object), ...column }));
  const jobsAfter = withColumn("jobs", { confirmed: false });
  const replaysAfter = withColumn("replays", { joined: false });
  const {
    usage_days: days,
    usage_sums: sums,
    own_writes: writes,
    changes,
    verifications,
    canaries,
    account_credentials: credentials,
    crawls,
    crawl_urls: urls,
    crawl_pages: pages,
    robots_exemptions: exemptions,
    ...after
  } = await rows();
  expect(after).toEqual({ ...before, jobs: jobsAfter, replays: replaysAfter });
  // Usage was counted today, so the sums are complete from tomorrow on.
  expect(days).toEqual([]);
  expect(writes).toEqual([]);
  expect([verifications, canaries, credentials]).toEqual([[], [], []]);
  expect([crawls, urls, pages, exemptions]).toEqual([[], [], [], []]);
  // Decisions and budgets of before are in the log of changes.
  expect(changes).toMatchObject([
    {
      at: "2026-01-02T03:04:05+00:00",
      who: "ada",
      via: "command line",
      why: "busy",
      kind: "control",
      target: "account somebody",
      account_id: accountId,
      before: null,
      after: { effect: "cap", per_minute: 9, until: "2026-01-02T04:04:05Z" },
    },
    { who: "bob", via: "page", kind: "job", target: "seo/7", account_id: null },
  ]);
  expect(sums).toMatchObject([
    { whole_from: new Date(seconds(86_400)).toISOString().slice(0, 10) },
  ]);

  expect(await calls.settle(charge("running"))).toMatchObject({ kind: "settled", credits: 3 });
  expect(await calls.settleJob(charge("queued"))).toMatchObject({ state: "succeeded" });
  const failure = {
    type: "upstream_error",
    message: "no",
    body: "{}",
    retryAfter: undefined,
    durationMs: 5,
  };
  expect(await jobs.end({ requestId: "failing", status: 502, failure })).toBe("failed");
  expect(await calls.accept({ ...call(accountId, "new"), ...job })).toMatchObject({ kind: "held" });
  expect((await jobs.adopt("here", 10)).map(({ requestId }) => requestId)).toEqual(["new"]);
  expect(await audit(db)).toEqual([]);
  const range = { from: new Date(seconds(-86_400)), to: new Date(seconds(86_400)) };
  const report = await usageBy(db, accountId, "test", range);
  // Settled before, and settled and failed after.
  expect(report).toMatchObject([{ calls: 4, errors: 1, credits: 9 }]);
});

test("one that is older is refused, with what to run first", async () => {
  await db.sql`delete from migrations where name = ${former.last}`;
  const sentence = /is at 0020_fields\.sql.*`npm run migrate` of commit 8d894b3 first/;
  await expect(migrate(target.url)).rejects.toThrow(sentence);
  expect((await migrationState(db)).outdated).toBe("0020_fields.sql");
});

test("the former table stays as a process of 8d894b3 wants it, until a migration closes the database to it", async () => {
  const before = await names("migrations");
  expect(before).toHaveLength(21);
  await migrate(target.url);
  expect(await names("migrations")).toEqual(before);

  const { migrations, functions } = sqlFiles();
  const compatible = migration("9997_compatible.sql", "-- compatible from 0021\nselect 1");
  const closing = migration("9998_closing.sql", "-- compatible from 9998\nselect 1");
  await migrate(target.url, undefined, { functions, migrations: [...migrations, compatible] });
  expect(await names("migrations")).toEqual(before);
  await migrate(target.url, undefined, {
    functions,
    migrations: [...migrations, compatible, closing],
  });
  expect(await names("migrations")).toEqual([...before, closing.name]);
});

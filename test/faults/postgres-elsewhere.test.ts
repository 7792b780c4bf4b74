import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { oneConnection } from "../../db/address.ts";
import { migrate } from "../../db/migrate.ts";
import { emptyDatabase } from "../database.ts";
import { Gateway, until } from "../gateway.ts";
import { hasPgbouncer, startPgbouncer } from "../pgbouncer.ts";
import { type TestPostgres, startPostgres } from "../postgres.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { backlinks, backlinksEnv, backlinksPath } from "./cases.ts";
import { besideMs, full } from "./full.ts";
import { patientCalls } from "./patient.ts";

/** Postgres as more than one process: a standby that takes over, and a pooler in between. */

const total = { perSecond: 10, seconds: full ? 20 : 8 };
const callers = 12;
const withinMs = 60_000;

let upstream: SpawnedSimulator;
let primary: TestPostgres;
const open: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  [upstream, primary] = await Promise.all([spawnSimulator(), startPostgres()]);
});
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.stop();
  await upstream.reset();
});
afterAll(async () => {
  await upstream?.stop();
  await primary?.stop();
});

/** Patient calls, every second one with a key, with a fault two seconds after the first. */
async function through(name: string, gateway: Gateway, fault: () => Promise<void>): Promise<void> {
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "delay", ms: 500 } });
  const keys = await gateway.keys(callers);
  const calling = patientCalls({ ...total, withinMs }, (index) =>
    backlinks(gateway, keys[index % callers]?.key ?? "", `${name}${index}`, {
      headers: index % 2 ? { "Idempotency-Key": `${name}${index}` } : {},
    }),
  );
  await sleep(2000);
  await fault();
  const { answered, refusals, longestMs } = await calling;
  const calls = total.perSecond * total.seconds;
  console.log(
    `${name}: ${answered} of ${calls} answered, refusals ${JSON.stringify(refusals)}, longest ${longestMs} ms`,
  );
  expect(answered).toBe(calls);
  expect(Object.keys(refusals).filter((status) => status !== "503")).toEqual([]);
  expect(longestMs).toBeLessThan(5000 + besideMs);
  // Every answered call is in the remaining books, once.
  const left = await Promise.all(keys.map(({ accountId }) => gateway.balance(accountId)));
  expect(left.reduce((sum, { balance }) => sum + balance, 0)).toBe(callers * 1000 - calls);
  expect(await gateway.violations()).toEqual([]);
}

test.runIf(hasPgbouncer)(
  "behind PgBouncer in transaction mode, which is restarted under load",
  async () => {
    process.env["TEST_DATABASE_URL"] = primary.url;
    const admin = oneConnection(primary.url, 5);
    await admin.unsafe("alter role gateway set statement_timeout = '10s'").simple();
    await admin.unsafe("alter role gateway set lock_timeout = '2s'").simple();
    await admin.end();
    const pooler = await startPgbouncer(primary.url);
    open.push(pooler);
    const empty = await emptyDatabase();
    const applied = await Promise.all([1, 2].map(() => migrate(pooler.through(empty.url))));
    expect(applied.flat().length).toBeGreaterThan(0);
    await empty.drop();
    const gateway = await Gateway.start({
      pools: "seo",
      env: backlinksEnv(upstream),
      between: async ({ database }) => ({ DATABASE_URL: pooler.through(database) }),
    });
    open.push(gateway);
    await gateway.startApi();
    // The role's setting, because nothing is set for a session.
    expect(gateway.apis.map(({ process }) => process.log()).join("")).not.toContain(
      "no time limit",
    );
    const [pooled] = await gateway.db.sql<{ count: number }[]>`
      select count(*) from pg_stat_activity where application_name = 'api'`;
    await through("pgbouncer", gateway, () => pooler.restart());
    expect(pooled?.count, "connections of two API processes").toBeLessThanOrEqual(5);
  },
);

// This test is the last: the primary is gone afterwards.
test("a hot standby is promoted under load", async () => {
  const standby = await startPostgres({ standbyOf: primary });
  open.push(standby);
  const admin = oneConnection(primary.url, 5);
  // Answered calls must be on both servers, or the last charges would be lost with the primary.
  await admin.unsafe("alter system set synchronous_standby_names = '*'").simple();
  await admin`select pg_reload_conf()`;
  await until(async () => {
    const rows = await admin`select 1 from pg_stat_replication where sync_state = 'sync'`;
    return rows.length === 1;
  });
  await admin.end();
  // Every process gets both addresses and finds the writable one.
  const { host } = new URL(standby.url);
  process.env["TEST_DATABASE_URL"] = primary.url.replace(/\/([^/]*)$/, `,${host}/$1`);
  const gateway = await Gateway.start({ pools: "seo", env: backlinksEnv(upstream) });
  open.push(gateway);
  await through("standby", gateway, async () => {
    await primary.kill();
    const next = oneConnection(standby.url, 5);
    await next`select pg_promote()`;
    await next.end();
  });
});

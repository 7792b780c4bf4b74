import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Gateway, until } from "../gateway.ts";
import { type TestPostgres, canLimit, canMount, scarceMemory, startPostgres } from "../postgres.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { backlinks, backlinksEnv, backlinksPath } from "./cases.ts";
import { besideMs, full } from "./full.ts";
import { type Sent, counted, traffic } from "./traffic.ts";

/**
 * A database that answers but cannot work: read-only, full, out of connections or memory, shut
 * down.
 */

const disk = fs.mkdtempSync(join(tmpdir(), "gateway-disk-"));
fs.chmodSync(disk, 0o777);
let server: TestPostgres;
let upstream: SpawnedSimulator;
let gateway: Gateway;
let admin: postgres.Sql;
beforeAll(async () => {
  const settings = ["max_connections=40"];
  [server, upstream] = await Promise.all([
    startPostgres(canMount ? { settings, tinyDisk: { path: disk, megabytes: 8 } } : { settings }),
    spawnSimulator(),
  ]);
  process.env["TEST_DATABASE_URL"] = server.url;
  gateway = await Gateway.start({
    pools: "seo",
    env: backlinksEnv(upstream),
  });
  admin = postgres(server.url, { max: 1, onnotice: () => {}, backoff: () => 0.1 });
});
afterEach(async () => {
  await upstream.reset();
  expect(await gateway.violationsAfterAnswers()).toEqual([]);
});
afterAll(async () => {
  await admin?.end({ timeout: 1 });
  await gateway?.stop();
  await upstream?.stop();
  await server?.stop();
  fs.rmSync(disk, { recursive: true, force: true });
});

const seconds = full ? 10 : 1;
const before = full ? 1500 : 700;
const after = full ? 4 : 1.5;
/** The provider's time: a call under way ends during the fault. */
const ownMs = full ? 1000 : 600;

/**
 * Calls before, during and after a fault, every second one with a key. All refused calls are
 * retried.
 */
async function during(name: string, fault: () => Promise<() => Promise<void>>) {
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "delay", ms: ownMs } });
  // The waiting calls exceed one account's concurrency limit.
  const callers = await gateway.keys(12, { credits: 10_000 });
  const ask = (index: number) =>
    backlinks(gateway, callers[index % callers.length]?.key ?? "", `${name}${index}`, {
      headers: index % 2 ? { "Idempotency-Key": `${name}${index}` } : {},
    });
  const retryAfter: (string | null)[] = [];
  let endsAt = Infinity;
  const load = { perSecond: 20, goesOn: () => Date.now() < endsAt };
  const sending = traffic(load, async (index) => {
    const answer = await ask(index);
    if (answer.status !== 200) retryAfter.push(answer.headers.get("retry-after"));
    return answer;
  });
  let [received, from, endedAt] = ["", 0, 0];
  try {
    await sleep(before);
    // A call that has reached the provider has its hold.
    await until(async () => {
      received = JSON.stringify(await upstream.calls(backlinksPath));
      return received.includes(`"${name}`);
    });
    from = Date.now();
    const endFault = await fault();
    await sleep(seconds * 1000);
    // A busy machine needs longer to notice it.
    if (!full) await until(() => retryAfter.length > 0);
    await endFault();
  } finally {
    // Cleans up even after a failure: remaining calls would disturb the next test.
    endedAt = Date.now();
    endsAt = endedAt + after * 1000;
  }
  const sent = await sending;
  const refused = sent.filter(({ status }) => status !== 200);
  const inFlight = sent.filter(
    (call, index) => call.to > from && received.includes(`"${name}${index}.example.com"`),
  );
  const slowest = Math.max(0, ...refused.map(({ ms }) => ms));
  const lastRefused = Math.max(0, ...refused.map(({ to }) => to - endedAt));
  console.log(
    `${name} for ${seconds} s: ${counted(sent)}; ${counted(inFlight)} of those under way; slowest refusal ${slowest} ms, last ${lastRefused} ms after`,
  );
  expect(sent.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  expect(retryAfter.filter((value) => !(Number(value) >= 1))).toEqual([]);
  expect(refused.length).toBeGreaterThan(0);
  // A call that has already used the provider waits; a new one does not.
  expect(inFlight.filter(({ status }) => status !== 200)).toEqual([]);
  expect(refused.filter(({ ms }) => ms > 5000 + besideMs)).toEqual([]);
  expect(lastRefused).toBeLessThan(5000 + besideMs);

  const askAgain = async (index: number) => {
    let answer = await ask(index);
    await until(async () => answer.status !== 503 || (answer = await ask(index)).status !== 503);
    return answer;
  };
  const again = await Promise.all(
    sent.flatMap(({ status }, index) => (status === 503 && index % 2 ? [askAgain(index)] : [])),
  );
  expect(again.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
  const paid = sent.length - refused.length + again.length;
  const left = await Promise.all(callers.map(({ accountId }) => gateway.balance(accountId)));
  const sum = left.reduce((total, { balance }) => total + balance, 0);
  expect(sum).toBe(callers.length * 10_000 - paid);
  return { sent, inFlight } satisfies Record<string, Sent[]>;
}

test("read-only by the server's configuration (25006)", async () => {
  const set = async (value: "on" | "off") => {
    await admin.unsafe("set default_transaction_read_only = off");
    await admin.unsafe(`alter system set default_transaction_read_only = ${value}`);
    await admin`select pg_reload_conf()`;
  };
  await during("readonly", async () => {
    await set("on");
    return () => set("off");
  });
});

test("read-only for sessions that began under it (25006)", async () => {
  const name = new URL(gateway.db.url).pathname.slice(1);
  await during("session", async () => {
    await admin.unsafe(`alter database ${name} set default_transaction_read_only = on`);
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'api'`;
    return async () => {
      await admin.unsafe(`alter database ${name} reset default_transaction_read_only`);
    };
  });
});

test("every connection taken (53300)", async () => {
  await during("connections", async () => {
    const taken: postgres.Sql[] = [];
    let taking = true;
    const take = (async () => {
      while (taking) {
        await admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'api'`;
        const more = Array.from({ length: 10 }, () =>
          postgres(server.url, { max: 1, onnotice: () => {}, connect_timeout: 1 }),
        );
        taken.push(...more);
        await Promise.all(more.map((sql) => sql`select 1`.catch(() => undefined)));
        await sleep(50);
      }
    })();
    return async () => {
      taking = false;
      await take;
      await Promise.all(taken.map((sql) => sql.end({ timeout: 0 })));
    };
  });
});

test.runIf(canLimit)("out of memory (53200)", async () => {
  const refusals = new Set<string>();
  await during("memory", async () => {
    const give = await scarceMemory(server.url, 3);
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'api'`;
    const session = postgres(gateway.db.url, { max: 1, onnotice: () => {} });
    await session`select repeat('x', 10000000)`.catch((error: { code: string }) =>
      refusals.add(error.code),
    );
    await session.end({ timeout: 1 });
    return give;
  });
  expect([...refusals]).toEqual(["53200"]);
});

test("shut down and started again under load (57P01, 57P03)", async () => {
  await during("shutdown", async () => {
    const start = await server.shutDown();
    if (!full) return start;
    await sleep(1000);
    await start();
    return async () => {};
  });
});

// This test is the last: its rows stay.
test.runIf(canMount)("disk full (53100)", async () => {
  const { sql } = gateway.db;
  await sql.unsafe(`create tablespace tiny location '${disk}'`).simple();
  // Few rows to a page, so that new pages are needed constantly.
  for (const table of ["holds", "ledger"]) {
    await sql.unsafe(`alter table ${table} set (fillfactor = 10)`).simple();
    await sql.unsafe(`alter table ${table} set tablespace tiny`).simple();
  }
  await sql.unsafe("create table filler (bytes text) tablespace tiny").simple();
  const refusals = new Set<string>();
  const insert = (pages: number) =>
    sql
      .unsafe(`insert into filler select repeat('x', 7000) from generate_series(1, ${pages})`)
      .simple()
      .then(
        () => true,
        (error: unknown) => {
          refusals.add((error as { code: string }).code);
          return false;
        },
      );
  await sql.unsafe("alter table filler alter bytes set storage plain").simple();
  await during("full", async () => {
    let filling = true;
    const fill = (async () => {
      // In smaller and smaller pieces, until no page is left.
      while (filling) {
        for (const pages of [64, 8, 1]) while (filling && (await insert(pages)));
        await sleep(20);
      }
    })();
    return async () => {
      filling = false;
      await fill;
      await sql.unsafe("drop table filler").simple();
    };
  });
  expect([...refusals]).toEqual(["53100"]);
});

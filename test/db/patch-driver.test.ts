import { execFile } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { account, addCredits, createAccount } from "../../db/accounts.ts";
import { audit } from "../../db/audit.ts";
import { CallStore } from "../../db/calls.ts";
import { edits, guard } from "../../db/patch-driver.mjs";
import { isUnavailable } from "../../db/retry.ts";
import { sweepHolds } from "../../db/sweep.ts";
import { testDatabase } from "../database.ts";
import { full } from "../faults/full.ts";
import { until } from "../gateway.ts";
import type { TestDatabase } from "../database.ts";
import { choices, seeded } from "../random.ts";
import { freePort } from "../redis-server.ts";
import { terminateBackends } from "./terminator.ts";

const installed = fileURLToPath(new URL("../../node_modules/postgres", import.meta.url));
const file = join("src", "connection.js");

let db: TestDatabase;
let folder: string;
let bare: string;

beforeAll(async () => {
  db = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), "driver-"));
  const source = await readFile(join(installed, file), "utf8");
  bare = edits.reduce((text, { find, put }) => text.replace(put, () => find), source);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await db.drop();
});

describe("guard", () => {
  test("is on the installed driver, and a second application changes nothing", async () => {
    const source = await readFile(join(installed, file), "utf8");
    expect(source).not.toBe(bare);
    expect(guard(bare, "driver")).toBe(source);
    expect(guard(source, "driver")).toBe(source);
  });

  test("fails on a driver it does not know", () => {
    expect(() => guard(bare.replace("socket.write(chunk", "socket.send(chunk"), "driver")).toThrow(
      /not found/,
    );
    expect(() => guard("", "driver")).toThrow(/not found/);
  });
});

/** Runs `program` with a copy of the driver in its own process; resolves to its exit and output. */
async function runWith(source: string, name: string): Promise<{ failed: boolean; output: string }> {
  const copy = join(folder, name);
  await cp(installed, copy, { recursive: true });
  await writeFile(join(copy, file), source);
  const program = `
    import postgres from ${JSON.stringify(pathToFileURL(join(copy, "src", "index.js")).href)};
    const sql = postgres(${JSON.stringify(db.url)}, { max: 2 });
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const outcome = await sql.begin(async (transaction) => {
      const [{ pid }] = await transaction\`select pg_backend_pid() as pid\`;
      await sql\`select pg_terminate_backend(\${pid})\`;
      await wait(200);
      await transaction\`select \${1}::text\`;
    }).catch((error) => error.code);
    await wait(400);
    for (let n = 0; n < 20; n++) await Promise.all([sql\`select \${n}::text\`, sql\`select \${n}::text\`]);
    console.log(outcome);
    await sql.end();
  `;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--input-type=module", "--eval", program],
      { timeout: 240_000 },
      (error, stdout, stderr) => resolve({ failed: error !== null, output: stdout + stderr }),
    );
  });
}

describe("a statement on a connection whose backend was terminated", () => {
  test("is rejected, and the pool goes on", async () => {
    const { failed, output } = await runWith(guard(bare, "driver"), "guarded");
    expect(output.trim()).toBe("CONNECTION_CLOSED");
    expect(failed).toBe(false);
  });

  test("ends the process without the guard", async () => {
    const { failed, output } = await runWith(bare, "bare");
    expect(failed).toBe(true);
    expect(output).toMatch(/TypeError: Cannot read properties of null \(reading 'write'\)/);
  });
});

test("the answer after a half-failed one begins with its own first row", async () => {
  const sql = postgres(db.url, { max: 1 });
  const failing = sql`select 1 / (3 - n) from generate_series(1, 9) n`.catch(
    (error: { code: string }) => error.code,
  );
  const next = sql`select n from generate_series(1, 2) n`;
  expect(await failing).toBe("22012");
  expect([...(await next)]).toEqual([{ n: 1 }, { n: 2 }]);
  await sql.end();
});

test("the error of a statement whose backend was terminated is not that of the next one", async () => {
  const sql = postgres(db.url, { max: 1 });
  const [{ pid } = { pid: 0 }] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const terminated = sql`select pg_sleep(60)`.catch((error: { code: string }) => error.code);
  await until(async () => {
    const [row] = await db.sql`
      select 1 from pg_stat_activity where pid = ${pid} and wait_event = 'PgSleep'`;
    return row !== undefined;
  });
  await db.sql`select pg_terminate_backend(${pid})`;
  expect(await terminated).toBe("CONNECTION_CLOSED");
  expect([...(await sql`select 7 as n`)]).toEqual([{ n: 7 }]);
  await sql.end();
});

test("a pool that has ended does not connect again", async () => {
  // A frozen server: it takes connections, and never answers.
  let connections = 0;
  const silent = createServer(() => (connections += 1)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const pauseMs = 500;
  const sql = postgres(`postgres://nobody@127.0.0.1:${port}/none`, {
    max: 1,
    connect_timeout: 0.2,
    backoff: () => pauseMs / 1000,
  });
  const codes = [1, 2].map((n) =>
    sql`select ${n}::text`.catch((error: { code: string }) => error.code),
  );
  expect(await codes[0]).toBe("CONNECT_TIMEOUT");
  // The second statement waits for the next attempt to connect.
  await pause(pauseMs / 4);
  await sql.end({ timeout: 0 });
  expect(await codes[1]).toBe("CONNECTION_DESTROYED");
  await pause(2 * pauseMs);
  expect(connections).toBe(1);
  silent.close();
});

describe("a statement that no host takes", () => {
  /** Bytes of a server that takes everybody, and says nothing of itself: AuthenticationOk and ReadyForQuery. */
  const welcome = Buffer.from("5200000008000000005a0000000549", "hex");
  /** Moments at which a proxy that has lost its server ends a connection, by the messages that it has taken. */
  const moments = { "at once": 0, "when spoken to": 1, "when asked for their kind": 2 };

  async function hangingUp(after: number): Promise<{ port: number; count: () => number }> {
    let count = 0;
    const server = createServer((socket) => {
      count += 1;
      let messages = 0;
      const endIfDue = () => messages === after && socket.end();
      socket
        .on("error", () => undefined)
        .on("data", () => {
          messages += 1;
          if (!endIfDue() && socket.writable) socket.write(welcome);
        });
      endIfDue();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return { port: (server.address() as AddressInfo).port, count: () => count };
  }
  const pauseSeconds = 0.1;
  function driver(ports: readonly (number | string)[]): postgres.Sql {
    const { username, password, pathname } = new URL(db.url);
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
    const sql = postgres(`postgres://${username}:${password}@${hosts}${pathname}`, {
      max: 1,
      fetch_types: false,
      backoff: () => pauseSeconds,
      ...(ports.length > 1 ? { target_session_attrs: "primary" as const } : {}),
    });
    onTestFinished(() => sql.end({ timeout: 0 }));
    return sql;
  }
  const codes = async (sql: postgres.Sql, statements: number) => {
    const found: unknown[] = [];
    for (let n = 0; n < statements; n += 1) {
      found.push(await sql`select ${n}::text`.catch((error: { code: string }) => error.code));
    }
    return found;
  };

  for (const hosts of [1, 2]) {
    for (const [moment, after] of Object.entries(moments)) {
      test(`is rejected, and the next one pauses: ${hosts} that hang up ${moment}`, async () => {
        const all = await Promise.all(Array.from({ length: hosts }, () => hangingUp(after)));
        const from = performance.now();
        const found = await codes(driver(all.map(({ port }) => port)), 3);
        // A driver that speaks behind the end hears of a reset.
        const ended = expect.stringMatching(/^(CONNECTION_CLOSED|ECONNRESET|EPIPE)$/) as unknown;
        expect(found).toEqual([ended, ended, ended]);
        expect(all.map(({ count }) => count())).toEqual(all.map(() => 3));
        expect(performance.now() - from).toBeGreaterThan(2 * pauseSeconds * 1000 - 10);
      });
    }
  }

  test("is rejected where two hosts refuse connections", async () => {
    const ports = [await freePort(), await freePort()];
    expect(await codes(driver(ports), 2)).toEqual(["ECONNREFUSED", "ECONNREFUSED"]);
  });

  test("goes to the host behind one that hangs up, or refuses connections", async () => {
    const hangers = await Promise.all(Object.values(moments).map(hangingUp));
    for (const first of [...hangers.map(({ port }) => port), await freePort()]) {
      const sql = driver([first, new URL(db.url).port]);
      expect(await sql`select 7 as n`).toEqual([{ n: 7 }]);
    }
  });
});

/**
 * Retries a step, because recently terminated connections are found dead only on their next use.
 */
async function again<T>(step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await pause(50);
    }
  }
}

test(
  seeded("case 9: 1,000 calls while 20 % of the backends are terminated every 50 ms"),
  async () => {
    const pick = choices("pauses");
    const accountId = await createAccount(db, "terminated");
    await addCredits(db, accountId, "live", 100_000, "top-up");
    const store = new CallStore(db);
    let succeeded = 0;
    let unavailable = 0;
    const ended = () => succeeded + unavailable;
    const chaos = terminateBackends(db.url, {
      share: 0.2,
      everyMs: 50,
      everyCalls: 25,
      ended,
    });

    async function call(n: number): Promise<void> {
      const requestId = `svc_${n}`;
      await store.reserve({
        requestId,
        accountId,
        mode: "live",
        keyId: "key",
        operation: "maps.search",
        minimum: 0,
        most: 20,
        deadline: Date.now(),
        idempotency: { key: String(n), fingerprint: "f" },
      });
      await pause(pick(100));
      const replay = await store.lookUp({ accountId, mode: "live", key: String(n) });
      expect(replay).toMatchObject({ state: "running", requestId });
      const settled = await store.settle({
        requestId,
        credits: 3,
        records: 3,
        truncated: false,
        status: 200,
        durationMs: 1,
        stored: { contentType: "application/json", body: Buffer.from(`{"n":${n}}`) },
      });
      expect(settled).toMatchObject({ credits: 3 });
      succeeded += 1;
    }

    let next = 0;
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        while (next < 1000) {
          try {
            await call((next += 1));
          } catch (error) {
            expect(error).toMatchObject({ name: "DatabaseError", code: "unavailable" });
            unavailable += 1;
          }
        }
      }),
    );
    const killed = await chaos.stop();
    console.log(
      `case 9: ${succeeded} succeeded, ${unavailable} unavailable, ${killed} backends killed`,
    );
    expect(killed).toBeGreaterThan(10);
    expect(ended()).toBe(1000);
    // A call that takes longer meets more terminated backends.
    expect(succeeded).toBeGreaterThan(full ? 500 : 200);

    await again(() => sweepHolds(db, { graceMs: 0 }));
    expect(await again(() => audit(db))).toEqual([]);
    const balance = (await again(() => account(db, accountId)))?.balances.live;
    expect(balance?.held).toBe(0);
    // A settle whose answer was lost may still have taken effect, but no other statement.
    expect(balance?.balance).toBeLessThanOrEqual(100_000 - 3 * succeeded);
    expect(balance?.balance).toBeGreaterThanOrEqual(100_000 - 3 * 1000);
  },
);

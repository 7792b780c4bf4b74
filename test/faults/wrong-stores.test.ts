import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkPostgres } from "../../cli/doctor/postgres.ts";
import { checkRedis } from "../../cli/doctor/redis.ts";
import { baseline } from "../../db/migration-state.ts";
import { type TestDatabase, emptyDatabase, testDatabase } from "../database.ts";
import { pepper, until } from "../gateway.ts";
import { type Process, startProcess } from "../process.ts";
import { startRedis } from "../redis.ts";
import { type TestRedis, freePort } from "../redis-server.ts";

/** Every process refuses unsafe stores, and names the remedy in one sentence. */

let server: TestRedis;
let redis: Redis;
let db: TestDatabase;
const started: Process[] = [];
beforeAll(async () => {
  [server, db] = await Promise.all([startRedis({ own: true }), testDatabase()]);
  redis = new Redis(server.url);
});
afterAll(async () => {
  await Promise.all(started.map((process) => process.kill("SIGKILL")));
  redis.disconnect();
  await db.drop();
  await server.stop();
});

const scripts = ["api/main.ts", "worker/main.ts", "dashboards/main.ts"] as const;

async function start(
  script: string,
  databaseUrl = db.url,
  chosen?: number,
  others: Record<string, string> = {},
): Promise<Process> {
  const port = chosen ?? (await freePort());
  const process = startProcess(script, {
    DATABASE_URL: databaseUrl,
    REDIS_URL: server.url,
    KEY_PEPPER: pepper,
    CURSOR_SECRET: "test-cursor-secret-test-cursor-secret",
    WORKER_POOLS: "seo",
    PORT: String(port),
    DASHBOARDS_PORT: String(port),
    METRICS_TOKEN: "test-scraper",
    DASHBOARDS_PASSWORD: "test-password",
    ...others,
  });
  started.push(process);
  return process;
}

/** The row that a later version's migration leaves behind. */
const later = (database: TestDatabase, { compatibleFrom }: { compatibleFrom: number }) =>
  database.sql`
    insert into schema_versions (name, sha256, compatible_from)
    values ('9999_later.sql', 'x', ${compatibleFrom})`;

/** Output of a process that ended by itself. */
async function refusal(script: string, databaseUrl?: string): Promise<string> {
  const process = await start(script, databaseUrl);
  expect(await process.ended).toBe(1);
  return process.log();
}

test("every process refuses a Redis that may evict queued work", async () => {
  await redis.config("SET", "maxmemory-policy", "allkeys-lru");
  try {
    const logs = await Promise.all(scripts.map((script) => refusal(script)));
    expect(logs.map((log) => log.includes("set it to noeviction"))).toEqual([true, true, true]);
  } finally {
    await redis.config("SET", "maxmemory-policy", "noeviction");
  }
});

test("a Redis that may evict from some moment on is reported by log, readiness, metrics and doctor", async () => {
  const [apiPort, dashboardsPort] = [await freePort(), await freePort()];
  const [api] = await Promise.all([
    start("api/main.ts", db.url, apiPort),
    start("dashboards/main.ts", db.url, dashboardsPort),
  ]);
  const read = async (port: number, path: string) => {
    const headers = { authorization: "Bearer test-scraper" };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch(
      () => undefined,
    );
    return { status: answer?.status, text: (await answer?.text()) ?? "" };
  };
  const ready = () => read(apiPort, "/health/ready");
  const metrics = async () => (await read(dashboardsPort, "/metrics")).text;
  await until(async () => (await ready()).status === 200);
  await until(async () => (await metrics()).includes("gateway_redis_noeviction 1"));
  expect((await ready()).text).not.toContain("warning");

  const warning = /Redis has maxmemory-policy volatile-lru.*set it to noeviction/;
  await redis.config("SET", "maxmemory-policy", "volatile-lru");
  try {
    await until(async () => warning.test((await ready()).text));
    // Nothing is lost while Redis has memory left, so calls are still taken.
    expect((await ready()).status).toBe(200);
    expect(await metrics()).toContain("gateway_redis_noeviction 0");
    expect(await metrics()).toContain("gateway_redis_append_only 1");
    const checks = await checkRedis(server.url);
    expect(checks.find(({ name }) => name === "redis policy")?.verdict).toBe("fail");
  } finally {
    await redis.config("SET", "maxmemory-policy", "noeviction");
  }
  await until(async () => !(await ready()).text.includes("warning"));
  expect(api.log().match(new RegExp(warning, "g")), "logged once").toHaveLength(1);
});

test("a sampler of traces that does not exist is named, and keeps no process from starting", async () => {
  const otel = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    OTEL_TRACES_SAMPLER: "nonsense",
  };
  const processes = await Promise.all(
    ["api/main.ts", "worker/main.ts"].map((script) => start(script, db.url, undefined, otel)),
  );
  for (const process of processes)
    await until(() => process.log().includes("OTEL_TRACES_SAMPLER names no"), 20_000);
  await Promise.all(processes.map((process) => process.kill("SIGTERM")));
});

test("a migration names a setting that it cannot use", async () => {
  expect((await refusal("local/migrate.ts", "nonsense")).trim()).toBe(
    "DATABASE_URL: a postgres:// URL",
  );
});

test("a worker whose Chromium does not start ends with one line that names the setting", async () => {
  for (const path of ["/nope", "/etc", "/bin/true", ""]) {
    const env = { WORKER_POOLS: "browser", PUPPETEER_EXECUTABLE_PATH: path };
    const worker = await start("worker/main.ts", undefined, undefined, env);
    expect(await worker.ended, path).toBe(1);
    expect(worker.log().trim()).toMatch(/^PUPPETEER_EXECUTABLE_PATH: .*$/);
  }
});

test("every process works without an append-only file, and warns; so does doctor", async () => {
  await redis.config("SET", "appendonly", "no");
  try {
    const working = await Promise.all(scripts.map((script) => start(script)));
    const warns = (process: Process) => process.log().includes("append-only file of Redis is off");
    await until(() => working.every(warns));
    const checks = await checkRedis(server.url);
    expect(checks.find(({ name }) => name.includes("append-only"))?.verdict).toBe("warn");
  } finally {
    await redis.config("SET", "appendonly", "yes");
  }
});

test("the API refuses a database that is not migrated, of another build, or that a later migration closed to it", async () => {
  const [empty, closed, other] = await Promise.all([
    emptyDatabase(),
    testDatabase(),
    testDatabase(),
  ]);
  await later(closed, { compatibleFrom: 9999 });
  await other.sql`update schema_versions set sha256 = 'x' where name = ${baseline}`;
  try {
    const logs = await Promise.all(
      [empty, closed, other].map(({ url }) => refusal("api/main.ts", url)),
    );
    expect(logs[0]).toMatch(/not migrated, 0021_baseline\.sql/);
    expect(logs[1]).toMatch(/newer than this version.*9999_later\.sql/);
    expect(logs[2]).toMatch(/belongs to another build/);
    const doctor = await Promise.all([empty, closed, other].map(({ url }) => checkPostgres(url)));
    expect(doctor.map((all) => all.find(({ name }) => name === "migrations")?.verdict)).toEqual([
      "fail",
      "fail",
      "fail",
    ]);
  } finally {
    await Promise.all([empty, closed, other].map((database) => database.drop()));
  }
});

test("the API starts on a database with one more migration that it works with, and warns; so does doctor", async () => {
  const newer = await testDatabase();
  await later(newer, { compatibleFrom: 1 });
  try {
    const process = await start("api/main.ts", newer.url);
    await until(() => process.log().includes("Server listening"));
    expect(process.log()).toMatch(/does not know.*9999_later\.sql/);
    expect(process.complaints()).toEqual([]);
    await process.kill("SIGTERM");
    const checks = await checkPostgres(newer.url);
    expect(checks.find(({ name }) => name === "migrations")).toMatchObject({
      verdict: "warn",
      message: expect.stringContaining("9999_later.sql") as string,
    });
    expect(checks.find(({ name }) => name === "ledger")?.verdict).toBe("ok");
  } finally {
    await newer.drop();
  }
});

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { report } from "../../cli/doctor.ts";
import type { Check } from "../../cli/doctor/check.ts";
import { checkStart } from "../../cli/doctor/chromium.ts";
import { aboutFonts } from "../../cli/doctor/fonts.ts";
import { upstreams } from "../../worker/sandbox/upstreams.ts";
import { scriptsWithoutFont } from "../../local/fonts.ts";
import { heartbeatFreshMs } from "../../runtime/queue.ts";
import { heartbeatKey } from "../../runtime/redis/keys.ts";
import { createMetrics } from "../../runtime/metrics.ts";
import { pools } from "../../contract/operation.ts";
import { build, buildText } from "../../runtime/build.ts";
import { processKey, processesKey, publishMetrics } from "../../runtime/metrics-publisher.ts";
import { createAccount } from "../../db/accounts.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";
import { weaken } from "../faults/guards.ts";
import { startRedis } from "../redis.ts";
import { freePort } from "../redis-server.ts";
import type { TestRedis } from "../redis-server.ts";
import { cli, cliJson, cliProcess } from "./cli.ts";

interface Report {
  ok: boolean;
  checks: Check[];
}

const secret = "a-secret-value";

let db: TestDatabase;
let server: TestRedis;
let redis: Redis;
let home: string;
let env: Record<string, string>;

beforeAll(async () => {
  db = await testDatabase();
  server = await startRedis({ own: true });
  redis = new Redis(server.url);
  home = mkdtempSync(join(tmpdir(), "gateway-cli-"));
  env = {
    DATABASE_URL: db.url,
    REDIS_URL: server.url,
    PUPPETEER_EXECUTABLE_PATH: process.env["TEST_CHROMIUM"] as string,
    CONTACT: "operator@example.org",
    ...Object.fromEntries(
      upstreams.flatMap(({ credentials }) => credentials.map((name) => [name, secret])),
    ),
  };
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
  await db.drop();
  rmSync(home, { recursive: true, force: true });
});

const beat = (at: number) => JSON.stringify({ at, slots: 4, running: 1, mean_run_ms: 250 });

beforeEach(async () => {
  for (const pool of pools) await redis.hset(heartbeatKey(pool), "worker-1", beat(Date.now()));
});

/** Avoids starting a browser where other checks are tested. */
const noBrowser = { PUPPETEER_EXECUTABLE_PATH: "/nowhere/chromium" };

async function examine(more: Record<string, string> = {}, run = cli) {
  const { code, json } = await cliJson<Report>(["doctor"], { ...env, ...more }, run);
  const of = (name: string) => json.checks.find((check) => check.name === name);
  return { code, json, of };
}

test("a healthy system: every check passes, in JSON and for people", async () => {
  const { code, json, of } = await examine({}, cliProcess);
  // The fonts are the machine's.
  const others = json.checks.filter(({ name }) => name !== "fonts");
  expect(others.filter(({ verdict }) => verdict !== "ok")).toEqual([]);
  expect(json.ok).toBe(true);
  expect(code).toBe(0);
  expect(json.checks.map(({ name }) => name)).toEqual([
    "redis",
    "redis policy",
    "redis append-only file",
    "postgres",
    "migrations",
    "ledger",
    ...pools.map((pool) => `workers ${pool}`),
    "versions",
    "clocks",
    "chromium",
    "chromium sandbox",
    "fonts",
    "SSRF filter (browser)",
    "SSRF filter (workers)",
    ...upstreams.map(({ name }) => `upstream ${name}`),
  ]);
  expect(of("redis")?.message).toMatch(/version \d+\.\d+/);
  expect(of("postgres")?.message).toMatch(/version \d+/);
  expect(of("chromium")?.message).toMatch(/(headless shell|full Chromium) \d+\./);
  expect(of("SSRF filter (browser)")?.message).toMatch(/neither by HTTP, WebSocket nor WebRTC/);
  expect(of("workers browser")?.message).toBe("1 process, 1 of 4 slots in use.");
  expect(JSON.stringify(json)).not.toContain(secret);
  const { text, failed } = report(others);
  expect(text).toMatch(/^ok {4}redis policy +maxmemory-policy is noeviction\.$/m);
  expect(text).toMatch(/^\d+ ok, 0 to look at, 0 failed$/m);
  expect(failed).toBe(false);
});

test("the scripts that the browser draws as boxes are those that fontconfig has no font for", async () => {
  const chromium = { DATA_DIR: home, PUPPETEER_EXECUTABLE_PATH: env["PUPPETEER_EXECUTABLE_PATH"] };
  const found = await checkStart(chromium, () => Promise.resolve([]));
  const missing = await scriptsWithoutFont();
  expect(found.find(({ name }) => name === "fonts")).toEqual(aboutFonts(missing));
  expect(aboutFonts([])).toMatchObject({ verdict: "ok" });
  expect(aboutFonts(["Thai", "emoji"])).toMatchObject({
    verdict: "warn",
    message: expect.stringMatching(/boxes in place of Thai, emoji: .*apt-get install fonts-noto/),
  });
});

describe("faults", () => {
  test("a Redis that may evict work, without its file; a lost pool; a missing credential", async () => {
    await redis.config("SET", "maxmemory-policy", "allkeys-lru");
    await redis.config("SET", "appendonly", "no");
    await redis.hset(heartbeatKey("serp"), "worker-1", beat(Date.now() - heartbeatFreshMs - 1000));
    try {
      const { code, of } = await examine({
        TIKHUB_API_KEY: "",
        CONTACT: "",
        EGRESS_ALLOW: "10.9.0.0/16",
        ...noBrowser,
      });
      expect(code).toBe(1);
      expect(of("redis")?.verdict).toBe("ok");
      expect(of("redis policy")).toMatchObject({ verdict: "fail" });
      expect(of("redis policy")?.message).toContain("allkeys-lru");
      expect(of("redis append-only file")?.verdict).toBe("warn");
      expect(of("workers serp")).toMatchObject({ verdict: "fail" });
      expect(of("workers serp")?.message).toContain("WORKER_POOLS=serp");
      expect(of("workers social")?.verdict).toBe("ok");
      expect(of("upstream tikhub")).toMatchObject({ verdict: "warn" });
      expect(of("upstream tikhub")?.message).toContain("TIKHUB_API_KEY");
      expect(of("upstream unpaywall")?.message).toContain("CONTACT");
      expect(of("egress allowed")?.message).toContain("10.9.0.0/16");
    } finally {
      await redis.config("SET", "maxmemory-policy", "noeviction");
      await redis.config("SET", "appendonly", "yes");
    }
  });

  test("a process whose clock is far off", async () => {
    const metrics = createMetrics();
    metrics.gauge("gateway_clock_skew_seconds", { process: "host-7", store: "redis" }, -70.2);
    const published = publishMetrics(redis, metrics, "worker", "far-off");
    try {
      await vi.waitUntil(async () => (await redis.zscore(processesKey, "far-off")) !== null, {
        timeout: 60_000,
      });
      // A process of release 0.2.0 reports no version.
      await redis.zadd(processesKey, Math.floor(Date.now() / 1000), "older");
      await redis.hset(processKey("older"), "role", "api");
      const { code, of } = await examine(noBrowser);
      expect(of("versions")).toMatchObject({ verdict: "warn" });
      expect(of("versions")?.message).toContain(
        `2 different versions (${buildText(build)}: 1 worker; unknown: 1 api)`,
      );
      expect(of("clocks")).toMatchObject({ verdict: "warn" });
      expect(of("clocks")?.message).toContain("worker host-7 is 70.2 s behind the clock of redis");
      expect(code).toBe(1);
    } finally {
      await redis.zrem(processesKey, "older");
      await published.stop();
    }
  });

  test("a pending migration", async () => {
    const other = await testDatabase();
    try {
      const [last] = await other.sql`delete from schema_versions
        where name = (select max(name) from schema_versions where name <> 'functions') returning name`;
      const { code, of } = await examine({ DATABASE_URL: other.url, ...noBrowser });
      expect(code).toBe(1);
      expect(of("migrations")).toMatchObject({ verdict: "fail" });
      expect(of("migrations")?.message).toContain(last?.["name"]);
      expect(of("ledger")?.verdict).toBe("warn");
    } finally {
      await other.drop();
    }
  });

  test("a function that was edited in the database", async () => {
    const other = await testDatabase();
    try {
      await weaken(other.sql, "only speed");
      const { of } = await examine({ DATABASE_URL: other.url, ...noBrowser });
      expect(of("migrations")).toMatchObject({ verdict: "warn" });
      expect(of("migrations")?.message).toContain("reserve_calls was edited");
      expect(of("ledger")?.verdict).toBe("ok");
    } finally {
      await other.drop();
    }
  });

  test("books that do not balance", async () => {
    const other = await testDatabase();
    try {
      const id = await createAccount(other, "cooked");
      await other.sql`update balances set balance = 7 where account_id = ${id} and mode = 'live'`;
      const { code, of } = await examine({ DATABASE_URL: other.url, ...noBrowser });
      expect(code).toBe(1);
      expect(of("ledger")).toMatchObject({ verdict: "fail" });
      expect(of("ledger")?.message).toContain("balance 7, entries 0");
    } finally {
      await other.drop();
    }
  });

  test("no store answers, and Chromium does not start", async () => {
    const port = await freePort();
    const broken = join(home, "broken");
    writeFileSync(broken, "#!/bin/sh\nexit 3\n");
    chmodSync(broken, 0o755);
    const { code, of } = await examine({
      DATABASE_URL: `postgres://somebody:hidden@127.0.0.1:${port}/gateway`,
      REDIS_URL: `redis://127.0.0.1:${port}`,
      PUPPETEER_EXECUTABLE_PATH: broken,
    });
    expect(code).toBe(1);
    expect(of("postgres")).toMatchObject({ verdict: "fail" });
    expect(of("postgres")?.message).not.toContain("hidden");
    expect(of("redis")).toMatchObject({ verdict: "fail" });
    expect(of("workers")).toMatchObject({ verdict: "fail" });
    expect(of("chromium")).toMatchObject({ verdict: "fail" });
    expect(of("SSRF filter (workers)")?.verdict).toBe("ok");
  });

  test("a Chromium whose wrapper removes its sandbox", async () => {
    const wrapper = join(home, "wrapper");
    writeFileSync(wrapper, `#!/bin/sh\nexec '${process.env["TEST_CHROMIUM"]}' --no-sandbox "$@"\n`);
    chmodSync(wrapper, 0o755);
    const noMore = () => Promise.resolve([]);
    const checks = await checkStart(
      { DATA_DIR: home, PUPPETEER_EXECUTABLE_PATH: wrapper },
      noMore,
      1000,
    );
    expect(checks).toMatchObject([
      { name: "chromium", verdict: "ok" },
      { name: "chromium sandbox", verdict: "fail" },
    ]);
  });

  test("nothing runs: reported, and the other checks still run", async () => {
    const { code, of } = await examine({ DATABASE_URL: "", REDIS_URL: "", ...noBrowser });
    expect(code).toBe(1);
    expect(of("system")).toMatchObject({ verdict: "fail" });
    expect(of("system")?.message).toContain("No gateway is running");
    expect(of("chromium")?.message).toContain("/nowhere/chromium");
    expect(of("SSRF filter (workers)")?.verdict).toBe("ok");
    const none = { ...env, DATABASE_URL: "", REDIS_URL: "", ...noBrowser };
    const people = await cli(["doctor"], none);
    expect(people.code).toBe(1);
    expect(people.stdout).toMatch(/^fail {2}system +No gateway is running/m);
    expect(people.stdout).toMatch(/^\d+ ok, 0 to look at, 2 failed$/m);
  });
});

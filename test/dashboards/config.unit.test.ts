import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultSettings } from "../../dashboards/capacity/settings.ts";
import { readConfig } from "../../dashboards/config.ts";

const least = { REDIS_URL: "redis://127.0.0.1:6379", DASHBOARDS_PASSWORD: "long enough" };

test("defaults: loopback, port 3001, one operator", () => {
  expect(readConfig({ ...least, DASHBOARDS_PORT: "", METRICS_TOKEN: "" })).toEqual({
    redisUrl: "redis://127.0.0.1:6379",
    databaseUrl: undefined,
    port: 3001,
    host: "127.0.0.1",
    user: "operator",
    password: "long enough",
    viewer: undefined,
    writable: true,
    metricsToken: undefined,
    trustedProxies: [],
    logLevel: "info",
    capacity: defaultSettings(),
  });
});

test("all problems are reported at once, without a secret", () => {
  const read = () =>
    readConfig({
      REDIS_URL: "http://x",
      DASHBOARDS_PORT: "70000",
      DASHBOARDS_WRITABLE: "yes",
      DASHBOARDS_PASSWORD: "short!",
      METRICS_TOKEN_FILE: "/nowhere/token",
    });
  expect(read).toThrow(/REDIS_URL: a redis:/);
  expect(read).toThrow(/DASHBOARDS_PORT: a port number/);
  expect(read).toThrow(/DASHBOARDS_WRITABLE: /);
  expect(read).toThrow(/DASHBOARDS_PASSWORD: at least 8/);
  expect(read).toThrow(/METRICS_TOKEN_FILE: cannot be read \(ENOENT\)/);
  expect(read).not.toThrow(/short!/);
});

test("a password is required", () => {
  expect(() => readConfig({ REDIS_URL: least.REDIS_URL })).toThrow(
    /DASHBOARDS_PASSWORD: is not set/,
  );
});

test("secrets may come from files; the variable itself wins", () => {
  const folder = mkdtempSync(join(tmpdir(), "dashboards-"));
  const file = join(folder, "password");
  writeFileSync(file, "from the file\n");
  const env = { REDIS_URL: least.REDIS_URL, DASHBOARDS_PASSWORD_FILE: file };
  expect(readConfig(env).password).toBe("from the file");
  expect(readConfig({ ...least, ...env }).password).toBe("long enough");
  const address = join(folder, "redis");
  writeFileSync(address, `${least.REDIS_URL}\n`);
  const fromFile = { DASHBOARDS_PASSWORD: least.DASHBOARDS_PASSWORD, REDIS_URL_FILE: address };
  expect(readConfig(fromFile).redisUrl).toBe(least.REDIS_URL);
  rmSync(folder, { recursive: true });
});

test("targets, floors and ceilings are set by pool, and faults in them named", () => {
  const { capacity } = readConfig({
    ...least,
    CAPACITY_TARGETS: "all=200, seo-bulk=60000",
    CAPACITY_FLOORS: "browser=2,serp=30",
    CAPACITY_CEILINGS: "browser=8",
  });
  expect(capacity.social).toMatchObject({ targetMs: 200, floor: 1, ceiling: 20 });
  expect(capacity["seo-bulk"].targetMs).toBe(60_000);
  expect(capacity.browser).toMatchObject({ floor: 2, ceiling: 8 });
  expect(capacity.serp).toMatchObject({ floor: 30, ceiling: 30 });
  for (const wrong of ["browser", "browser=", "nobody=3", "browser=-1", "browser=0"]) {
    expect(() => readConfig({ ...least, CAPACITY_CEILINGS: wrong }), wrong).toThrow(
      /CAPACITY_CEILINGS/,
    );
  }
});

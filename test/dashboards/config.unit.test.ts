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
    users: [],
    proxyUsers: undefined,
    writable: true,
    metricsToken: undefined,
    trustedProxies: [],
    logLevel: "info",
    capacity: defaultSettings(),
  });
});

test("the level of the log is one of those of the other processes", () => {
  expect(readConfig({ ...least, LOG_LEVEL: "trace" }).logLevel).toBe("trace");
});

test.each(["nonsense", "10.0.0.0/99", "10.0.0.0/", "oauth2", "::1/129", "10.0.0.1/8/8"])(
  "%s is no load balancer, and the variable is named",
  (entry) => {
    expect(() => readConfig({ ...least, TRUSTED_PROXIES: `10.0.0.1,${entry}` })).toThrow(
      /TRUSTED_PROXIES: addresses or CIDR ranges/,
    );
  },
);

test("load balancers are addresses or ranges of both families", () => {
  const entries = ["10.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"];
  expect(readConfig({ ...least, TRUSTED_PROXIES: entries.join() }).trustedProxies).toEqual(entries);
});

test("all problems are reported at once, without a secret", () => {
  const read = () =>
    readConfig({
      REDIS_URL: "http://x",
      DASHBOARDS_PORT: "70000",
      DASHBOARDS_WRITABLE: "maybe",
      DASHBOARDS_PASSWORD: "short!",
      METRICS_TOKEN_FILE: "/nowhere/token",
    });
  expect(read).toThrow(/REDIS_URL: a redis:/);
  expect(read).toThrow(/DASHBOARDS_PORT: a whole number from 0 to 65535 \(it is "70000"\)/);
  expect(read).toThrow(/DASHBOARDS_WRITABLE: /);
  expect(read).toThrow(/DASHBOARDS_PASSWORD: at least 8/);
  expect(read).toThrow(/METRICS_TOKEN_FILE: the file \/nowhere\/token cannot be read \(ENOENT\)/);
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
  const twice = { ...least, CAPACITY_FLOORS: "serp=1,serp=2" };
  expect(() => readConfig(twice)).toThrow(/CAPACITY_FLOORS: serp is there twice/);
  const crossed = { ...least, CAPACITY_FLOORS: "serp=9", CAPACITY_CEILINGS: "all=8" };
  expect(() => readConfig(crossed)).toThrow(/CAPACITY_FLOORS: the one of serp is above its ceil/);
});

test("a viewer's name needs a password", () => {
  expect(() => readConfig({ ...least, DASHBOARDS_VIEWER: "ops" })).toThrow(
    /^DASHBOARDS_VIEWER: needs DASHBOARDS_VIEWER_PASSWORD/,
  );
  const both = { DASHBOARDS_VIEWER: "ops", DASHBOARDS_VIEWER_PASSWORD: "long enough" };
  expect(readConfig({ ...least, ...both }).viewer?.user).toBe("ops");
});

test("users by name, and the header of a proxy that must be trusted", () => {
  const hash = `scrypt.15.8.3.${"s".repeat(22)}.${"k".repeat(43)}`;
  const config = (more: Record<string, string>) => readConfig({ ...least, ...more });
  expect(config({ DASHBOARDS_USERS: `ada:operator:${hash}\nbob:viewer:${hash}` }).users).toEqual([
    { user: "ada", role: "operator", hash },
    { user: "bob", role: "viewer", hash },
  ]);
  const wrong = [
    "ada",
    `ada:admin:${hash}`,
    `ada:viewer:${hash}:x`,
    "ada:viewer:secret12",
    `:viewer:${hash}`,
  ];
  for (const entry of wrong) {
    const read = () => config({ DASHBOARDS_USERS: `bob:viewer:${hash} ${entry}` });
    expect(read, entry).toThrow(/DASHBOARDS_USERS: entry 2 is not name:role:hash/);
    expect(read, entry).not.toThrow(/secret12|kkk/);
  }
  const twice = `ada:viewer:${hash} ada:operator:${hash}`;
  expect(() => config({ DASHBOARDS_USERS: twice })).toThrow(/ada is there twice/);
  const taken = `operator:viewer:${hash}`;
  expect(() => config({ DASHBOARDS_USERS: taken })).toThrow(/operator is the operator/);
  const header = {
    DASHBOARDS_PROXY_HEADER: "X-Forwarded-Email",
    DASHBOARDS_PROXY_OPERATORS: "a@b.c, *",
  };
  expect(() => config(header)).toThrow(/DASHBOARDS_PROXY_HEADER: needs TRUSTED_PROXIES/);
  const unnamed = { DASHBOARDS_PROXY_OPERATORS: "a@b.c" };
  expect(() => config(unnamed)).toThrow(
    /DASHBOARDS_PROXY_OPERATORS: needs DASHBOARDS_PROXY_HEADER/,
  );
  const same = { DASHBOARDS_VIEWER: "operator", DASHBOARDS_VIEWER_PASSWORD: "long enough" };
  expect(() => config(same)).toThrow(/DASHBOARDS_VIEWER: is the operator already/);
  expect(config({ ...header, TRUSTED_PROXIES: "10.0.0.1" }).proxyUsers).toEqual({
    header: "x-forwarded-email",
    operators: ["a@b.c", "*"],
    proxies: ["10.0.0.1"],
  });
});

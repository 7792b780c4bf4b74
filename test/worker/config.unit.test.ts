import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig, userBehind } from "../../worker/config.ts";

const least = { REDIS_URL: "redis://127.0.0.1:6379", WORKER_POOLS: "browser" };
const production = { ...least, NODE_ENV: "production" };
const ordinary = { isMachinesRoot: false, behind: () => 1000 };
const root = { isMachinesRoot: true, behind: () => 1000 };
const launcher = JSON.stringify(["setpriv", "--reuid=1000"]);

test("production renders nothing without Chromium's sandbox", () => {
  const without = { ...production, CHROMIUM_SANDBOX: "false" };
  expect(() => readConfig(without, ordinary)).toThrow(/CHROMIUM_SANDBOX is off.*deploy\/README/);
  const hidden = { ...production, CHROMIUM_LAUNCHER: '["chromium","--no-sandbox"]' };
  expect(() => readConfig(hidden, ordinary)).toThrow(/CHROMIUM_SANDBOX is off/);
  expect(readConfig(production, ordinary).chromium.sandbox).toBe(true);
});

test("production renders nothing as the machine's root, unless a launcher drops root", () => {
  expect(() => readConfig(production, root)).toThrow(/This is root/);
  expect(
    readConfig({ ...production, CHROMIUM_LAUNCHER: launcher }, root).chromium.launcher,
  ).toEqual(["setpriv", "--reuid=1000"]);
  expect(readConfig(production, ordinary).chromium.launcher).toEqual([]);
});

test("a launcher that leaves root its rights is refused", () => {
  for (const uid of [0, undefined]) {
    const env = { ...production, CHROMIUM_LAUNCHER: '["/usr/bin/env"]' };
    expect(() => readConfig(env, { ...root, behind: () => uid })).toThrow(/This is root/);
  }
  expect(userBehind(["env"])).toBe(process.getuid?.());
  expect(userBehind(["no-such-program"])).toBeUndefined();
});

test("a launcher, resolver or egress service that is none is refused by name", () => {
  for (const text of ["nonsense", "[1]", "{}"])
    expect(() => readConfig({ ...least, CHROMIUM_LAUNCHER: text }, ordinary)).toThrow(
      /CHROMIUM_LAUNCHER: a JSON array of words/,
    );
  for (const text of ["nonsense", "1.1.1.1:99999", "dns.example:53", "1.1.1.1:0"])
    expect(() => readConfig({ ...least, RESOLVER: text }, ordinary)).toThrow(
      /RESOLVER: address or address:port/,
    );
  for (const text of ["h:99999", "h:0", "h", ":80", "http://h:80"])
    expect(() => readConfig({ ...least, EGRESS_VIA: text }, ordinary)).toThrow(/EGRESS_VIA/);
  for (const text of ["egress:80", "[::1]:3128"])
    expect(readConfig({ ...least, EGRESS_VIA: text }, ordinary).egressVia).toBe(text);
  for (const text of ["1.1.1.1", "1.1.1.1:53", "::1", "[::1]:53"])
    expect(readConfig({ ...least, RESOLVER: text }, ordinary).resolver).toBe(text);
});

test("the operator's contact is an e-mail address or a web page", () => {
  for (const contact of ["ops@example.com", "https://example.com/about?x=1#us"])
    expect(readConfig({ ...least, CONTACT: contact }, ordinary).redisUrl).toBe(least.REDIS_URL);
  for (const contact of ["ops", "ops@example", "a (b)@example.com", "https://example.com/(a)"])
    expect(() => readConfig({ ...least, CONTACT: contact }, ordinary)).toThrow(/CONTACT/);
});

test("elsewhere, and for workers that render nothing, both are allowed", () => {
  expect(readConfig({ ...least, CHROMIUM_SANDBOX: "false" }, root).chromium.sandbox).toBe(false);
  const others = { ...production, WORKER_POOLS: "serp,social", CHROMIUM_SANDBOX: "false" };
  expect(readConfig(others, root).pools.map(({ pool }) => pool)).toEqual(["serp", "social"]);
});

test("the URL of Redis may come from a file; a file that cannot be read is named", () => {
  const folder = mkdtempSync(join(tmpdir(), "worker-"));
  const file = join(folder, "redis");
  writeFileSync(file, `${least.REDIS_URL}\n`);
  expect(readConfig({ WORKER_POOLS: "serp", REDIS_URL_FILE: file }).redisUrl).toBe(least.REDIS_URL);
  const missing = { WORKER_POOLS: "serp", REDIS_URL_FILE: join(folder, "none") };
  expect(() => readConfig(missing)).toThrow(
    /^REDIS_URL_FILE: the file \S+ cannot be read \(ENOENT\)$/,
  );
  rmSync(folder, { recursive: true });
});

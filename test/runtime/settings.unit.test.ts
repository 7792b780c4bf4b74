import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type * as z from "zod";
import * as api from "../../api/config.ts";
import * as dashboards from "../../dashboards/config.ts";
import * as fonts from "../../local/fonts.ts";
import { checkProcesses, withFiles } from "../../local/settings.ts";
import { listenProblem, readSettings, SettingsError, settingOf } from "../../runtime/settings.ts";
import * as worker from "../../worker/config.ts";
import * as egress from "../../worker/egress/config.ts";

const least = {
  DATABASE_URL: "postgres://127.0.0.1",
  REDIS_URL: "redis://127.0.0.1",
  KEY_PEPPER: "k".repeat(32),
  CURSOR_SECRET: "c".repeat(32),
  DASHBOARDS_PASSWORD: "long enough",
};
const schemas: Readonly<Record<string, z.ZodObject>> = {
  api: api.environment,
  worker: worker.environment,
  dashboards: dashboards.environment,
  egress: egress.environment,
  fonts: fonts.environment,
};
const variables = Object.entries(schemas).flatMap(([process, { shape }]) =>
  Object.keys(shape).map((name) => ({ process, name })),
);

/** The complaint about one setting among usable ones. */
function complaint(process: string, name: string, value: string): string | undefined {
  try {
    readSettings(schemas[process] as z.ZodObject, { ...least, [name]: value });
    return undefined;
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
}

test.each(variables)("$name of $process is not blank", ({ process, name }) => {
  expect(complaint(process, name, " ")).toMatch(new RegExp(`^${name}: `));
});

const unusable: readonly [process: string, name: string, values: readonly string[]][] = [
  ["api", "PORT", ["http", "-1", "65536", "0x50", "1.5", " 80"]],
  ["api", "HOST", ["a b", "http://x"]],
  ["api", "WEB_ORIGINS", ["app.example", "https://app.example/", "https://a.example:443", "a,*"]],
  ["api", "WEBHOOK_PAUSES", ["5,x", "-1", "1e9"]],
  ["api", "WEBHOOK_ALLOW", ["10.0.0.0/99", "10.0.0.1:99999", "10.0.0.1:0", "localhost"]],
  // A timer beyond 24 days fires at once.
  ["api", "SWEEP_EVERY_MS", ["99", "99999999999"]],
  ["api", "REDIS_PREFIX", ["a b"]],
  ["worker", "WORKER_POOLS", ["nobody", "serp,serp", ","]],
  ["worker", "EGRESS_ALLOW", ["nonsense", "10.0.0.0/8,nonsense"]],
  ["worker", "DRIFT", ["maybe"]],
  ["worker", "NODE_ENV", ["Production", "prod"]],
  ["dashboards", "DASHBOARDS_USER", ["a:b"]],
  ["fonts", "INSTALL_FONTS", ["maybe"]],
];

test.each(unusable)("%s: %s refuses what it cannot use, and shows it", (process, name, values) => {
  for (const value of values) {
    const said = complaint(process, name, value);
    expect(said).toMatch(new RegExp(`^${name}: `));
    expect(said).toContain(`(it is ${JSON.stringify(value)})`);
  }
});

test("values that browsers, networks and people use are accepted", () => {
  const origins = "https://app.example,http://localhost:5173,chrome-extension://abc,null,*";
  expect(complaint("api", "WEB_ORIGINS", origins)).toBeUndefined();
  expect(complaint("worker", "EGRESS_ALLOW", "10.0.0.0/8, [fd00::1]:81, ::1")).toBeUndefined();
  expect(fonts.installsFonts({ INSTALL_FONTS: "no" })).toBe(false);
});

test("a setting may come from a file, which must exist and have a content", () => {
  const folder = mkdtempSync(join(tmpdir(), "settings-"));
  const file = join(folder, "secret");
  writeFileSync(file, " text\n");
  expect(settingOf({ A_FILE: file }, "A")).toBe("text");
  expect(settingOf({ A: "own", A_FILE: file }, "A")).toBe("own");
  writeFileSync(file, "\n");
  expect(() => settingOf({ A_FILE: file }, "A")).toThrow(`A_FILE: the file ${file} is empty`);
  expect(() => settingOf({ A_FILE: folder }, "A")).toThrow(/cannot be read \(EISDIR\)/);
  rmSync(folder, { recursive: true });
});

test("a file that cannot be read is the only complaint about its setting", () => {
  const env = { ...least, DATABASE_URL: "", DATABASE_URL_FILE: "/nope", PORT: "x" };
  expect(() => api.readConfig(env)).toThrow(
    new SettingsError(
      'DATABASE_URL_FILE: the file /nope cannot be read (ENOENT)\nPORT: a whole number from 0 to 65535 (it is "x")',
    ),
  );
});

test("a former key for credentials needs the current one, which npm start derives", () => {
  const former = { ...least, WORKER_POOLS: "seo", CREDENTIALS_KEY_PREVIOUS: "p".repeat(32) };
  for (const { readConfig } of [api, worker]) {
    expect(() => readConfig(former)).toThrow(/^CREDENTIALS_KEY_PREVIOUS: needs CREDENTIALS_KEY, /);
    expect(() => readConfig({ ...former, CREDENTIALS_KEY: "n".repeat(32) })).not.toThrow();
  }
  expect(() => checkProcesses(former)).not.toThrow();
});

test("npm start gives its processes no empty variable, which would hide its own values", () => {
  expect(withFiles({ CREDENTIALS_KEY: "", CAPACITY_CEILINGS: "", PORT: "3000" })).toEqual({
    PORT: "3000",
  });
});

test("an address that nothing can listen on names the setting at fault", () => {
  const of = (code: string) =>
    listenProblem(Object.assign(new Error("no"), { code }), ["HOST", "h"], ["PORT", 80]).message;
  expect(of("EADDRINUSE")).toBe("PORT: port 80 is in use on h");
  expect(of("EACCES")).toBe("PORT: this user may not listen on port 80");
  expect(of("ENOTFOUND")).toBe("HOST: nothing can listen on h (ENOTFOUND)");
});

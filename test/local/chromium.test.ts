import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findChromium, shippedChromium } from "../../local/chromium.ts";
import { tryChromium } from "../../local/chromium-trial.ts";

let home: string;
beforeEach(() => {
  home = fs.mkdtempSync(join(tmpdir(), "gateway-browsers-"));
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

const launcher = () => JSON.parse(process.env["TEST_CHROMIUM_LAUNCHER"] ?? "[]") as string[];

test("the one it is told renders in its sandbox, and the verdict is kept", async () => {
  const told = process.env["TEST_CHROMIUM"] as string;
  const options = { allowNoSandbox: false, env: { PUPPETEER_EXECUTABLE_PATH: told } };
  const found = await findChromium(home, options);
  expect(found).toMatchObject({ executablePath: told, sandbox: true });
  expect(Object.keys(JSON.parse(fs.readFileSync(join(home, "verdicts.json"), "utf8")))).toEqual([
    expect.stringContaining(told),
  ]);
  expect(await findChromium(home, options)).toEqual(found);
});

test("one that is told but is not there, or is no browser, gives one sentence", async () => {
  const find = (told: string) =>
    findChromium(home, { allowNoSandbox: true, env: { PUPPETEER_EXECUTABLE_PATH: told } });
  await expect(find("/nowhere/chromium")).rejects.toThrow(
    /names .nowhere.chromium, which does not/,
  );
  await expect(find(process.execPath)).rejects.toThrow(/does not start/);
});

test("a browser that cannot build its sandbox is no success", async () => {
  const told = process.env["TEST_CHROMIUM"] as string;
  // Without the right to make namespaces and without its set-uid helper there is no sandbox left.
  const crippled = ["--disable-setuid-sandbox", "--disable-namespace-sandbox"];
  const argv = [...launcher(), told, ...crippled];
  expect(await tryChromium(argv, true)).toMatch(/sandbox/i);
  expect(await tryChromium(argv, false)).toBe(true);
});

test("the one that npm ships for Linux on x64 renders too", async () => {
  const shipped = await shippedChromium(home);
  expect(shipped !== undefined).toBe(process.platform === "linux" && process.arch === "x64");
  if (!shipped) return;
  const found = await findChromium(home, {
    allowNoSandbox: true,
    env: { PUPPETEER_EXECUTABLE_PATH: shipped.file },
  });
  expect(found.executablePath).toBe(shipped.file);
});

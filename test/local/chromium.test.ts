import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aboutChromium, findChromium } from "../../local/chromium.ts";
import { programsOf } from "../../local/chromium-programs.ts";
import { tryChromium } from "../../local/chromium-trial.ts";

let home: string;
beforeEach(() => {
  home = fs.mkdtempSync(join(tmpdir(), "gateway-browsers-"));
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

const launcher = () => JSON.parse(process.env["TEST_CHROMIUM_LAUNCHER"] ?? "[]") as string[];

test("a configured browser renders in its sandbox, and the verdict is cached", async () => {
  const configured = process.env["TEST_CHROMIUM"] as string;
  const options = { allowNoSandbox: false, env: { PUPPETEER_EXECUTABLE_PATH: configured } };
  const found = await findChromium(home, options);
  expect(found).toMatchObject({ executablePath: configured, sandbox: true });
  expect(Object.keys(JSON.parse(fs.readFileSync(join(home, "products.json"), "utf8")))).toEqual([
    expect.stringContaining(configured),
  ]);
  expect(await findChromium(home, options)).toEqual(found);
});

test("a configured browser that is missing or no browser gives one sentence", async () => {
  const find = (configured: string) =>
    findChromium(home, { allowNoSandbox: true, env: { PUPPETEER_EXECUTABLE_PATH: configured } });
  await expect(find("/nowhere/chromium")).rejects.toThrow(
    /names .nowhere.chromium, which does not/,
  );
  await expect(find(process.execPath)).rejects.toThrow(/does not start/);
});

test("a browser that cannot build its sandbox is a failure", async () => {
  const configured = process.env["TEST_CHROMIUM"] as string;
  // Without the right to create namespaces and without its set-uid helper it has no sandbox left.
  const crippled = ["--disable-setuid-sandbox", "--disable-namespace-sandbox"];
  const argv = [...launcher(), configured, ...crippled];
  expect(await tryChromium(argv, true)).toEqual({ complaint: expect.stringMatching(/sandbox/i) });
  expect(await tryChromium(argv, false)).toEqual({ product: expect.stringMatching(/Chrome\//) });
});

test("a browser that starts in its sandbox but leaves processes behind is a failure", async () => {
  const configured = process.env["TEST_CHROMIUM"] as string;
  const argv = [...launcher(), configured, "--disable-seccomp-filter-sandbox"];
  expect(await tryChromium(argv, true, 1000)).toEqual({
    complaint: expect.stringMatching(/no sandbox for .*renderer/),
    unconfined: expect.arrayContaining(["renderer"]),
  });
});

test("the browser that npm ships for Linux on x64 renders too", async () => {
  const [shipped] = await programsOf("npm", home);
  expect(shipped !== undefined).toBe(process.platform === "linux" && process.arch === "x64");
  if (!shipped) return;
  const found = await findChromium(home, { allowNoSandbox: true, kind: "npm" });
  expect(found.executablePath).toBe(shipped.file);
  expect(found.product).toMatch(/^HeadlessChrome\//);
  expect(aboutChromium(found, {})).toMatch(/^headless shell .* lags behind in security fixes/);
});

test("a headless shell is preferred to a full browser, and a full one is used on request", async () => {
  const [shells, fulls] = [await programsOf("shell", home), await programsOf("full", home)];
  const find = (env: NodeJS.ProcessEnv) => findChromium(home, { allowNoSandbox: false, env });
  if (shells.length > 0) {
    const found = await find({});
    expect(shells.map(({ file }) => file)).toContain(found.executablePath);
    expect(found.product).toMatch(/^HeadlessChrome\//);
    expect(aboutChromium(found, {})).toMatch(/^headless shell [\d.]+ \(installed, .*\)$/);
  }
  if (fulls.length > 0) {
    const found = await find({ BROWSER_KIND: "full" });
    expect(fulls.map(({ file }) => file)).toContain(found.executablePath);
    expect(found.product).toMatch(/^Chrome\//);
    expect(aboutChromium(found, {})).toMatch(
      /^full Chromium .* headless shell needs about a third/,
    );
    expect(aboutChromium(found, { BROWSER_KIND: "full" })).not.toContain("third");
  }
  await expect(find({ BROWSER_KIND: "light" })).rejects.toThrow(/may be shell or full/);
});

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { areas } from "../../../contract/index.ts";
import type { Stage } from "./stage.ts";

const run = promisify(execFile);

/**
 * Swagger UI computes for seconds over the whole contract before it renders; longer on a busy
 * machine.
 */
const timeoutMs = 150_000;

async function fitsTwoWidths(stage: Stage): Promise<void> {
  const { gateway, chromium } = stage;
  const page = await chromium.openPersistent();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  for (const width of [1400, 390]) {
    await page.setViewport({ width, height: 900 });
    for (const path of ["/docs", "/docs/mcp", "/docs/forum", "/docs/seo.serp.search"]) {
      await page.goto(`${gateway.url}${path}`);
      const wide = await page.evaluate("document.documentElement.scrollWidth");
      expect(wide, `${path} at ${width}`).toBe(width);
      expect(await page.$$eval("nav a, main h1", (all) => all.length)).toBeGreaterThan(
        areas.length,
      );
    }
  }
  await page.goto(`${gateway.url}/docs/maps.search`);
  await page.click('main a[href*="try#"]');
  expect(page.url()).toContain("/docs/try#/maps/maps.search");
  expect(complaints).toEqual([]);
  await page.close();
}

async function helpsItsReader(stage: Stage): Promise<void> {
  const { gateway, chromium, key } = stage;
  const page = await chromium.openPersistent();
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${gateway.url}/docs/shortclip.search`);
  const shownCode = () =>
    page.$$eval("section.beside .tabs figure", (all) =>
      all
        .filter((one) => !(one as unknown as { hidden: boolean }).hidden)
        .map((one) => one.textContent),
    );
  expect((await shownCode())[0]).toContain("$GATEWAY_KEY");

  await page.click("details.key summary");
  await page.type("#key", key);
  await page.keyboard.press("Enter");
  const filledCode = (await shownCode())[0];
  expect(filledCode).toContain(`${gateway.url}/shortclip/search`);
  expect(filledCode).toContain(`Bearer ${key.slice(0, 9)}…${key.slice(-4)}`);
  await page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
  await page.click("section.beside .tabs figure:not([hidden]) .copy");
  const { stdout } = await run("sh", ["-ec", String(await page.evaluate("window.copied"))]);
  expect(stdout).toContain('"request_id":"svc_');

  await page.click("button.run");
  await page.waitForSelector("section.beside pre[aria-label=Answer]:not([hidden])");
  expect(await page.$eval("section.beside p[role=status]", (one) => one.textContent)).toMatch(
    /^Status 200 after \d+ ms, \d+ credits charged$/,
  );

  await page.focus("[role=tab][aria-selected=true]");
  await page.keyboard.press("ArrowRight");
  expect((await shownCode())[0]).toContain("new Gateway");
  await page.goto(`${gateway.url}/docs/retries`);
  const chosen = await page.$$eval("[role=tab][aria-selected=true]", (all) =>
    all.map((one) => one.textContent),
  );
  expect(chosen).toEqual(["TypeScript"]);

  await page.keyboard.press("/");
  await page.type("dialog input", "youtube");
  await page.waitForSelector("dialog [role=option]");
  const found = await page.$$eval("dialog [role=option] strong", (all) =>
    all.map((one) => one.textContent),
  );
  expect(found.filter((title) => title?.startsWith("videosite.")).length).toBeGreaterThan(2);
  await page.keyboard.press("ArrowDown");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  expect(page.url()).toBe(`${gateway.url}/docs/${found[1]}`);

  expect(
    requested.filter((url) => !url.startsWith(`${gateway.url}/`) && !url.startsWith("data:")),
  ).toEqual([]);
  // The key goes to the gateway as a header only.
  expect(requested.filter((url) => url.includes(key))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
}

async function triesAnOperation(stage: Stage): Promise<void> {
  const { gateway, chromium, key } = stage;
  const page = await chromium.openPersistent();
  page.setDefaultTimeout(timeoutMs);
  await page.setViewport({ width: 1400, height: 1000 });
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));

  await page.goto(`${gateway.url}/docs/try#/shortclip/shortclip.search`);
  await page.waitForSelector(".opblock.is-open");
  const tags = await page.$$eval(".opblock-tag", (all) =>
    all.map((tag) => (tag as unknown as { dataset: { tag: string } }).dataset.tag),
  );
  expect(tags).toEqual(["shortclip", "gateway"]);

  await page.click(".btn.authorize");
  await page.type(".auth-container input", key);
  await page.click(".auth-btn-wrapper .authorize");
  await page.click(".auth-btn-wrapper .btn-done");
  await page.click(".try-out__btn");
  await page.click(".btn.execute");
  const answer = await page.waitForSelector(
    ".live-responses-table .response .response-col_description",
  );
  const shown = String(await answer?.evaluate((cell) => cell.textContent));
  expect(shown).toContain('"credits_charged"');

  expect(
    requested.filter((url) => !url.startsWith(`${gateway.url}/`) && !url.startsWith("data:")),
  ).toEqual([]);
  expect(complaints).toEqual([]);
}

/** The pages in a real Chromium: layout, scripts, search, and the form that tries an operation. */
export function testInBrowser(stage: Stage): void {
  test("the start page reads well in a browser at two widths", () => fitsTwoWidths(stage));
  test("a page fills in key and address, keeps the language, copies, runs the call, and finds other pages", () =>
    helpsItsReader(stage));
  test(
    "an operation can be tried with a key on the page of its area",
    () => triesAnOperation(stage),
    timeoutMs + 30_000,
  );
}

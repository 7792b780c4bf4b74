import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "puppeteer";
import { expect, test } from "vitest";
import { decide } from "../../../db/controls.ts";
import { bucketOf, grains, slotOf, timesKey } from "../../../runtime/latency-histograms.ts";
import { full } from "../../faults/full.ts";
import { password, user } from "../services.ts";
import { operation, type Stage } from "./stage.ts";

/** A plausible day, so that the charts have data. */
async function writeDay({ redis }: Stage, subjects: readonly string[]): Promise<void> {
  const now = Date.now();
  const commands = redis.multi();
  for (const subject of subjects) {
    for (const grain of ["fine", "coarse"] as const) {
      for (let ago = 1; ago < grains[grain].kept - 1; ago++) {
        const slot = slotOf(grain, now) - ago;
        const key = timesKey(subject, grain, slot);
        const load = 1 + Math.sin((slot * grains[grain].ms) / 7_000_000);
        // A gap in the hour and the day; the first of the last five minutes has figures.
        if (ago % 23 === 12) continue;
        for (let count = 0; count < 12; count++) {
          commands.hincrby(key, `r${Math.round(30 + load * 5 + count / 2)}`, 3);
          commands.hincrby(key, `w${Math.round(load * 12 + count * 1.5)}`, 3);
        }
        commands.expire(key, 600);
      }
    }
  }
  await commands.exec();
}

/** Decisions in force, and a batch, for the pages that show them. */
async function fill({ gateway }: Stage): Promise<void> {
  const decided = { who: "operator", why: "their maintenance, until noon", minutes: 60 };
  await decide(gateway.db, { ...decided, kind: "upstream", target: "reddit", effect: "off" });
  const cap = { kind: "operation", target: operation, effect: "cap", perMinute: 600 };
  await decide(gateway.db, { ...decided, ...cap });
  const { key } = await gateway.key({ account: "shown", mode: "test" });
  const items = [{ custom_id: "a", operation, input: { target: "example.com" } }];
  await gateway.call(key, "POST", "/batches", { body: { items } });
}

async function logIn({ board }: Stage, page: Page): Promise<void> {
  await page.goto(`${board.url}/login`);
  await page.type("input[name=user]", user);
  await page.type("input[name=password]", password);
  await Promise.all([page.waitForNavigation(), page.click("button")]);
}

/** Every page for operators, by the name of its picture, with its status. */
async function operatorsPages({ gateway }: Stage): Promise<Record<string, string>> {
  const [logged] = await gateway.db.sql<{ request_id: string }[]>`
    select request_id from stories order by id limit 1`;
  const [batch] = await gateway.db.sql<{ public_id: string }[]>`
    select public_id from batches order by id desc limit 1`;
  return {
    overview: "/",
    call: `/calls/${logged?.request_id}`,
    pool: "/pools/seo",
    operation: `/pools/seo/${operation}`,
    controls: "/controls",
    calls: "/calls",
    failed: "/calls?status=failed&hours=1",
    accounts: "/accounts",
    account: "/accounts/busy",
    changes: "/changes",
    webhooks: "/webhooks",
    work: "/work",
    batch: `/work/batches/${batch?.public_id}`,
    jobs: "/work/jobs",
    endpoint: `/webhooks/whe_${"a".repeat(32)}`,
    workers: "/workers",
    capacity: "/capacity",
    upstreams: "/upstreams",
    upstream: "/upstreams/dataforseo",
    unknown: "/upstreams/reddit",
    canaries: "/canaries",
    runbooks: "/runbooks",
    login: "/login",
    missing: "/worker",
  };
}

const callersPages = {
  start: "/docs",
  errors: "/docs/errors",
  mcp: "/docs/mcp",
  area: "/docs/forum",
  page: "/docs/maps.search",
  "no-page": "/docs/mapz",
};

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

const grave = new Set(["serious", "critical"]);

/** Rules that the open page breaks, and that keep somebody from using it; the check itself is injected once a page. */
async function findingsOn(page: Page): Promise<string[]> {
  const [hasAxe] = (await page.evaluate("['axe' in window]")) as [boolean];
  if (!hasAxe) await page.evaluate(axe.source);
  const violations = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)",
  )) as Finding[];
  return violations
    .filter(({ impact }) => grave.has(impact))
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
}

const views = [
  { scheme: "light", width: 1400 },
  { scheme: "dark", width: 390 },
];

async function fitsAndIsAccessible(stage: Stage): Promise<void> {
  const { board, chromium, gateway } = stage;
  await writeDay(stage, ["seo", `seo/${operation}`]);
  await fill(stage);
  const folder = process.env["SCREENSHOTS"];
  if (folder) mkdirSync(folder, { recursive: true });
  const addresses = [
    ...Object.entries(await operatorsPages(stage)).map(([name, path]) => [name, board.url + path]),
    ...Object.entries(callersPages).map(([name, path]) => [`docs-${name}`, gateway.url + path]),
  ] as [string, string][];
  const page = await chromium.openPersistent();
  const found: string[] = [];
  page.on("console", (message) => {
    const { url = "" } = message.location();
    // The answers to wrong addresses are 404.
    if (message.type() === "error" && !/\/(?:worker|docs\/mapz)$/.test(url))
      found.push(message.text());
  });
  await logIn(stage, page);
  for (const [at, [name, address]] of addresses.entries()) {
    const answer = await page.goto(address);
    expect(answer?.status(), address).toBe(/missing|no-page/.test(name) ? 404 : 200);
    for (const [number, { scheme, width }] of views.entries()) {
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) found.push(`${name}: ${wide} pixels wide at ${width}`);
      if (folder)
        await page.screenshot({ path: join(folder, `${name}-${width}.png`), fullPage: true });
      if (!full && (at + number) % 2 === 1) continue;
      // The script is injected, which the policy of the pages forbids to themselves.
      found.push(...(await findingsOn(page)).map((text) => `${name}, ${scheme}: ${text}`));
    }
  }
  expect(found).toEqual([]);
  await page.close();
}

async function findsFaults(stage: Stage): Promise<void> {
  const page = await stage.chromium.openPersistent();
  await page.setContent(
    `<html lang="en"><title>x</title><main><h1>x</h1><input><p style="color:#bbb">pale</p>`,
  );
  expect(await findingsOn(page)).toEqual([
    expect.stringMatching(/^color-contrast: /),
    expect.stringMatching(/^label: /),
  ]);
  await page.close();
}

async function sendsAForm(stage: Stage): Promise<void> {
  const { board, chromium } = stage;
  const page = await chromium.openPersistent();
  await page.goto(`${board.url}/controls`);
  await page.select("form.card select[name=target]", "social");
  await page.type("form.card input[name=why]", "by hand");
  await Promise.all([page.waitForNavigation(), page.click("form.card button")]);
  expect(page.url()).toBe(`${board.url}/controls`);
  expect(await page.content()).toContain("pool social");
  await page.close();
}

/** The chart follows the new figures; the cursor over it stays, and arrow keys move it. */
async function drawsCharts(page: Page, { redis }: Stage): Promise<void> {
  const legend = () => page.$eval(".plot .legend", ({ textContent }) => textContent);
  await page.focus(".plot");
  await page.keyboard.press("Home");
  expect(await legend()).toMatch(/^p50 [\d.]+ m?s.*\d\d:\d\dZ$/);
  const slow = `w${bucketOf(100_000)}`;
  const commands = redis.multi();
  // The minutes that follow too: the last one shown must have it.
  for (let ahead = 0; ahead < 5; ahead++) {
    const key = timesKey("seo", "fine", slotOf("fine", Date.now()) + ahead);
    commands.hincrby(key, slow, 100_000).expire(key, 600);
  }
  await commands.exec();
  const drawn = "document.querySelector('.plot .legend').textContent";
  await page.waitForFunction(
    "/p99 101[.]\\d s/.test(document.querySelector('figcaption').textContent)",
  );
  expect(await legend()).not.toMatch(/p99 101/);
  await page.keyboard.press("End");
  await page.waitForFunction(`/p99 101[.]\\d s/.test(${drawn})`);
}

async function changesInPlace(stage: Stage): Promise<void> {
  const { board, chromium, gateway } = stage;
  const page = await chromium.openPersistent();
  await page.goto(`${board.url}/pools/seo`);
  await page.evaluate("window.mark = 'the same page'");
  await page.type("input[name=id]", "svc_typed");
  const decision = { who: "operator", why: "seen without a reload" };
  await decide(gateway.db, { ...decision, kind: "pool", target: "seo", effect: "drain" });
  await page.waitForFunction("document.body.textContent.includes('seen without a reload')");
  const kept = "[window.mark, document.activeElement.name, document.activeElement.value]";
  expect(await page.evaluate(kept)).toEqual(["the same page", "id", "svc_typed"]);
  await drawsCharts(page, stage);
  // Without scripts the page reloads, and has the figures of its charts as tables.
  await page.setJavaScriptEnabled(false);
  await page.goto(`${board.url}/pools/seo`);
  expect(await page.$("meta[http-equiv=refresh]")).not.toBeNull();
  expect(await page.$eval(".plotted td", ({ textContent }) => textContent)).toMatch(/^[\d.]+ m?s$/);
  await page.close();
}

/** One after the other in one page of a browser: a usual run gives each page to axe in one view, a full one in both. */
export function testInBrowser(stage: Stage): void {
  test("every page, for operators and callers, fits a desktop and a phone and has no serious finding", () =>
    fitsAndIsAccessible(stage));
  test("the check does find what is wrong", () => findsFaults(stage));
  test("a form of the page of controls is sent by hand", () => sendsAForm(stage));
  test("figures change without a reload: typed text, focus and open details stay", () =>
    changesInPlace(stage));
}

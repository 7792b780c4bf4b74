import type { Page } from "puppeteer";
import axe from "axe-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { full } from "../faults/full.ts";
import { type Envelope, Gateway, until } from "../gateway.ts";
import { type BareChromium, startBareChromium } from "../worker/browser/shared-context.ts";
import { type Dashboards, dashboards, password, user } from "./services.ts";

/** Every page for operators and callers in a real Chromium, read by axe-core: light and dark, wide and narrow. */

let gateway: Gateway;
let board: Dashboards;
let chromium: BareChromium;
let page: Page;
let callId: string;

beforeAll(async () => {
  [gateway, chromium] = await Promise.all([
    Gateway.start({ pools: "social" }),
    startBareChromium(),
  ]);
  board = await dashboards(gateway.redis.url, { writable: true, databaseUrl: gateway.db.url });
  const { key } = await gateway.key({ account: "shown", mode: "test" });
  const path = "/shortclip/search?q=tea&limit=3";
  callId = (await gateway.call<Envelope>(key, "GET", path)).body.request_id;
  await gateway.call(key, "GET", path, { headers: { "svc-test-scenario": "upstream_error" } });
  await gateway.call(key, "GET", path, { headers: { prefer: "respond-async" } });
  const items = [{ custom_id: "a", operation: "shortclip.search", input: { q: "tea" } }];
  await gateway.call(key, "POST", "/batches", { body: { items } });
  page = await chromium.openPersistent();
  // The script of the check is injected, which the pages' own policy forbids.
  await page.setBypassCSP(true);
  await page.goto(`${board.url}/login`);
  await page.type("input[name=user]", user);
  await page.type("input[name=password]", password);
  await Promise.all([page.waitForNavigation(), page.click("button")]);
  await until(async () => (await board.get(`/calls/${callId}`)).status === 200);
});
afterAll(async () => {
  await chromium?.close();
  await board?.app.close();
  await gateway?.stop();
});

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

const grave = new Set(["serious", "critical"]);

/** Findings that keep somebody from using the page, as "page: rule: element". */
async function findingsOf(address: string): Promise<string[]> {
  const answer = await page.goto(address);
  const where = new URL(address).pathname;
  if ((answer?.status() ?? 500) >= 500) return [`${where}: status ${answer?.status()}`];
  await page.evaluate(axe.source);
  const violations = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)",
  )) as Finding[];
  const wide = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
  return [
    ...(wide > 0 ? [`${where}: ${wide} pixels too wide`] : []),
    ...violations
      .filter(({ impact }) => grave.has(impact))
      .map(({ id, nodes }) => `${where}: ${id}: ${nodes[0]?.html.slice(0, 200)}`),
  ];
}

const boardPages = () => [
  "/",
  "/calls",
  `/calls/${callId}`,
  "/accounts",
  "/accounts/shown",
  "/work",
  "/webhooks",
  "/workers",
  "/capacity",
  "/controls",
  "/changes",
  "/pools/social",
  "/pools/social/shortclip.search",
  "/none",
];
const docsPages = [
  "/docs",
  "/docs/errors",
  "/docs/mcp",
  "/docs/forum",
  "/docs/maps.search",
  "/docs/no-such-page",
];

/** A usual run reads each page in one of them, a full one in both. */
const views = [
  { scheme: "light", width: 1400 },
  { scheme: "dark", width: 390 },
];

test.each(views)("no page has a serious finding: $scheme, $width pixels wide", async (view) => {
  const { scheme, width } = view;
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  const addresses = [
    ...boardPages().map((path) => board.url + path),
    ...docsPages.map((path) => gateway.url + path),
  ].filter((_, index) => full || (index + views.indexOf(view)) % 2 === 0);
  const found: string[] = [];
  for (const address of addresses) found.push(...(await findingsOf(address)));
  expect(found).toEqual([]);
});

test("the check does find what is wrong", async () => {
  await page.setContent(
    `<html lang="en"><title>x</title><main><h1>x</h1><input><p style="color:#bbb">pale</p>`,
  );
  await page.evaluate(axe.source);
  const violations = (await page.evaluate(
    "axe.run().then((result) => result.violations)",
  )) as Finding[];
  expect(violations.map(({ id }) => id)).toEqual(
    expect.arrayContaining(["label", "color-contrast"]),
  );
});

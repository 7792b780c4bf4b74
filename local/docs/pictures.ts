import { mkdirSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "puppeteer";
import { launch } from "../../worker/browser/chromium/launch.ts";
import { findChromium } from "../chromium.ts";
import { type OwnGateway, startOwnGateway } from "./own-gateway.ts";
import { startTroubles, takeAnswers } from "./questions.ts";
import { startSampleLoad } from "./sample-load.ts";
import { startTroubledUpstream } from "./troubled-upstream.ts";

/**
 * `npm run docs:pictures [-- <folder>]`: takes the pictures of docs/pictures/ from a gateway of its own under a
 * small load. With a folder it also puts all main pages there, wide and as a telephone shows them (390 pixels), light
 * and dark.
 */

const pictures = join(import.meta.dirname, "..", "..", "docs", "pictures");
interface Size {
  width: number;
  height: number;
  /** The picture of a longer page ends here. */
  tallest: number;
}

const wide: Size = { width: 1400, height: 1000, tallest: 1610 };
const narrow: Size = { width: 390, height: 844, tallest: 2400 };

/** The capacity page needs a few minutes of load for its figures. */
const loadMs = 180_000;

async function signIn(page: Page, gateway: OwnGateway): Promise<void> {
  await page.goto(`${gateway.dashboardsUrl}/login`);
  await page.type("input[name=user]", gateway.user);
  await page.type("input[name=password]", gateway.password);
  await Promise.all([page.waitForNavigation(), page.click("button")]);
}

/** A script that replaces the name of this machine where a text begins with it. */
const hideHost = (name: string) => `
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const [text, name] = [texts.currentNode.nodeValue, ${JSON.stringify(name)}];
    if (text.startsWith(name) && /^($|[- ])/.test(text.slice(name.length)))
      texts.currentNode.nodeValue = "machine" + text.slice(name.length);
  }`;

interface Look extends Size {
  scheme: "light" | "dark";
}

/** The pages of the README, and with `all` every main page. */
function addressesOf(
  { dashboardsUrl, apiUrl }: OwnGateway,
  callId: string,
  all: boolean,
): Record<string, string> {
  const more = Object.fromEntries(
    [
      "calls",
      "accounts",
      "upstreams",
      "canaries",
      "workers",
      "controls",
      "changes",
      "runbooks",
    ].map((name) => [name, `${dashboardsUrl}/${name}`]),
  );
  return {
    overview: `${dashboardsUrl}/`,
    capacity: `${dashboardsUrl}/capacity?hours=1`,
    call: `${dashboardsUrl}/calls/${callId}`,
    docs: `${apiUrl}/docs/maps.search`,
    ...(all ? { ...more, start: `${apiUrl}/docs`, pool: `${dashboardsUrl}/pools/browser` } : {}),
  };
}

async function takeAll(
  browser: Browser,
  gateway: OwnGateway,
  addresses: Record<string, string>,
  look: Look,
  pathOf: (name: string) => string,
): Promise<void> {
  // The browser's own flags name a proxy that only a worker runs.
  const context = await browser.createBrowserContext({ proxyServer: "direct://" });
  const page = await context.newPage();
  await page.setViewport(look);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: look.scheme }]);
  await signIn(page, gateway);
  for (const [name, address] of Object.entries(addresses)) {
    const answer = await page.goto(address, { waitUntil: "load" });
    if (answer?.status() !== 200) throw new Error(`${name} answers ${answer?.status()}`);
    await page.evaluate(hideHost(hostname()));
    const path = pathOf(name) as `${string}.png`;
    const fullHeight = Number(await page.evaluate("document.documentElement.scrollHeight"));
    const height = Math.min(fullHeight, look.tallest);
    await page.screenshot({ path, clip: { x: 0, y: 0, width: look.width, height } });
    process.stdout.write(`${path}: ${statSync(path).size} bytes\n`);
  }
  await context.close();
}

/** Every main page in four looks. */
async function takeLooks(
  browser: Browser,
  gateway: OwnGateway,
  callId: string,
  folder: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const all = addressesOf(gateway, callId, true);
  for (const size of [wide, narrow])
    for (const scheme of ["light", "dark"] as const)
      await takeAll(browser, gateway, all, { ...size, scheme }, (name) =>
        join(folder, `${name}-${size.width}-${scheme}.png`),
      );
}

/** The answers to the twelve questions. */
async function takeQuestions(browser: Browser, gateway: OwnGateway): Promise<void> {
  const folder = join(pictures, "questions");
  mkdirSync(folder, { recursive: true });
  const context = await browser.createBrowserContext({ proxyServer: "direct://" });
  const page = await context.newPage();
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
  await signIn(page, gateway);
  const tidy = hideHost(hostname());
  for (const path of await takeAnswers(page, gateway, { folder, tidy }))
    process.stdout.write(`${path}: ${statSync(path).size} bytes\n`);
  await context.close();
}

async function main(folder: string | undefined): Promise<void> {
  const upstream = await startTroubledUpstream();
  const gateway = await startOwnGateway(["--autoscale"], {
    CAPACITY_CEILINGS: "all=4,browser=3",
    DATAFORSEO_BASE_URL: upstream.url,
    DATAFORSEO_LOGIN: "sample",
    DATAFORSEO_PASSWORD: "sample",
  });
  try {
    const found = await findChromium(join(gateway.folder, "chromium"), { allowNoSandbox: false });
    const load = await startSampleLoad(gateway);
    await sleep(loadMs / 2);
    const troubles = await startTroubles(gateway);
    await sleep(loadMs / 2);
    const callId = await load.call("browser.markdown");
    // The row of a call is complete a moment after its answer.
    await sleep(2000);
    const launched = await launch({ ...found, withholdNothing: true });
    try {
      mkdirSync(pictures, { recursive: true });
      const shown = addressesOf(gateway, callId, false);
      await takeAll(launched.browser, gateway, shown, { ...wide, scheme: "light" }, (name) =>
        join(pictures, `${name}.png`),
      );
      await takeQuestions(launched.browser, gateway);
      if (folder !== undefined) await takeLooks(launched.browser, gateway, callId, folder);
    } finally {
      await launched.dispose();
    }
    troubles.stop();
    await load.stop();
  } finally {
    await gateway.stop();
    upstream.stop();
  }
}

await main(process.argv[2]);

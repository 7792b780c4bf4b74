import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer";
import type { Browser, BrowserContext, Page } from "puppeteer";
import { chromium } from "./rig.ts";

/** Pages after or beside each other in one shared context, without any isolation between jobs. */
export interface SharedContext {
  context: BrowserContext;
  open(): Promise<Page>;
  close(): Promise<void>;
}

export interface BareChromium {
  /** Folder of the profile and of nothing else. */
  home: string;
  isShell: boolean;
  share(): Promise<SharedContext>;
  /** A page outside of any context, which stores to the profile. */
  openPersistent(): Promise<Page>;
  close(): Promise<void>;
}

export async function shareOf(browser: Browser): Promise<SharedContext> {
  const context = await browser.createBrowserContext();
  return { context, open: () => context.newPage(), close: () => context.close() };
}

/** The same Chromium without the gateway's flags and preferences. */
export async function startBareChromium(args: readonly string[] = []): Promise<BareChromium> {
  const home = await mkdtemp(join(tmpdir(), "bare-chromium-"));
  const { launcher, executablePath } = chromium();
  const script = join(home, "chromium.sh");
  const words = [...launcher, executablePath].map((word) => `'${word}'`);
  // Puppeteer disables features as well, and the last of several flags counts. A page kept for the
  // back button would keep its browsing context group.
  const last = "--disable-features=HttpsUpgrades,HttpsFirstBalancedMode,BackForwardCache";
  await writeFile(script, `#!/bin/sh\nexec ${words.join(" ")} "$@" ${last}\n`, { mode: 0o700 });
  const browser = await puppeteer.launch({
    executablePath: script,
    pipe: true,
    userDataDir: join(home, "profile"),
    // Tests look for what other browsers leave in the usual folder.
    env: { ...process.env, TMPDIR: home },
    args: ["--no-proxy-server", ...args],
  });
  return {
    home,
    isShell: (await browser.version()).startsWith("Headless"),
    share: () => shareOf(browser),
    openPersistent: () => browser.newPage(),
    async close() {
      await browser.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

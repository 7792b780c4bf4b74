import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer";
import { findChromium } from "../local/chromium.ts";
import type { BrowserKind } from "../local/chromium-programs.ts";
import { dataDir } from "../local/data-folder.ts";

/**
 * Puppeteer with its default flags, a new context for each page, in the same sandbox as the
 * gateway's browser.
 */
export interface RawBrowser {
  pid: number;
  /**
   * Opens a URL and reads its text, once there is an element for the selector `shown` where one is given; with
   * `screenshot`, also takes a picture of the whole page.
   */
  read(url: string, screenshot?: boolean, shown?: string): Promise<void>;
  close(): Promise<void>;
}

export async function startRaw(kind: BrowserKind): Promise<RawBrowser> {
  const found = await findChromium(join(dataDir(), "chromium"), { allowNoSandbox: false, kind });
  const home = await mkdtemp(join(tmpdir(), "bench-chromium-"));
  const script = join(home, "chromium.sh");
  const words = [...found.launcher, found.executablePath].map((word) => `'${word}'`);
  await writeFile(script, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, { mode: 0o700 });
  const browser = await puppeteer.launch({
    executablePath: script,
    pipe: true,
    userDataDir: join(home, "profile"),
  });
  return {
    pid: browser.process()?.pid as number,
    async read(url, screenshot = false, shown) {
      const context = await browser.createBrowserContext();
      const tab = await context.newPage();
      await tab.goto(url, { waitUntil: "load" });
      if (shown !== undefined) await tab.waitForSelector(shown);
      await tab.evaluate("document.body.innerText");
      if (screenshot) {
        await tab.setViewport({ width: 1920, height: 1080 });
        await tab.screenshot({ fullPage: true });
      }
      await context.close();
    },
    async close() {
      await browser.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

import type { BrowserContext, Page } from "puppeteer";
import { launch } from "../../../worker/browser/launch.ts";
import { chromium } from "./rig.ts";

/** One page after or beside another in a context nobody cleans: where nothing keeps jobs apart. */
export interface SharedContext {
  context: BrowserContext;
  open(): Promise<Page>;
  close(): Promise<void>;
}

export interface BareChromium {
  share(): Promise<SharedContext>;
  close(): Promise<void>;
}

/** The same Chromium with the same flags as the gateway's, going straight to loopback. */
export async function startBareChromium(args: readonly string[] = []): Promise<BareChromium> {
  const launched = await launch({
    ...chromium(),
    args: ["--proxy-server=direct://", "--host-resolver-rules=", ...args],
  });
  return {
    async share() {
      const context = await launched.browser.createBrowserContext();
      return {
        context,
        open: () => context.newPage(),
        close: () => context.close(),
      };
    },
    close: () => launched.dispose(),
  };
}

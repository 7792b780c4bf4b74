import type { CDPSession } from "puppeteer";

/**
 * Most frames that a page may open in all: each costs the browser's main process as much as a page, and that
 * process serves every page.
 */
export const maxFrames = 200;

/** Calls `over` when a page has opened more. */
export function limitFrames(cdp: CDPSession, over: () => void): { stop(): void } {
  let opened = 0;
  const count = () => {
    opened += 1;
    if (opened > maxFrames) over();
  };
  cdp.on("Page.frameAttached", count);
  return { stop: () => cdp.off("Page.frameAttached", count) };
}

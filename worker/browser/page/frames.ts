import type { CDPSession } from "puppeteer";

/** Most frames that a page may open in all: each costs the browser's main process, which serves every page, a page. */
export const maxFrames = 200;

/** Calls `onLimit` when a page has opened more frames. */
export function limitFrames(cdp: CDPSession, onLimit: () => void): { stop(): void } {
  let opened = 0;
  const count = () => {
    opened += 1;
    if (opened > maxFrames) onLimit();
  };
  cdp.on("Page.frameAttached", count);
  return { stop: () => cdp.off("Page.frameAttached", count) };
}

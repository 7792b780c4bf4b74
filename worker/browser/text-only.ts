import type { Protocol } from "puppeteer";
import type { Tab } from "./tab.ts";

/** What is drawn and not read. */
const leftOut: Protocol.Network.ResourceType[] = ["Image", "Media", "Font"];

/**
 * Before the start: the page's pictures, media and fonts fail to load. Pages notice: sizes that were not written
 * down are missing, and `onerror` runs where `onload` would.
 */
export function loadTextOnly(tab: Tab): void {
  const { cdp } = tab;
  cdp.on("Fetch.requestPaused", ({ requestId }) => {
    cdp
      .send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" })
      .catch(() => undefined);
  });
  tab.startAfter(
    cdp.send("Fetch.enable", { patterns: leftOut.map((resourceType) => ({ resourceType })) }),
  );
}

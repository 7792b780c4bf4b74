import type { Protocol } from "puppeteer";
import type { Tab } from "./tab.ts";

/** Resources that are only drawn, never read. */
const leftOut: Protocol.Network.ResourceType[] = ["Image", "Media", "Font"];

/**
 * Makes the page's pictures, media and fonts fail to load; called before its start. Pages can notice: they lack
 * sizes that are not written down, and `onerror` runs where `onload` would.
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

import type { CDPSession } from "puppeteer";
import type { Protocol } from "puppeteer";

/** Counts a tab's requests that are under way, from now on. */
export function watchInFlight(cdp: CDPSession): { count(): number; stop(): void } {
  const open = new Set<string>();
  const sent = (event: Protocol.Network.RequestWillBeSentEvent) => open.add(event.requestId);
  const ended = (event: { requestId: string }) => open.delete(event.requestId);
  cdp.on("Network.requestWillBeSent", sent);
  cdp.on("Network.loadingFinished", ended);
  cdp.on("Network.loadingFailed", ended);
  return {
    count: () => open.size,
    stop() {
      cdp.off("Network.requestWillBeSent", sent);
      cdp.off("Network.loadingFinished", ended);
      cdp.off("Network.loadingFailed", ended);
    },
  };
}

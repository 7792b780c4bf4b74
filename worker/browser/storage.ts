import type { Protocol } from "puppeteer";
import { isWeb } from "./main-document.ts";
import type { Tab } from "./tab.ts";

/** What a page may store in all: IndexedDB, Cache and files together, of all its frames' origins. */
export const storageBytes = 128_000_000;

interface Share {
  bytes: number;
  /** The one request whose document it is for; none once another has asked for the same origin. */
  requestId?: string | undefined;
}

/**
 * Chromium would give every origin a twentieth of the machine's memory, where a context keeps what is stored. Here
 * each has half of what those before it have left, from when a document of it is asked for: the page's own before
 * it starts. A document that is redirected takes its share along.
 */
export function limitStorage(tab: Tab, url: string): { stop(): void } {
  const { cdp } = tab;
  const shares = new Map<string, Share>();
  let left = storageBytes;
  let isFirst = true;

  function give(origin: string, share: Share): Promise<unknown> {
    shares.set(origin, share);
    return cdp.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: share.bytes });
  }

  function next(): number {
    const bytes = Math.floor(left / 2);
    left -= bytes;
    return bytes;
  }

  function asked({ type, request, requestId, ...event }: Protocol.Network.RequestWillBeSentEvent) {
    if (type !== "Document" || !isWeb(request.url)) return;
    const { origin } = new URL(request.url);
    const own = shares.get(origin);
    if (own) {
      own.requestId = isFirst || own.requestId === requestId ? requestId : undefined;
    } else {
      const before = event.redirectResponse && new URL(event.redirectResponse.url).origin;
      const last = before === undefined ? undefined : shares.get(before);
      const isMoved = before !== undefined && last?.requestId === requestId;
      if (isMoved) shares.delete(before);
      give(origin, { bytes: isMoved ? last.bytes : next(), requestId }).catch(() => undefined);
    }
    isFirst = false;
  }

  tab.startAfter(give(new URL(url).origin, { bytes: next() }));
  cdp.on("Network.requestWillBeSent", asked);
  return { stop: () => cdp.off("Network.requestWillBeSent", asked) };
}

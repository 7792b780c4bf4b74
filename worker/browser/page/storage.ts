import type { Protocol } from "puppeteer";
import { isWeb } from "./main-document.ts";
import type { Tab } from "../chromium/tab.ts";

/** Most bytes that a page may store in all: IndexedDB, Cache and files together, of the origins of all its frames. */
export const storageBytes = 128_000_000;

interface Share {
  bytes: number;
  /** The only request that has asked for a document of the origin; undefined after a second one. */
  requestId?: string | undefined;
}

/**
 * Limits what a page stores. Chromium would give every origin a twentieth of the machine's memory, where a context
 * keeps what is stored. Here each origin gets half of what those before it have left, as soon as a document of it
 * is requested; the page's own origin gets its share before the start. A redirected document takes its share along.
 */
export class StorageLimit {
  readonly #tab: Tab;
  readonly #shares = new Map<string, Share>();
  #left = storageBytes;
  #isFirst = true;
  readonly #onRequest = (event: Protocol.Network.RequestWillBeSentEvent) => {
    if (event.type === "Document" && isWeb(event.request.url)) this.#onDocument(event);
  };

  constructor(tab: Tab, url: string) {
    this.#tab = tab;
    tab.startAfter(this.#give(new URL(url).origin, { bytes: this.#nextShare() }));
    tab.cdp.on("Network.requestWillBeSent", this.#onRequest);
  }

  stop(): void {
    this.#tab.cdp.off("Network.requestWillBeSent", this.#onRequest);
  }

  #onDocument({
    request,
    requestId,
    redirectResponse,
  }: Protocol.Network.RequestWillBeSentEvent): void {
    const { origin } = new URL(request.url);
    const own = this.#shares.get(origin);
    if (own) {
      own.requestId = this.#isFirst || own.requestId === requestId ? requestId : undefined;
    } else {
      const before = redirectResponse && new URL(redirectResponse.url).origin;
      const last = before === undefined ? undefined : this.#shares.get(before);
      const isMoved = before !== undefined && last?.requestId === requestId;
      if (isMoved) this.#shares.delete(before);
      const bytes = isMoved ? last.bytes : this.#nextShare();
      this.#give(origin, { bytes, requestId }).catch(() => undefined);
    }
    this.#isFirst = false;
  }

  #give(origin: string, share: Share): Promise<unknown> {
    this.#shares.set(origin, share);
    return this.#tab.cdp.send("Storage.overrideQuotaForOrigin", {
      origin,
      quotaSize: share.bytes,
    });
  }

  #nextShare(): number {
    const bytes = Math.floor(this.#left / 2);
    this.#left -= bytes;
    return bytes;
  }
}

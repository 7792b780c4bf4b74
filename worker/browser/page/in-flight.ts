import type { CDPSession, Protocol } from "puppeteer";

/** Counts a tab's requests that are under way, from the start of the count on. */
export class InFlight {
  readonly #cdp: CDPSession;
  readonly #open = new Map<string, Protocol.Network.ResourceType | undefined>();
  readonly #onSent = ({ requestId, type }: Protocol.Network.RequestWillBeSentEvent) => {
    this.#open.set(requestId, type);
  };
  readonly #onEnded = ({ requestId }: { requestId: string }) => {
    this.#open.delete(requestId);
  };

  constructor(cdp: CDPSession) {
    this.#cdp = cdp;
    cdp.on("Network.requestWillBeSent", this.#onSent);
    cdp.on("Network.loadingFinished", this.#onEnded);
    cdp.on("Network.loadingFailed", this.#onEnded);
  }

  /** "data" are the requests by which scripts load scripts and content. */
  count(kind: "all" | "data"): number {
    if (kind === "all") return this.#open.size;
    return [...this.#open.values()].filter(
      (type) => type === "Fetch" || type === "XHR" || type === "Script",
    ).length;
  }

  stop(): void {
    this.#cdp.off("Network.requestWillBeSent", this.#onSent);
    this.#cdp.off("Network.loadingFinished", this.#onEnded);
    this.#cdp.off("Network.loadingFailed", this.#onEnded);
  }
}

import type { CDPSession, Protocol } from "puppeteer";

/** Counts a tab's requests that are under way, from the start of the count on. */
export class InFlight {
  readonly #cdp: CDPSession;
  readonly #open = new Set<string>();
  readonly #onSent = ({ requestId }: Protocol.Network.RequestWillBeSentEvent) => {
    this.#open.add(requestId);
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

  count(): number {
    return this.#open.size;
  }

  stop(): void {
    this.#cdp.off("Network.requestWillBeSent", this.#onSent);
    this.#cdp.off("Network.loadingFinished", this.#onEnded);
    this.#cdp.off("Network.loadingFailed", this.#onEnded);
  }
}

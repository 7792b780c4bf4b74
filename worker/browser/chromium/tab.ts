import type { CDPSession } from "puppeteer";
import type { EgressProxy } from "../../egress/browser-proxy.ts";

/** A common desktop size in CSS pixels. */
export const desktop = { width: 1920, height: 1080 };

export interface TabParts {
  /** The page's only session: Chromium sends no event twice. */
  cdp: CDPSession;
  /** Session of the whole browser, for what CDP offers only there. */
  browserCdp: CDPSession;
  proxy: EgressProxy;
  /** Id of the main frame. */
  frameId: string;
  /** Resolves when the page or the whole browser has gone unasked. */
  lost: Promise<"page" | "browser">;
  /** Lets the page go to its URL; resolves when it may go. */
  release: () => Promise<unknown>;
  /** Whether a text is a CSS selector, as a page that no job uses finds. */
  isSelector: (text: string) => Promise<boolean>;
}

/** A frame whose document is read. */
export type TabFrame = Pick<Tab, "cdp" | "frameId" | "declaresEncoding">;

/** One page in a browser context of its own. */
export class Tab {
  readonly cdp: CDPSession;
  readonly browserCdp: CDPSession;
  readonly proxy: EgressProxy;
  readonly frameId: string;
  readonly lost: Promise<"page" | "browser">;
  /** Whether the answer with the page names the encoding. */
  declaresEncoding = true;
  readonly #parts: TabParts;
  readonly #preparations: Promise<unknown>[] = [];

  constructor(parts: TabParts) {
    this.cdp = parts.cdp;
    this.browserCdp = parts.browserCdp;
    this.proxy = parts.proxy;
    this.frameId = parts.frameId;
    this.lost = parts.lost;
    this.#parts = parts;
  }

  /** Makes `start` wait for a command that is sent before it, and fail when the command fails. */
  startAfter(command: Promise<unknown>): void {
    // The failure is the one of `start`.
    command.catch(() => undefined);
    this.#preparations.push(command);
  }

  /** Resolves when every command that `start` waits for has succeeded. */
  async prepared(): Promise<void> {
    await Promise.all(this.#preparations);
  }

  /** Lets the page go to its URL, once. Rejects when a command before it failed. */
  async start(): Promise<void> {
    this.startAfter(this.#parts.release());
    await this.prepared();
  }

  /** A frame within the page. Its answer is not known, but a page and its frames are mostly of one kind. */
  frame(frameId: string): TabFrame {
    return { cdp: this.cdp, frameId, declaresEncoding: this.declaresEncoding };
  }

  /** Has the page free what it no longer uses; the page may be gone. */
  collectGarbage(): void {
    this.cdp.send("HeapProfiler.collectGarbage").catch(() => undefined);
  }

  isSelector(text: string): Promise<boolean> {
    return this.#parts.isSelector(text);
  }
}

/** A tab whose page has reached its stage, to be read. */
export interface RenderedPage {
  tab: Tab;
  /** Takes turns with other accounts. */
  account: string;
  /** Unix time in milliseconds until which the caller would have waited for the stage. */
  stageEnds: number;
  /** Requests of the page that have been sent and are not answered in full. */
  inFlight(kind: "all" | "data"): number;
  /** Milliseconds left for reading the page. */
  timeLeft(): number;
  /** Aborts when that time is over or the caller leaves. */
  signal: AbortSignal;
}

import type { Protocol } from "puppeteer";
import { DocumentRequests } from "./document-requests.ts";
import { isWeb } from "./main-document.ts";
import type { MainDocument } from "./main-document.ts";
import type { Tab } from "../chromium/tab.ts";

export type WaitUntil = "load" | "domcontentloaded" | "networkidle0" | "networkidle2";

/** Chromium's names for the stages that a document passes, in their usual order. */
const lifecycle: Record<WaitUntil, string> = {
  domcontentloaded: "DOMContentLoaded",
  load: "load",
  networkidle2: "networkAlmostIdle",
  networkidle0: "networkIdle",
};

/** The same stages, the furthest first. */
const furthestFirst: WaitUntil[] = ["networkidle0", "networkidle2", "load", "domcontentloaded"];

/** Most documents that the main frame may request in one job: by HTTP redirects, scripts and meta elements together. */
export const maxRedirects = 20;
/** Most requests of one job. */
export const maxRequests = 2000;
/** A navigation that a page has begun counts as under way for so long before its request must be sent. */
const begunMs = 2000;
/** Later refreshes are not waited for, in seconds. */
export const longestRefresh = 0.5;

export type NavigationEnd =
  | { kind: "reached"; document: MainDocument }
  /** Chromium gave up: its error name (`ERR_...`) and the URL that it could not load. */
  | { kind: "failed"; error: string; url: string }
  | { kind: "download"; url: string }
  /** This machine's network changed and cut off the load. */
  | { kind: "network changed" }
  | { kind: "broken off" }
  | { kind: "too many redirects" }
  | { kind: "too many requests" };

/** Follows the main frame of a tab from its first navigation on. */
export class Navigation {
  readonly #tab: Tab;
  readonly #mayReload: () => boolean;
  readonly #documents = new DocumentRequests();
  readonly #stages = new Map<string, Set<string>>();
  #committed: { loaderId: string; url: string; unreachable: boolean } | undefined;
  /** Whether the document has announced a refresh that it has not begun. */
  #isRefreshAnnounced = false;
  /** Runs while the document has begun a navigation that has sent no request yet. */
  #begun: NodeJS.Timeout | undefined;
  #end: NavigationEnd | undefined;
  #requests = 0;
  #waiter: { stage: WaitUntil; resolve(end: NavigationEnd): void } | undefined;
  #refreshWaiter: (() => void) | undefined;

  readonly #listeners = {
    "Network.requestWillBeSent": (event: Protocol.Network.RequestWillBeSentEvent) =>
      this.#onRequest(event),
    "Network.responseReceived": (event: Protocol.Network.ResponseReceivedEvent) =>
      this.#documents.onResponse(event),
    "Network.responseReceivedExtraInfo": (event: Protocol.Network.ResponseReceivedExtraInfoEvent) =>
      this.#onHeaders(event),
    "Network.loadingFailed": (event: Protocol.Network.LoadingFailedEvent) => this.#onFailure(event),
    "Page.frameRequestedNavigation": (event: Protocol.Page.FrameRequestedNavigationEvent) =>
      this.#onNavigationBegun(event),
    "Page.frameScheduledNavigation": (event: Protocol.Page.FrameScheduledNavigationEvent) => {
      if (event.delay < longestRefresh) this.#onRefresh(event.frameId, true);
    },
    // The refresh has begun by now, or the page gave it up.
    "Page.frameClearedScheduledNavigation": (
      event: Protocol.Page.FrameClearedScheduledNavigationEvent,
    ) => this.#onRefresh(event.frameId, false),
    "Page.frameNavigated": (event: Protocol.Page.FrameNavigatedEvent) => this.#onCommit(event),
    "Page.lifecycleEvent": (event: Protocol.Page.LifecycleEventEvent) => this.#onStage(event),
  };

  readonly #onDownload = ({ frameId, url }: Protocol.Browser.DownloadWillBeginEvent) => {
    if (frameId !== this.#tab.frameId || this.#committed) return;
    this.#conclude({ kind: "download", url });
  };

  /** The tab must not have started yet. `mayReload` says whether a page that was cut off can be loaded once more. */
  constructor(tab: Tab, mayReload: () => boolean = () => false) {
    this.#tab = tab;
    this.#mayReload = mayReload;
    for (const [name, listener] of Object.entries(this.#listeners)) {
      tab.cdp.on(name, listener as () => void);
    }
    tab.browserCdp.on("Browser.downloadWillBegin", this.#onDownload);
  }

  /** Resolves when the last document that the main frame requested has reached the stage, or never will. */
  settled(stage: WaitUntil): Promise<NavigationEnd> {
    return new Promise((resolve) => {
      this.#waiter = { stage, resolve };
      this.#check();
    });
  }

  /** Whether another document comes after this one or has taken its place; several events may come at once. */
  movedOn({ loaderId }: MainDocument): boolean {
    return loaderId !== this.#committed?.loaderId || this.#movesOn();
  }

  /** Whether the document has fired its load event, where Chromium announces a refresh. */
  refreshIsKnown(): boolean {
    const { loaderId } = this.#committed ?? {};
    return loaderId !== undefined && (this.#stages.get(loaderId)?.has("load") ?? false);
  }

  /** Resolves once the document has fired its load event, or has another one coming after it. */
  refreshKnown(): Promise<void> {
    return new Promise((resolve) => {
      this.#refreshWaiter = resolve;
      this.#check();
    });
  }

  /** Address and type of the newest document, whether or not Chromium shows it. */
  delivered(): { url: string; mimeType: string } {
    return this.#documents.delivered();
  }

  /** The furthest stage that the current document has reached, in words. */
  stageReached(): string {
    const reached = this.#committed && this.#stages.get(this.#committed.loaderId);
    if (!this.#committed || !reached) return "no response";
    if (this.#documents.newestLoader !== this.#committed.loaderId)
      return "a further navigation under way";
    return furthestFirst.find((name) => reached.has(lifecycle[name])) ?? "response received";
  }

  stop(): void {
    this.#navigationArrived();
    for (const [name, listener] of Object.entries(this.#listeners)) {
      this.#tab.cdp.off(name, listener as () => void);
    }
    this.#tab.browserCdp.off("Browser.downloadWillBegin", this.#onDownload);
  }

  #movesOn(): boolean {
    const stands =
      this.#documents.newestLoader === this.#committed?.loaderId ||
      this.#documents.newest?.error === "ERR_ABORTED";
    return this.#isRefreshAnnounced || this.#begun !== undefined || !stands;
  }

  #conclude(end: NavigationEnd): void {
    this.#end ??= end;
    this.#check();
  }

  /** Resolves the waiters whose question has an answer. */
  #check(): void {
    if (this.#end || this.refreshIsKnown() || this.#movesOn()) this.#refreshWaiter?.();
    if (!this.#waiter) return;
    const end = this.#end ?? this.#endAt(this.#waiter.stage);
    if (!end) return;
    this.#waiter.resolve(end);
    this.#waiter = undefined;
  }

  #endAt(stage: WaitUntil): NavigationEnd | undefined {
    if (this.#isRefreshAnnounced || this.#begun) return undefined;
    const committed = this.#committed;
    if (!committed) {
      const failure = this.#documents.failure();
      return failure && { kind: "failed", ...failure };
    }
    // A later navigation that came to nothing (204, a download) leaves the page before it standing;
    // after any other failure an error page is about to take its place.
    const isStanding = this.#documents.newest?.error === "ERR_ABORTED";
    if (this.#documents.newestLoader !== committed.loaderId && !isStanding) return undefined;
    const document = this.#documents.of(committed.loaderId);
    if (committed.unreachable) {
      const { error = "ERR_FAILED", url = committed.url } = document ?? {};
      return { kind: "failed", error, url };
    }
    if (!this.#stages.get(committed.loaderId)?.has(lifecycle[stage])) {
      // Chromium fires no further event for a document whose answer broke off; a page may abort its own.
      const isBroken = document?.error !== undefined && document.error !== "ERR_ABORTED";
      return isBroken ? { kind: "broken off" } : undefined;
    }
    return {
      kind: "reached",
      document: {
        loaderId: committed.loaderId,
        url: committed.url,
        status: document?.status,
        mimeType: document?.mimeType ?? "",
        declaresEncoding: document?.declaresEncoding ?? true,
        requestId: document?.requestId,
        refresh: document?.refresh,
        robotsTag: document?.robotsTag,
        retryAfter: document?.retryAfter,
      },
    };
  }

  #navigationArrived(): void {
    clearTimeout(this.#begun);
    this.#begun = undefined;
    this.#isRefreshAnnounced = false;
  }

  #onRequest(event: Protocol.Network.RequestWillBeSentEvent): void {
    this.#requests += 1;
    if (this.#requests > maxRequests) this.#conclude({ kind: "too many requests" });
    if (event.type !== "Document" || event.frameId !== this.#tab.frameId) return;
    this.#navigationArrived();
    this.#documents.onRequest(event);
    if (this.#documents.redirects > maxRedirects) this.#conclude({ kind: "too many redirects" });
  }

  #onHeaders(event: Protocol.Network.ResponseReceivedExtraInfoEvent): void {
    this.#documents.onHeaders(event);
    this.#check();
  }

  #onFailure(event: Protocol.Network.LoadingFailedEvent): void {
    if (event.errorText === "net::ERR_NETWORK_CHANGED" && this.#mayReload()) {
      this.#conclude({ kind: "network changed" });
    }
    this.#documents.onFailure(event, () => this.#check());
    this.#check();
  }

  #onNavigationBegun(event: Protocol.Page.FrameRequestedNavigationEvent): void {
    const isHere = event.frameId === this.#tab.frameId && event.disposition === "currentTab";
    if (!isHere || !isWeb(event.url)) return;
    clearTimeout(this.#begun);
    this.#begun = setTimeout(() => {
      this.#begun = undefined;
      this.#check();
    }, begunMs);
    this.#check();
  }

  #onRefresh(frameId: string, isAnnounced: boolean): void {
    if (frameId !== this.#tab.frameId) return;
    this.#isRefreshAnnounced = isAnnounced;
    this.#check();
  }

  #onCommit({ frame }: Protocol.Page.FrameNavigatedEvent): void {
    const isFirstBlank = !this.#committed && frame.url === "about:blank";
    if (frame.id !== this.#tab.frameId || isFirstBlank) return;
    this.#navigationArrived();
    this.#documents.newestLoader = frame.loaderId;
    this.#committed = {
      loaderId: frame.loaderId,
      url: frame.unreachableUrl ?? frame.url,
      unreachable: frame.unreachableUrl !== undefined,
    };
    this.#check();
  }

  #onStage({ frameId, loaderId, name }: Protocol.Page.LifecycleEventEvent): void {
    if (frameId !== this.#tab.frameId) return;
    const reached = this.#stages.get(loaderId) ?? new Set();
    // A document that a script writes anew starts over.
    if (name === "init") reached.clear();
    reached.add(name);
    this.#stages.set(loaderId, reached);
    this.#check();
  }
}

import type { Protocol } from "puppeteer";
import type { Tab } from "./tab.ts";

export type WaitUntil = "load" | "domcontentloaded" | "networkidle0" | "networkidle2";

/** Chromium's names for the stages a document passes, in their usual order. */
const lifecycle: Record<WaitUntil, string> = {
  domcontentloaded: "DOMContentLoaded",
  load: "load",
  networkidle2: "networkAlmostIdle",
  networkidle0: "networkIdle",
};

/** Most documents the main frame may ask for in one job, HTTP redirects and those by script or meta element together. */
export const maxRedirects = 20;
/** Most requests of one job. */
export const maxRequests = 2000;
/** A navigation that a page has begun counts as under way for this long before it must have sent its request. */
const begunMs = 2000;
/** Refreshes that come later are not waited for, in seconds. */
export const longestRefresh = 0.5;

/** How long after a failure the headers of its answer may still come. */
const headersMs = 2000;

export interface MainDocument {
  loaderId: string;
  url: string;
  /** Undefined when the document did not come over HTTP. */
  status: number | undefined;
  mimeType: string;
  requestId: string | undefined;
  /** The header of that name. */
  refresh: string | undefined;
}

export type NavigationEnd =
  | { kind: "reached"; document: MainDocument }
  /** Chromium gave up: its error name (`ERR_...`) and the URL it was about. */
  | { kind: "failed"; error: string; url: string }
  | { kind: "download" }
  /** The network of this machine did, and cut off what was being loaded. */
  | { kind: "network changed" }
  | { kind: "too many redirects" }
  | { kind: "too many requests" };

/** Follows the main frame from the first navigation on. */
export interface Navigation {
  /** Resolves when the last document the main frame asked for has reached the stage, or will not. */
  settled(stage: WaitUntil): Promise<NavigationEnd>;
  /** Whether the document has another one coming after it, or in its place: several events may come at once. */
  movedOn(document: MainDocument): boolean;
  /** Whether the document is where Chromium announces its refresh, should it have one: at its load event. */
  refreshIsKnown(): boolean;
  /** Resolves once the document has been loaded in full, or has another one coming after it. */
  refreshKnown(): Promise<void>;
  /** The furthest stage the current document has reached, in words. */
  stageReached(): string;
  stop(): void;
}

interface DocumentRequest {
  requestId: string;
  url: string;
  status?: number;
  mimeType?: string;
  refresh?: string | undefined;
  error?: string;
  /** Requests sent for it: one, and one for each redirect followed. */
  hops: number;
  headersOverdue: boolean;
}

/** Follows a tab that has not started yet. `again` tells whether there is time to load a page anew that was cut off. */
export function navigate(tab: Tab, again: () => boolean = () => false): Navigation {
  const { cdp, browserCdp, frameId } = tab;
  const documents = new Map<string, DocumentRequest>();
  /** Answers so far and the last one's Location, by request; may be known before the request itself. */
  const headers = new Map<string, { answers: number; location: string | undefined }>();
  const stages = new Map<string, Set<string>>();
  let committed: { loaderId: string; url: string; unreachable: boolean } | undefined;
  let newestLoader: string | undefined;
  /** A refresh that the document has announced and not begun. */
  let refreshes = false;
  /** Since the document has begun a navigation. */
  let begun: NodeJS.Timeout | undefined;
  let end: NavigationEnd | undefined;
  let redirects = -1;
  let requests = 0;
  let awaitsRefresh: (() => void) | undefined;
  let waiter: { stage: WaitUntil; resolve(end: NavigationEnd): void } | undefined;

  function conclude(reason: NavigationEnd): void {
    end ??= reason;
    check();
  }

  const isLoaded = () =>
    committed !== undefined && (stages.get(committed.loaderId)?.has("load") ?? false);

  function movesOn(): boolean {
    const newest = newestLoader === undefined ? undefined : documents.get(newestLoader);
    const stands = newestLoader === committed?.loaderId || newest?.error === "ERR_ABORTED";
    return refreshes || begun !== undefined || !stands;
  }

  function check(): void {
    if (awaitsRefresh && (end || isLoaded() || movesOn())) awaitsRefresh();
    if (!waiter) return;
    const outcome = end ?? outcomeAt(waiter.stage);
    if (!outcome) return;
    waiter.resolve(outcome);
    waiter = undefined;
  }

  function outcomeAt(stage: WaitUntil): NavigationEnd | undefined {
    if (refreshes || begun) return undefined;
    const newest = newestLoader === undefined ? undefined : documents.get(newestLoader);
    if (newest?.error !== undefined && !committed) {
      const { answers = 0, location } = headers.get(newest.requestId) ?? {};
      const explained = newest.error !== "ERR_ABORTED" || answers >= newest.hops;
      if (!explained && !newest.headersOverdue) return undefined;
      const target = location === undefined ? undefined : URL.parse(location, newest.url)?.href;
      const refused = target !== undefined && !isWeb(target);
      return { kind: "failed", error: newest.error, url: refused ? target : newest.url };
    }
    if (!committed) return undefined;
    // A later navigation that came to nothing (204, a download) leaves the page before it standing;
    // after any other failure an error page is about to take its place.
    const standing = newest?.error === "ERR_ABORTED";
    if (newestLoader !== committed.loaderId && !standing) return undefined;
    const document = documents.get(committed.loaderId);
    if (committed.unreachable) {
      return {
        kind: "failed",
        error: document?.error ?? "ERR_FAILED",
        url: document?.url ?? committed.url,
      };
    }
    if (!stages.get(committed.loaderId)?.has(lifecycle[stage])) return undefined;
    return {
      kind: "reached",
      document: {
        loaderId: committed.loaderId,
        url: committed.url,
        status: document?.status,
        mimeType: document?.mimeType ?? "",
        requestId: document?.requestId,
        refresh: document?.refresh,
      },
    };
  }

  function begin(): void {
    clearTimeout(begun);
    begun = setTimeout(() => {
      begun = undefined;
      check();
    }, begunMs);
    check();
  }

  function arrived(): void {
    clearTimeout(begun);
    begun = undefined;
    refreshes = false;
  }

  const handlers = {
    "Network.requestWillBeSent"(event: Protocol.Network.RequestWillBeSentEvent) {
      requests += 1;
      if (requests > maxRequests) conclude({ kind: "too many requests" });
      if (event.type !== "Document" || event.frameId !== frameId) return;
      arrived();
      redirects += 1;
      newestLoader = event.loaderId;
      documents.set(event.loaderId, {
        requestId: event.requestId,
        url: event.request.url,
        hops: (documents.get(event.loaderId)?.hops ?? 0) + 1,
        headersOverdue: false,
      });
      if (redirects > maxRedirects) conclude({ kind: "too many redirects" });
    },
    "Network.responseReceived"(event: Protocol.Network.ResponseReceivedEvent) {
      const document = documents.get(event.loaderId);
      if (document?.requestId !== event.requestId) return;
      document.status = event.response.status;
      document.mimeType = typeOf(event.response);
      document.refresh = headerOf(event.response.headers, "refresh");
    },
    "Network.responseReceivedExtraInfo"(event: Protocol.Network.ResponseReceivedExtraInfoEvent) {
      const known = headers.get(event.requestId) ?? { answers: 0, location: undefined };
      known.answers += 1;
      known.location = headerOf(event.headers, "location");
      headers.set(event.requestId, known);
      check();
    },
    "Network.loadingFailed"(event: Protocol.Network.LoadingFailedEvent) {
      if (event.errorText === "net::ERR_NETWORK_CHANGED" && again()) {
        conclude({ kind: "network changed" });
      }
      for (const document of documents.values()) {
        if (document.requestId !== event.requestId) continue;
        document.error ??= event.errorText.replace(/^net::/, "");
        // Its headers tell why a redirect was not followed, and may come later than the failure.
        setTimeout(() => {
          document.headersOverdue = true;
          check();
        }, headersMs);
      }
      check();
    },
    "Page.frameRequestedNavigation"(event: Protocol.Page.FrameRequestedNavigationEvent) {
      if (event.frameId === frameId && event.disposition === "currentTab" && isWeb(event.url)) {
        begin();
      }
    },
    "Page.frameScheduledNavigation"(event: Protocol.Page.FrameScheduledNavigationEvent) {
      if (event.frameId !== frameId || event.delay >= longestRefresh) return;
      refreshes = true;
      check();
    },
    // Begun by now, or given up.
    "Page.frameClearedScheduledNavigation"(
      event: Protocol.Page.FrameClearedScheduledNavigationEvent,
    ) {
      if (event.frameId !== frameId) return;
      refreshes = false;
      check();
    },
    "Page.frameNavigated"({ frame }: Protocol.Page.FrameNavigatedEvent) {
      if (frame.id !== frameId || (!committed && frame.url === "about:blank")) return;
      arrived();
      newestLoader = frame.loaderId;
      committed = {
        loaderId: frame.loaderId,
        url: frame.unreachableUrl ?? frame.url,
        unreachable: frame.unreachableUrl !== undefined,
      };
      check();
    },
    "Page.lifecycleEvent"(event: Protocol.Page.LifecycleEventEvent) {
      if (event.frameId !== frameId) return;
      const reached = stages.get(event.loaderId) ?? new Set();
      // A document written anew by script starts over.
      if (event.name === "init") reached.clear();
      reached.add(event.name);
      stages.set(event.loaderId, reached);
      check();
    },
  };
  const onDownload = (event: Protocol.Browser.DownloadWillBeginEvent) => {
    if (event.frameId === frameId && !committed) conclude({ kind: "download" });
  };

  for (const [name, handler] of Object.entries(handlers)) cdp.on(name, handler as () => void);
  browserCdp.on("Browser.downloadWillBegin", onDownload);
  return {
    settled(stage) {
      return new Promise((resolve) => {
        waiter = { stage, resolve };
        check();
      });
    },
    movedOn: ({ loaderId }) => loaderId !== committed?.loaderId || movesOn(),
    refreshIsKnown: isLoaded,
    refreshKnown() {
      return new Promise((resolve) => {
        awaitsRefresh = resolve;
        check();
      });
    },
    stageReached() {
      const reached = committed && stages.get(committed.loaderId);
      if (!committed || !reached) return "no response";
      if (newestLoader !== committed.loaderId) return "a further navigation under way";
      const names: WaitUntil[] = ["networkidle0", "networkidle2", "load", "domcontentloaded"];
      return names.find((name) => reached.has(lifecycle[name])) ?? "response received";
    },
    stop() {
      arrived();
      for (const [name, handler] of Object.entries(handlers)) cdp.off(name, handler as () => void);
      browserCdp.off("Browser.downloadWillBegin", onDownload);
    },
  };
}

/** Chromium takes feeds for plain text, whatever the site calls them. */
function typeOf({ mimeType, headers }: Protocol.Network.Response): string {
  const told = headerOf(headers, "content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  return mimeType === "text/plain" && told.endsWith("+xml") ? told : mimeType;
}

function headerOf(headers: Protocol.Network.Headers, wanted: string): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

export function isWeb(url: string): boolean {
  return url.startsWith("http:") || url.startsWith("https:");
}

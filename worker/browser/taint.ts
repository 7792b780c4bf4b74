import type { CDPSession } from "puppeteer";
import type { Protocol } from "puppeteer";

/** What a job did with its tab, as far as it matters for another one. */
export interface Use {
  /** The first thing seen that no reset takes back or no read-back could show; undefined when there was none. */
  taint: string | undefined;
  /** Origin of the documents the main frame has shown. */
  origin: string | undefined;
  /** Some of the URLs asked for with GET at that origin. */
  urls: string[];
}

export interface UseWatch {
  /** A new job begins. */
  begin(): void;
  use(): Use;
  /** The job itself did something to the tab that stays. */
  spoil(reason: string): void;
}

/** So many of a job's URLs are looked for in the HTTP cache. */
const maxUrls = 16;

/** Response headers whose effect stays in the context or the group of pages and cannot be read back. */
const lastingHeaders = new Set([
  "accept-ch",
  "ad-auction-allowed",
  "attribution-reporting-register-source",
  "attribution-reporting-register-trigger",
  "critical-ch",
  "observe-browsing-topics",
  "origin-agent-cluster",
  "proxy-authenticate",
  "sec-session-registration",
  "secure-session-registration",
  "set-login",
  "shared-storage-write",
  "speculation-rules",
  "use-as-dictionary",
  "www-authenticate",
]);

/** Requests that are answered from, or fill, stores beside the HTTP cache. */
const lastingRequests = new Set<string>(["Prefetch", "Preflight", "SignedExchange", "FedCM"]);

/**
 * Watches a tab for whatever ends its context: `browserCdp` must discover targets. Cookies, storage and the
 * HTTP cache of the page's own origin are no taint: they are cleared and read back.
 */
export function watchUse(
  cdp: CDPSession,
  browserCdp: CDPSession,
  tab: { contextId: string; frameId: string; targetId: string },
): UseWatch & { stop(): void } {
  let use: Use = { taint: undefined, origin: undefined, urls: [] };
  const taint = (reason: string) => {
    use.taint ??= reason;
  };

  const ofPage = {
    "Network.requestWillBeSent"({ type, request }: Protocol.Network.RequestWillBeSentEvent) {
      if (type && lastingRequests.has(type)) taint(`${type} request`);
      // Chromium names a preflight by its type only in the answer.
      if (request.method === "OPTIONS") taint("preflight");
      if (request.method === "GET" && use.urls.length < maxUrls) use.urls.push(request.url);
    },
    "Network.requestWillBeSentExtraInfo"({
      headers,
    }: Protocol.Network.RequestWillBeSentExtraInfoEvent) {
      if (names(headers).includes("authorization")) taint("authorization header");
    },
    "Network.responseReceivedExtraInfo"({
      headers,
      statusCode,
    }: Protocol.Network.ResponseReceivedExtraInfoEvent) {
      if (statusCode === 401 || statusCode === 407) taint(`status ${statusCode}`);
      const lasting = names(headers).find((name) => lastingHeaders.has(name));
      if (lasting !== undefined) taint(`${lasting} header`);
    },
    "Network.responseReceived"({ type }: Protocol.Network.ResponseReceivedEvent) {
      if (lastingRequests.has(type)) taint(`${type} request`);
    },
    "Network.webSocketCreated": () => taint("WebSocket"),
    "Network.webTransportCreated": () => taint("WebTransport"),
    "Network.directTCPSocketCreated": () => taint("socket"),
    "Network.directUDPSocketCreated": () => taint("socket"),
    "Page.frameNavigated"({ frame }: Protocol.Page.FrameNavigatedEvent) {
      // Of opaque origins it is "://".
      const origin = URL.parse(frame.securityOrigin)?.origin ?? "null";
      if (frame.id === tab.frameId) {
        if (frame.unreachableUrl !== undefined) taint("error page");
        use.origin ??= origin;
        if (origin !== use.origin || origin === "null") taint("another origin");
      } else if (origin !== use.origin || origin === "null") taint("frame of another origin");
    },
    "Page.frameDetached"({ reason }: Protocol.Page.FrameDetachedEvent) {
      if (reason === "swap") taint("frame of another site");
    },
    "Page.javascriptDialogOpening": () => taint("dialog"),
    "Page.fileChooserOpened": () => taint("file chooser"),
    "Page.windowOpen": () => taint("further window"),
    "Inspector.targetCrashed": () => taint("crash"),
  };
  const ofBrowser = {
    "Browser.downloadWillBegin"({ frameId }: Protocol.Browser.DownloadWillBeginEvent) {
      if (frameId === tab.frameId) taint("download");
    },
    "Target.targetCreated"({ targetInfo }: Protocol.Target.TargetCreatedEvent) {
      if (targetInfo.browserContextId === tab.contextId && targetInfo.targetId !== tab.targetId) {
        taint(`target of type ${targetInfo.type}`);
      }
    },
  };
  for (const [name, handler] of Object.entries(ofPage)) cdp.on(name, handler as () => void);
  for (const [name, handler] of Object.entries(ofBrowser)) {
    browserCdp.on(name, handler as () => void);
  }
  return {
    begin() {
      use = { taint: undefined, origin: undefined, urls: [] };
    },
    use: () => use,
    spoil: taint,
    stop() {
      for (const [name, handler] of Object.entries(ofBrowser)) {
        browserCdp.off(name, handler as () => void);
      }
    },
  };
}

function names(headers: Protocol.Network.Headers): string[] {
  return Object.keys(headers).map((name) => name.toLowerCase());
}

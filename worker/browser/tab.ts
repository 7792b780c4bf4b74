import type { CDPSession } from "puppeteer";
import type { Protocol } from "puppeteer";
import type { EgressPolicy } from "../egress/rules.ts";
import { startEgressProxy } from "../egress/browser-proxy.ts";
import type { EgressProxy } from "../egress/browser-proxy.ts";
import type { LaunchedBrowser } from "./launch.ts";

/** The usual desktop size in CSS pixels. */
export const desktop = { width: 1920, height: 1080 };

const closeMs = 5000;

/** A context that nobody has used, with a way out of its own. It takes one job and is gone after it. */
export interface Room {
  readonly contextId: string;
  readonly proxy: EgressProxy;
  /** Ends everything in it whatever state its page is in; false when Chromium did not obey in time. */
  close(): Promise<boolean>;
}

/** One page in a room of its own. */
export interface Tab {
  /** The page's only session: no event is sent twice. */
  readonly cdp: CDPSession;
  /** Session of the whole browser, for what CDP offers only there. */
  readonly browserCdp: CDPSession;
  readonly proxy: EgressProxy;
  /** Id of the main frame. */
  readonly frameId: string;
  /** Has a command that was sent before the start hold for the page: its answer comes only after. */
  fromStart(command: Promise<unknown>): void;
  /** Lets the page go to its URL, once. Rejects when something did not hold. */
  start(): Promise<void>;
  /** Whether this is CSS; asked of an empty page that is nobody's. */
  isSelector(text: string): Promise<boolean>;
  /** Resolves when the page or the whole browser has gone without being asked to. */
  readonly lost: Promise<"page" | "browser">;
}

/** One browser as far as tabs are concerned. */
export interface TabMaker {
  /** Resolves when the browser's main thread has answered. */
  ping(): Promise<unknown>;
  /** A room that is denied downloads and permissions. */
  openRoom(policy: EgressPolicy): Promise<Room>;
  /** The room's page, on its way to `url` but held; denied service workers, dialogs and further windows. */
  openTab(room: Room, url: string): Promise<Tab>;
}

export async function tabMaker({ browser, documentScript }: LaunchedBrowser): Promise<TabMaker> {
  const browserCdp = await browser.target().createCDPSession();
  const connection = browserCdp.connection();
  if (!connection) throw new Error("the browser has gone");
  // Full Chromium lets a new tab's navigation go before it tells of the page: there it starts on an empty one.
  const holds = (await browser.version()).startsWith("Headless");
  const rooms = new Set<string>();
  /** The page that a browser opens by itself. */
  let nobodys: CDPSession | undefined;
  /** Rooms whose page is about to be there. */
  const awaited = new Map<string, (page: Protocol.Target.AttachedToTargetEvent) => void>();
  /** Who hears that a page's session has ended. */
  const losses = new Map<string, (what: "page" | "browser") => void>();
  browserCdp.on("Target.detachedFromTarget", ({ sessionId }) => {
    const lose = losses.get(sessionId);
    losses.delete(sessionId);
    // Chromium's end may close its pages first.
    if (lose) setTimeout(() => lose(browser.connected ? "page" : "browser"), 100);
  });
  browser.once("disconnected", () => {
    for (const lose of losses.values()) lose("browser");
  });
  browserCdp.on("Target.attachedToTarget", (event) => {
    const { browserContextId = "", targetId } = event.targetInfo;
    const arrived = awaited.get(browserContextId);
    awaited.delete(browserContextId);
    if (arrived) arrived(event);
    else if (!nobodys && !rooms.has(browserContextId)) {
      nobodys = connection.session(event.sessionId) ?? undefined;
      nobodys?.send("Runtime.runIfWaitingForDebugger").catch(() => undefined);
    } else {
      // A further window. Held, it would hold the page that opened it as well.
      const window = connection.session(event.sessionId);
      window?.send("Runtime.runIfWaitingForDebugger").catch(() => undefined);
      browserCdp.send("Target.closeTarget", { targetId }).catch(() => undefined);
    }
  });
  await Promise.all([
    // Puppeteer's own look-out for targets would attach to each of them once more.
    connection.send("Target.setAutoAttach", {
      autoAttach: false,
      waitForDebuggerOnStart: false,
      flatten: true,
    }),
    connection.send("Target.setDiscoverTargets", { discover: false }),
    // A page that opens waits until it is guarded, and goes to its URL without an empty document before.
    browserCdp.send("Target.setAutoAttach", {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter: [{ type: "page" }],
    }),
  ]);

  if (!nobodys) await browserCdp.send("Target.createTarget", { url: "about:blank" });

  async function isSelector(text: string): Promise<boolean> {
    if (!nobodys) throw new Error("the browser has no page of its own");
    const expression = `document.querySelector(${JSON.stringify(text)})`;
    const { exceptionDetails } = await nobodys.send(
      "Runtime.evaluate",
      { expression },
      { timeout: closeMs },
    );
    return exceptionDetails === undefined;
  }

  async function openRoom(policy: EgressPolicy): Promise<Room> {
    const proxy = await startEgressProxy(policy);
    try {
      const { browserContextId } = await browserCdp.send("Target.createBrowserContext", {
        proxyServer: `http://127.0.0.1:${proxy.port}`,
        proxyBypassList: "<-loopback>",
      });
      rooms.add(browserContextId);
      await Promise.all([
        browserCdp.send("Browser.setDownloadBehavior", {
          behavior: "deny",
          browserContextId,
          eventsEnabled: true,
        }),
        // Grants nothing and rejects everything else.
        browserCdp.send("Browser.grantPermissions", { permissions: [], browserContextId }),
      ]);
      return {
        contextId: browserContextId,
        proxy,
        close: () => closeRoom(browserContextId, proxy),
      };
    } catch (error) {
      proxy.close();
      throw error;
    }
  }

  async function closeRoom(browserContextId: string, proxy: EgressProxy): Promise<boolean> {
    // First: a page that is going away must not reach anything any more.
    proxy.close();
    rooms.delete(browserContextId);
    return browserCdp
      .send("Target.disposeBrowserContext", { browserContextId }, { timeout: closeMs })
      .then(
        () => true,
        () => false,
      );
  }

  async function openTab({ contextId, proxy }: Room, url: string): Promise<Tab> {
    const { promise: attached, resolve } =
      Promise.withResolvers<Protocol.Target.AttachedToTargetEvent>();
    awaited.set(contextId, resolve);
    const created = browserCdp.send("Target.createTarget", {
      url: holds ? url : "about:blank",
      browserContextId: contextId,
    });
    const failed = created.then(() => new Promise<never>(() => undefined));
    const { sessionId, targetInfo, waitingForDebugger } = await Promise.race([
      attached,
      failed,
    ]).finally(() => awaited.delete(contextId));
    const cdp = connection?.session(sessionId);
    if (!cdp) throw new Error("the page has gone");
    if (holds && !waitingForDebugger) throw new Error("the page was not held");
    const { promise: lost, resolve: lose } = Promise.withResolvers<"page" | "browser">();
    losses.set(sessionId, lose);
    answerDialogs(cdp);
    const held: Promise<unknown>[] = [];
    const fromStart = (command: Promise<unknown>) => {
      // Whoever starts the page hears of it.
      command.catch(() => undefined);
      held.push(command);
    };
    for (const command of [
      cdp.send("Page.enable"),
      cdp.send("Page.setLifecycleEventsEnabled", { enabled: true }),
      cdp.send("Network.enable", {
        maxTotalBufferSize: 16_000_000,
        maxResourceBufferSize: 8_000_000,
      }),
      cdp.send("Network.setBypassServiceWorker", { bypass: true }),
      // A window without history could close itself.
      cdp.send("Page.addScriptToEvaluateOnNewDocument", {
        source: `close = Function.prototype;${documentScript}`,
      }),
      cdp.send("Emulation.setDeviceMetricsOverride", {
        ...desktop,
        deviceScaleFactor: 1,
        mobile: false,
      }),
    ]) {
      fromStart(command);
    }
    if (!holds) await Promise.all([created, cdp.send("Runtime.runIfWaitingForDebugger"), ...held]);
    return {
      cdp,
      browserCdp,
      proxy,
      // Chromium gives a page the id of its main frame.
      frameId: targetInfo.targetId,
      fromStart,
      async start() {
        if (holds) fromStart(cdp.send("Runtime.runIfWaitingForDebugger"));
        // It answers with the commit; what becomes of the page its events tell.
        else cdp.send("Page.navigate", { url }, { timeout: 0 }).catch(() => undefined);
        await Promise.all(held);
      },
      isSelector,
      lost,
    };
  }

  return {
    ping: () => browserCdp.send("Browser.getVersion", undefined, { timeout: 0 }),
    openRoom,
    openTab,
  };
}

/** Answers what would otherwise wait for a person. */
function answerDialogs(cdp: CDPSession): void {
  cdp.on("Page.javascriptDialogOpening", (event) => {
    cdp
      .send("Page.handleJavaScriptDialog", { accept: event.type === "beforeunload" })
      .catch(() => undefined);
  });
}

/** A tab whose page has reached its stage, to be read. */
export interface RenderedPage {
  tab: Tab;
  /** Unix time in milliseconds until which the caller would have waited for the stage. */
  stageEnds: number;
  /** Requests of the page that have been sent and are not answered in full. */
  inFlight(): number;
  /** Milliseconds left for reading the page. */
  timeLeft(): number;
  /** Aborts when that time is over or the caller leaves. */
  signal: AbortSignal;
}

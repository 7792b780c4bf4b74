import type { Browser, BrowserContext, CDPSession, Page } from "puppeteer";
import type { Protocol } from "puppeteer";
import type { EgressPolicy } from "../egress/rules.ts";
import { startEgressProxy } from "../egress/browser-proxy.ts";
import type { EgressProxy } from "../egress/browser-proxy.ts";
import { watchUse } from "./taint.ts";
import type { UseWatch } from "./taint.ts";

/** The usual desktop size in CSS pixels. */
export const desktop = { width: 1920, height: 1080 };

/** One page in a context of its own, with its own way out. Serves one job, and another only after `resetTab`. */
export interface Tab {
  readonly cdp: CDPSession;
  /** Session of the whole browser, for what CDP offers only there. */
  readonly browserCdp: CDPSession;
  readonly proxy: EgressProxy;
  readonly contextId: string;
  readonly targetId: string;
  /** Id of the main frame. */
  readonly frameId: string;
  readonly watch: UseWatch;
  /** Resolves when the page or the whole browser has gone without being asked to. */
  readonly lost: Promise<"page" | "browser">;
  /** Closes the context whatever state the page is in; false when Chromium did not obey in time. */
  close(): Promise<boolean>;
}

const closeMs = 5000;

/** Opens a tab on about:blank that is denied downloads, permissions, service workers, dialogs and popups. */
export async function openTab(
  browser: Browser,
  browserCdp: CDPSession,
  policy: EgressPolicy,
): Promise<Tab> {
  const proxy = await startEgressProxy(policy);
  let context: BrowserContext | undefined;
  try {
    context = await browser.createBrowserContext({
      proxyServer: `http://127.0.0.1:${proxy.port}`,
      proxyBypassList: ["<-loopback>"],
    });
    const browserContextId = context.id ?? "";
    const page = await context.newPage();
    const cdp = await page.createCDPSession();
    guard(context, page, cdp);
    const { lost, forget } = watchLoss(browser, page);
    const [tree, { targetInfo }] = await Promise.all([
      cdp.send("Page.getFrameTree"),
      cdp.send("Target.getTargetInfo"),
      cdp.send("Page.enable"),
      cdp.send("Page.setLifecycleEventsEnabled", { enabled: true }),
      cdp.send("Network.enable", {
        maxTotalBufferSize: 16_000_000,
        maxResourceBufferSize: 8_000_000,
      }),
      cdp.send("Network.setBypassServiceWorker", { bypass: true }),
      cdp.send("Emulation.setDeviceMetricsOverride", {
        ...desktop,
        deviceScaleFactor: 1,
        mobile: false,
      }),
      browserCdp.send("Browser.setDownloadBehavior", {
        behavior: "deny",
        browserContextId,
        eventsEnabled: true,
      }),
      // Grants nothing and rejects everything else.
      browserCdp.send("Browser.grantPermissions", { permissions: [], browserContextId }),
    ]);
    const opened = context;
    const frameId = tree.frameTree.frame.id;
    const { targetId } = targetInfo;
    const watch = watchUse(cdp, browserCdp, { contextId: browserContextId, frameId, targetId });
    return {
      cdp,
      browserCdp,
      proxy,
      contextId: browserContextId,
      targetId,
      frameId,
      watch,
      lost,
      close() {
        watch.stop();
        forget();
        return closeContext(opened, proxy);
      },
    };
  } catch (error) {
    if (context) await closeContext(context, proxy);
    else proxy.close();
    throw error;
  }
}

function watchLoss(browser: Browser, page: Page) {
  const { promise: lost, resolve } = Promise.withResolvers<"page" | "browser">();
  const browserLost = () => resolve("browser");
  // Chromium's end may close its pages first.
  const pageLost = () => setTimeout(() => resolve(browser.connected ? "page" : "browser"), 100);
  browser.once("disconnected", browserLost);
  page.once("close", pageLost);
  return { lost, forget: () => browser.off("disconnected", browserLost) };
}

/** Answers what would otherwise wait for a person, and closes every further window. */
function guard(context: BrowserContext, page: Page, cdp: CDPSession): void {
  cdp.on("Page.javascriptDialogOpening", (event: Protocol.Page.JavascriptDialogOpeningEvent) => {
    cdp
      .send("Page.handleJavaScriptDialog", { accept: event.type === "beforeunload" })
      .catch(() => undefined);
  });
  context.on("targetcreated", (target) => {
    if (target.type() !== "page" || target === page.target()) return;
    target
      .page()
      .then((popup) => popup?.close())
      .catch(() => undefined);
  });
}

async function closeContext(context: BrowserContext, proxy: EgressProxy): Promise<boolean> {
  // First: a page that is going away must not reach anything any more.
  proxy.close();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), closeMs);
  });
  const closed = context.close().then(
    () => true,
    () => false,
  );
  const obeyed = await Promise.race([closed, late]);
  clearTimeout(timer);
  return obeyed;
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

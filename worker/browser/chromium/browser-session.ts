import type { CDPSession, Connection, Protocol } from "puppeteer";
import type { EgressPolicy } from "../../../runtime/egress/rules.ts";
import { startEgressProxy } from "../../egress/browser-proxy.ts";
import type { EgressProxy } from "../../egress/browser-proxy.ts";
import type { LaunchedBrowser } from "./launch.ts";
import { prepareWorkers } from "./page-workers.ts";
import { desktop, Tab } from "./tab.ts";
import { timerWatch } from "./timer-watch.ts";

const answerMs = 5000;
/**
 * A page that is held answers at once. Now and then a new page answers nothing at all, and another one in its place
 * does.
 */
const openMs = 10_000;
/** A browser that ends may close its pages so long before its connection. */
const browserEndMs = 100;

/** A fresh browser context with a proxy of its own. It takes one job and is gone after it. */
export interface Context {
  readonly contextId: string;
  readonly proxy: EgressProxy;
  /** Ends everything in the context, whatever state its page is in; false when Chromium did not obey in time. */
  close(): Promise<boolean>;
}

type Attached = Protocol.Target.AttachedToTargetEvent;
type Loss = "page" | "browser";

/** The session of one whole browser, which opens contexts and pages. */
export class BrowserSession {
  readonly #launched: LaunchedBrowser;
  readonly #cdp: CDPSession;
  readonly #connection: Connection;
  /** Whether a new page waits until it is released. */
  readonly #holdsPages: boolean;
  readonly #contexts = new Set<string>();
  /** A page that no job uses. */
  #blankPage: CDPSession | undefined;
  /** Contexts whose page is about to arrive. */
  readonly #awaited = new Map<string, (page: Attached) => void>();
  /** Called when the page of a session is lost. */
  readonly #onLoss = new Map<string, (what: Loss) => void>();

  static async open(launched: LaunchedBrowser): Promise<BrowserSession> {
    const cdp = await launched.browser.target().createCDPSession();
    const connection = cdp.connection();
    if (!connection) throw new Error("the browser has gone");
    // Full Chromium starts the navigation of a new tab before it announces the page; there a tab starts blank.
    const holdsPages = (await launched.browser.version()).startsWith("Headless");
    const session = new BrowserSession(launched, cdp, connection, holdsPages);
    await session.#attach();
    return session;
  }

  private constructor(
    launched: LaunchedBrowser,
    cdp: CDPSession,
    connection: Connection,
    holdsPages: boolean,
  ) {
    this.#launched = launched;
    this.#cdp = cdp;
    this.#connection = connection;
    this.#holdsPages = holdsPages;
    cdp.on("Target.detachedFromTarget", ({ sessionId }) => this.#onDetached(sessionId));
    cdp.on("Target.attachedToTarget", (event) => this.#onAttached(event));
    launched.browser.once("disconnected", () => {
      for (const lose of this.#onLoss.values()) lose("browser");
    });
  }

  /** Resolves when the browser's main thread has answered. */
  ping(): Promise<unknown> {
    return this.#cdp.send("Browser.getVersion", undefined, { timeout: 0 });
  }

  /** Opens a context that denies downloads and permissions. */
  async openContext(policy: EgressPolicy): Promise<Context> {
    const proxy = await startEgressProxy(policy);
    try {
      const { browserContextId } = await this.#cdp.send("Target.createBrowserContext", {
        proxyServer: `http://127.0.0.1:${proxy.port}`,
        proxyBypassList: "<-loopback>",
      });
      this.#contexts.add(browserContextId);
      await Promise.all([
        this.#cdp.send("Browser.setDownloadBehavior", {
          behavior: "deny",
          browserContextId,
          eventsEnabled: true,
        }),
        // An empty grant rejects every permission.
        this.#cdp.send("Browser.grantPermissions", { permissions: [], browserContextId }),
      ]);
      return {
        contextId: browserContextId,
        proxy,
        close: () => this.#closeContext(browserContextId, proxy),
      };
    } catch (error) {
      proxy.close();
      throw error;
    }
  }

  /** Opens the context's page on its way to `url`, but held. It gets no service workers, dialogs or further windows. */
  async openTab({ contextId, proxy }: Context, url: string): Promise<Tab> {
    const { created, attached } = this.#createPage(contextId, this.#holdsPages ? url : undefined);
    const { sessionId, targetInfo, waitingForDebugger } = await attached;
    const cdp = this.#connection.session(sessionId);
    if (!cdp) throw new Error("the page has gone");
    if (this.#holdsPages && !waitingForDebugger) throw new Error("the page was not held");
    const { promise: lost, resolve: lose } = Promise.withResolvers<Loss>();
    this.#onLoss.set(sessionId, lose);
    const run = () => cdp.send("Runtime.runIfWaitingForDebugger", undefined, { timeout: openMs });
    const tab = new Tab({
      cdp,
      browserCdp: this.#cdp,
      proxy,
      // Chromium gives a page the id of its main frame.
      frameId: targetInfo.targetId,
      lost,
      release: this.#holdsPages
        ? run
        : () => {
            // The command answers at the commit; the page's events say what becomes of it.
            cdp.send("Page.navigate", { url }, { timeout: 0 }).catch(() => undefined);
            return Promise.resolve();
          },
      isSelector: (text) => this.#isSelector(text),
    });
    this.#prepare(tab);
    if (!this.#holdsPages) await Promise.all([created, run(), tab.prepared()]);
    return tab;
  }

  #createPage(browserContextId: string, url = "about:blank") {
    const { promise: arrived, resolve } = Promise.withResolvers<Attached>();
    this.#awaited.set(browserContextId, resolve);
    const created = this.#cdp.send(
      "Target.createTarget",
      { url, browserContextId },
      { timeout: openMs },
    );
    const failed = created.then(() => new Promise<never>(() => undefined));
    const attached = Promise.race([arrived, failed]).finally(() =>
      this.#awaited.delete(browserContextId),
    );
    return { created, attached };
  }

  /** Sends what must hold in the page before its first document. */
  #prepare(tab: Tab): void {
    const { cdp } = tab;
    const held = { timeout: openMs };
    const { workerScript, documentScript } = this.#launched;
    answerDialogs(cdp);
    if (workerScript !== "")
      tab.startAfter(prepareWorkers(cdp, this.#connection, workerScript, openMs));
    for (const command of [
      cdp.send("Page.enable", undefined, held),
      cdp.send("Page.setLifecycleEventsEnabled", { enabled: true }, held),
      cdp.send(
        "Network.enable",
        { maxTotalBufferSize: 16_000_000, maxResourceBufferSize: 8_000_000 },
        held,
      ),
      cdp.send("Network.setBypassServiceWorker", { bypass: true }, held),
      // A window without history could close itself.
      cdp.send(
        "Page.addScriptToEvaluateOnNewDocument",
        { source: `close = Function.prototype;${documentScript}${timerWatch}` },
        held,
      ),
      cdp.send(
        "Emulation.setDeviceMetricsOverride",
        { ...desktop, deviceScaleFactor: 1, mobile: false },
        held,
      ),
    ]) {
      tab.startAfter(command);
    }
  }

  async #attach(): Promise<void> {
    await Promise.all([
      // Puppeteer's own look-out for targets would attach to each of them once more.
      this.#connection.send("Target.setAutoAttach", {
        autoAttach: false,
        waitForDebuggerOnStart: false,
        flatten: true,
      }),
      this.#connection.send("Target.setDiscoverTargets", { discover: false }),
      // A new page waits until it is prepared, and goes to its URL without an empty document before.
      this.#cdp.send("Target.setAutoAttach", {
        autoAttach: true,
        waitForDebuggerOnStart: true,
        flatten: true,
        filter: [{ type: "page" }],
      }),
    ]);
    if (!this.#blankPage) await this.#cdp.send("Target.createTarget", { url: "about:blank" });
  }

  #onAttached(event: Attached): void {
    const { browserContextId = "", targetId } = event.targetInfo;
    const arrived = this.#awaited.get(browserContextId);
    this.#awaited.delete(browserContextId);
    if (arrived) {
      arrived(event);
      return;
    }
    const page = this.#connection.session(event.sessionId) ?? undefined;
    page?.send("Runtime.runIfWaitingForDebugger").catch(() => undefined);
    if (!this.#blankPage && !this.#contexts.has(browserContextId)) this.#blankPage = page;
    // A further window is released before it is closed: a held window would hold the page that opened it.
    else this.#cdp.send("Target.closeTarget", { targetId }).catch(() => undefined);
  }

  #onDetached(sessionId: string): void {
    const lose = this.#onLoss.get(sessionId);
    this.#onLoss.delete(sessionId);
    if (!lose) return;
    const { browser } = this.#launched;
    setTimeout(() => lose(browser.connected ? "page" : "browser"), browserEndMs);
  }

  async #closeContext(browserContextId: string, proxy: EgressProxy): Promise<boolean> {
    // The proxy goes first: a page that is going away must reach nothing any more.
    proxy.close();
    this.#contexts.delete(browserContextId);
    return this.#cdp
      .send("Target.disposeBrowserContext", { browserContextId }, { timeout: answerMs })
      .then(
        () => true,
        () => false,
      );
  }

  async #isSelector(text: string): Promise<boolean> {
    if (!this.#blankPage) throw new Error("the browser has no page of its own");
    const expression = `document.querySelector(${JSON.stringify(text)})`;
    const { exceptionDetails } = await this.#blankPage.send(
      "Runtime.evaluate",
      { expression },
      { timeout: answerMs },
    );
    return exceptionDetails === undefined;
  }
}

/** Answers dialogs, which would otherwise wait for a person. */
function answerDialogs(cdp: CDPSession): void {
  cdp.on("Page.javascriptDialogOpening", (event) => {
    cdp
      .send("Page.handleJavaScriptDialog", { accept: event.type === "beforeunload" })
      .catch(() => undefined);
  });
}

import { GatewayError } from "../../../contract/errors.ts";
import { monotonicNow } from "../../../runtime/monotonic.ts";
import {
  blockedDestination,
  brokenOff,
  browserLost,
  failedNavigation,
  networkChanged,
  notAPage,
  outOfTime,
  pageCrashed,
  pageTooLarge,
  stageNotReached,
  statusInsteadOfPage,
  tooManyRedirects,
} from "../chromium/failure.ts";
import { wireLimits } from "../../egress/browser-proxy.ts";
import { isText, showAsText } from "./as-text.ts";
import { limitFrames, maxFrames } from "./frames.ts";
import { InFlight } from "./in-flight.ts";
import { DocumentGone } from "./isolated-world.ts";
import { isWeb } from "./main-document.ts";
import type { MainDocument } from "./main-document.ts";
import { maxRequests, Navigation } from "./navigation.ts";
import type { WaitUntil } from "./navigation.ts";
import type { BrowserPool } from "../chromium/pool.ts";
import { renderedDespiteMissing } from "./missing-page.ts";
import { awaitRefresh } from "./refresh.ts";
import { StorageLimit } from "./storage.ts";
import type { RenderedPage, Tab } from "../chromium/tab.ts";

export interface RenderRequest {
  url: string;
  /** Takes turns with other accounts. */
  account: string;
  waitUntil: WaitUntil;
  timeoutMs: number;
  /** Unix time in milliseconds. */
  deadline: number;
  signal: AbortSignal;
  /** Called when a stage begins, which lasts until the next. */
  stage?: (name: "open" | "navigate" | "read") => void;
}

/** Reading and closing may take so long beyond the navigation timeout. */
const readingMs = 4000;
/** So much of the deadline is kept for the answer's way back. */
const returnMs = 500;

/**
 * Opens a URL in a context of its own, waits for the stage, and reads the page. `prepare` runs before the page is
 * requested. Throws GatewayError for everything that a site, a page or a caller can cause.
 */
export async function render<T extends { url: string }>(
  pool: BrowserPool,
  request: RenderRequest,
  read: (page: RenderedPage, document: MainDocument) => Promise<T>,
  prepare?: (tab: Tab) => Promise<void>,
): Promise<T> {
  const startedAt = monotonicNow();
  /** Whether a second attempt would have as much time as the first has taken. */
  const mayReload = () => monotonicNow() - startedAt < request.deadline - returnMs - monotonicNow();
  let prepareAgain = prepare;
  try {
    return await attempt(pool, request, mayReload, read, prepare);
  } catch (error) {
    const isFile = error instanceof TextFile && mayReload();
    if (isFile) {
      prepareAgain = async (tab) => {
        await prepare?.(tab);
        showAsText(tab);
      };
    } else if (error instanceof TextFile) throw error.outcome;
    else if (!(error instanceof CutOff)) throw error;
  }
  try {
    return await attempt(pool, request, () => false, read, prepareAgain);
  } catch (error) {
    throw error instanceof Repeatable ? error.outcome : error;
  }
}

/** The job has changed nothing and can run again. */
class Repeatable extends Error {
  /** The caller's answer when it happens twice. */
  readonly outcome: GatewayError;
  constructor(outcome: GatewayError) {
    super(outcome.message);
    this.outcome = outcome;
  }
}

/** This machine or its browser ended the job, not the page's site. */
class CutOff extends Repeatable {}

/** Chromium would save the document to a file, although it is text. */
class TextFile extends Repeatable {}

function attempt<T extends { url: string }>(
  pool: BrowserPool,
  request: RenderRequest,
  mayReload: () => boolean,
  read: (page: RenderedPage, document: MainDocument) => Promise<T>,
  prepare?: (tab: Tab) => Promise<void>,
): Promise<T> {
  request.stage?.("open");
  return pool.use(request, async (tab) => {
    request.stage?.("navigate");
    const navigationEnds = Math.min(
      monotonicNow() + request.timeoutMs,
      request.deadline - returnMs,
    );
    const allEnds = Math.min(navigationEnds + readingMs, request.deadline - returnMs);
    const limit = new AbortController();
    const over = setTimeout(() => limit.abort(), Math.max(0, allEnds - monotonicNow()));
    const signal = AbortSignal.any([request.signal, limit.signal]);
    const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
    stopped.catch(() => undefined);

    const inFlight = new InFlight(tab.cdp);
    const frames = limitFrames(tab.cdp, () => stop(pageTooLarge(`${maxFrames} frames`)));
    const storage = new StorageLimit(tab, request.url);
    const page: RenderedPage = {
      tab,
      account: request.account,
      signal,
      stageEnds: navigationEnds,
      inFlight: (kind) => inFlight.count(kind),
      timeLeft: () => Math.max(1, allEnds - monotonicNow()),
    };
    const onAbort = () =>
      stop(
        outOfTime(
          request.signal.aborted ? "The call was given up" : "The page could not be read in time",
        ),
      );
    const onCrash = () => stop(pageCrashed());
    void tab.lost.then((what) =>
      stop(what === "browser" ? new CutOff(browserLost()) : pageCrashed()),
    );
    signal.addEventListener("abort", onAbort, { once: true });
    // The caller may have left while the tab was opened.
    if (signal.aborted) onAbort();
    tab.cdp.on("Inspector.targetCrashed", onCrash);
    tab.proxy.open((exceeded) =>
      stop(
        pageTooLarge(
          exceeded === "bytes"
            ? `${wireLimits.bytes / 1_000_000} MB on the wire`
            : `${wireLimits.connections} connections`,
        ),
      ),
    );
    try {
      await Promise.race([stopped, prepare?.(tab)]);
      const done = work(page, request, navigationEnds, mayReload, read);
      const failed = tab.start().then(
        () => new Promise<never>(() => undefined),
        (error: unknown) => {
          // The page has not begun, so another one in its place may answer.
          throw isTimeout(error) ? new CutOff(outOfTime("The page could not be opened")) : error;
        },
      );
      return await Promise.race([stopped, failed, done]);
    } catch (error) {
      if (error instanceof GatewayError || error instanceof Repeatable) throw error;
      if (signal.aborted) throw outOfTime("The page could not be read in time");
      // The reason for a lost session arrives a moment after the loss.
      if (tab.cdp.detached || isLost(error)) await Promise.race([stopped, sleep(500)]);
      if (isTimeout(error)) throw outOfTime("The page did not answer while it was read");
      throw error;
    } finally {
      clearTimeout(over);
      inFlight.stop();
      frames.stop();
      storage.stop();
      signal.removeEventListener("abort", onAbort);
      tab.cdp.off("Inspector.targetCrashed", onCrash);
    }
  });
}

async function work<T extends { url: string }>(
  page: RenderedPage,
  request: RenderRequest,
  navigationEnds: number,
  mayReload: () => boolean,
  read: (page: RenderedPage, document: MainDocument) => Promise<T>,
): Promise<T> {
  const { tab } = page;
  const navigation = new Navigation(tab, mayReload);
  try {
    for (;;) {
      const document = await reach(tab, navigation, request, navigationEnds);
      request.stage?.("read");
      tab.declaresEncoding = document.declaresEncoding;
      try {
        await checkDocument(page, document);
        const found = await read(page, document);
        if (!isWeb(found.url)) throw new DocumentGone("an error page took its place");
        await awaitRefresh(page, document, navigation);
        if (!navigation.movedOn(document) || monotonicNow() >= navigationEnds) return found;
      } catch (error) {
        // The page moved on by itself; its last document decides.
        if (!(error instanceof DocumentGone) || monotonicNow() >= navigationEnds) throw error;
      }
      request.stage?.("navigate");
    }
  } finally {
    navigation.stop();
  }
}

async function reach(
  tab: Tab,
  navigation: Navigation,
  request: RenderRequest,
  navigationEnds: number,
): Promise<MainDocument> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, navigationEnds - monotonicNow()));
  });
  const end = await Promise.race([navigation.settled(request.waitUntil), late]);
  clearTimeout(timer);
  switch (end?.kind) {
    case undefined:
      throw stageNotReached(request.waitUntil, request.timeoutMs, navigation.stageReached());
    case "reached":
      return end.document;
    case "failed": {
      const failure = failedNavigation(end.error, end.url, (authority) =>
        tab.proxy.faultOf(authority),
      );
      // Chromium tells a download from no answer at all only at times.
      const isFile = end.error === "ERR_ABORTED" && isText(navigation.delivered());
      throw isFile ? new TextFile(failure) : failure;
    }
    case "broken off":
      throw brokenOff();
    case "network changed":
      throw new CutOff(networkChanged());
    case "download": {
      const failure = notAPage("a download", end.url);
      throw isText(navigation.delivered()) ? new TextFile(failure) : failure;
    }
    case "too many redirects":
      throw tooManyRedirects();
    case "too many requests":
      throw pageTooLarge(`${maxRequests} requests`);
  }
}

async function checkDocument(page: RenderedPage, document: MainDocument): Promise<void> {
  if (!isWeb(document.url)) throw blockedDestination();
  if (document.mimeType === "application/pdf") throw notAPage("a PDF document", document.url);
  const { status } = document;
  if (status === undefined || status < 400) return;
  if (status === 404 || status === 410) {
    if (await renderedDespiteMissing(page, document)) return;
    throw new GatewayError("not_found", `The site answered ${status}: the page does not exist`);
  }
  throw statusInsteadOfPage(status, document.retryAfter);
}

function isLost(error: unknown): boolean {
  return error instanceof Error && /closed|detached|Session|disconnected/i.test(error.message);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && /timed out/i.test(error.message);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

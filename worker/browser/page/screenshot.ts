/// <reference lib="dom" />
import { GatewayError } from "../../../contract/errors.ts";
import type { DomTools } from "../dom.ts";
import type { AccountTurns } from "../../../runtime/account-turns.ts";
import { pageTooLarge } from "../chromium/failure.ts";
import { memoryLimits } from "../chromium/memory.ts";
import { firstSight, readOnceShown } from "./first-text.ts";
import type { FirstSight, Glance } from "./first-text.ts";
import { evaluate } from "./isolated-world.ts";
import { clearView } from "./clear-view.ts";
import { checkSelector } from "./page-options.ts";
import { scrollThrough } from "./scroll-through.ts";
import type { RenderedPage } from "../chromium/tab.ts";
import { maxResultBytes } from "./result-limit.ts";
import { desktop } from "../chromium/tab.ts";
import type { Tab } from "../chromium/tab.ts";
import { timerEvent } from "../chromium/timer-watch.ts";
import { pageProgress } from "./unfinished.ts";
import type { PageProgress } from "./unfinished.ts";

export interface ScreenshotRequest {
  viewport: { width: number; height: number };
  /** Pixels of the picture for each CSS pixel. */
  deviceScaleFactor: number;
  /** Whether the page's viewport element counts and the screen is a touch screen. */
  mobile: boolean;
  colorScheme: "light" | "dark";
  fullPage: boolean;
  format: "png" | "jpeg" | "webp";
  /** For jpeg and webp. */
  quality: number;
  selector: string | undefined;
  omitBackground: boolean;
}

export interface Screenshot {
  url: string;
  format: "png" | "jpeg" | "webp";
  image_base64: string;
  size_bytes: number;
}

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Longest side of a picture; beyond it Chromium's compositor repeats or drops parts. */
const maxSidePx = 16_384;
const maxPixels = 120_000_000;
/** Larger pictures are drawn one at a time: two of 120 million pixels take a browser's memory and processors. */
const largePixels = 16_000_000;
const bytesPerPixel = 4;

/** Sets the viewport before the navigation, and checks that the selector is CSS at all. */
export async function prepareScreenshot(tab: Tab, request: ScreenshotRequest): Promise<void> {
  const { width, height } = request.viewport;
  const { deviceScaleFactor, mobile } = request;
  if (width !== desktop.width || height !== desktop.height || deviceScaleFactor !== 1 || mobile) {
    tab.startAfter(
      tab.cdp.send("Emulation.setDeviceMetricsOverride", {
        width,
        height,
        deviceScaleFactor,
        mobile,
      }),
    );
  }
  if (mobile) {
    tab.startAfter(
      tab.cdp.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 }),
    );
  }
  if (request.colorScheme !== "light") {
    tab.startAfter(
      tab.cdp.send("Emulation.setEmulatedMedia", {
        features: [{ name: "prefers-color-scheme", value: request.colorScheme }],
      }),
    );
  }
  if (request.selector !== undefined) await checkSelector(tab, "selector", request.selector);
}

export async function takeScreenshot(
  page: RenderedPage,
  request: ScreenshotRequest,
  largePictures: AccountTurns,
): Promise<Screenshot> {
  const look = () =>
    evaluate(page.tab, measure, { selector: request.selector ?? "", timerEvent }, page.timeLeft(), {
      sight: firstSight,
      progress: pageProgress,
    });
  let measured = await readOnceShown(page, look, (found) => found);
  if (request.fullPage && request.selector === undefined) {
    await scrollThrough(page, maxSidePx / request.deviceScaleFactor);
    measured = await look();
  }
  const clip = areaOf(measured, request);
  const scale = request.deviceScaleFactor;
  const [width, height] = [(clip?.width ?? 0) * scale, (clip?.height ?? 0) * scale];
  if (Math.max(width, height) > maxSidePx || width * height > maxPixels) {
    throw pageTooLarge(
      `${Math.ceil(width)} x ${Math.ceil(height)} pixels is more than one picture holds (${maxSidePx} a side)`,
    );
  }
  const { viewport } = request;
  const pixels = clip ? width * height : viewport.width * viewport.height * scale ** 2;
  // Chromium draws every canvas that the picture shows, at the size of its box, before it joins them.
  if (measured.canvasPixels * scale ** 2 * bytesPerPixel > memoryLimits.rendererBytes) {
    throw pageTooLarge(`canvases of ${Math.round(measured.canvasPixels / 1e6)} million pixels`);
  }
  if (request.selector !== undefined) await clearView(page, request.selector);
  const take = () => capture(page, request, clip);
  const data =
    pixels > largePixels ? await largePictures.run(page.account, take, page.signal) : await take();
  return {
    url: measured.url,
    format: request.format,
    image_base64: data,
    size_bytes: Buffer.byteLength(data, "base64"),
  };
}

async function capture(
  page: RenderedPage,
  request: ScreenshotRequest,
  clip: Area | undefined,
): Promise<string> {
  const { cdp } = page.tab;
  if (request.omitBackground && request.format !== "jpeg") {
    await cdp.send("Emulation.setDefaultBackgroundColorOverride", {
      color: { r: 0, g: 0, b: 0, a: 0 },
    });
  }
  const { data } = await cdp.send(
    "Page.captureScreenshot",
    {
      format: request.format,
      ...(request.format === "png" ? {} : { quality: request.quality }),
      ...(clip ? { clip: { ...clip, scale: 1 }, captureBeyondViewport: true } : {}),
    },
    { timeout: page.timeLeft() },
  );
  if (data.length > maxResultBytes) {
    throw pageTooLarge(`${maxResultBytes / 1024 / 1024} MiB in the result`);
  }
  return data;
}

function areaOf(measured: Measured, request: ScreenshotRequest): Area | undefined {
  if (request.selector !== undefined) {
    if (!measured.element) {
      throw new GatewayError("not_found", "The selector matches nothing on the page");
    }
    if (measured.element.width < 1 || measured.element.height < 1) {
      throw new GatewayError("not_found", "The selector matches only an element without a box");
    }
    return measured.element;
  }
  return request.fullPage ? measured.page : undefined;
}

interface Measured extends Glance {
  url: string;
  page: Area;
  element: Area | undefined;
  /** CSS pixels of all canvases, each by its bitmap or its box, the larger of the two. */
  canvasPixels: number;
}

/** Runs in the page: measures what can be captured, in CSS pixels from the top left of the document. */
function measure(
  dom: DomTools,
  input: { selector: string; timerEvent: string },
  { sight, progress }: { sight: FirstSight; progress: PageProgress },
): Measured {
  const glance = { shows: sight.anything(), ...progress.glance(input.timerEvent) };
  const root = dom.root(document);
  const page = {
    x: 0,
    y: 0,
    width: root ? Math.max(innerWidth, dom.scrollWidth(root)) : innerWidth,
    height: root ? Math.max(innerHeight, dom.scrollHeight(root)) : innerHeight,
  };
  let canvasPixels = 0;
  for (const canvas of dom.canvases(document)) {
    const { width, height } = dom.box(canvas);
    canvasPixels += Math.max(dom.canvasWidth(canvas) * dom.canvasHeight(canvas), width * height);
  }
  const found = input.selector ? dom.querySelector(document, input.selector) : null;
  if (!found) return { ...glance, url: location.href, page, element: undefined, canvasPixels };
  // At the top of a tall element the parts that stick, such as the head of a table, are in their own place.
  const block = dom.box(found).height > innerHeight ? "start" : "center";
  dom.scrollIntoView(found, { block, inline: "center", behavior: "instant" });
  const box = dom.box(found);
  const x = Math.floor(box.left + scrollX);
  const y = Math.floor(box.top + scrollY);
  return {
    ...glance,
    url: location.href,
    page,
    canvasPixels,
    element: {
      x,
      y,
      width: Math.ceil(box.right + scrollX) - x,
      height: Math.ceil(box.bottom + scrollY) - y,
    },
  };
}

import type { browser as area } from "../../../contract/areas/browser/index.ts";
import { readHtml } from "../../browser/page/html.ts";
import { readLinks } from "../../browser/page/links.ts";
import { readMetadata } from "../../browser/page/metadata.ts";
import type { MainDocument } from "../../browser/page/main-document.ts";
import { readMarkdown } from "../../browser/page/page-markdown.ts";
import { awaitSelector, preparePage } from "../../browser/page/page-options.ts";
import type { PageOptions } from "../../browser/page/page-options.ts";
import type { Metrics } from "../../../runtime/metrics.ts";
import { startBrowser } from "../../browser/chromium/pool.ts";
import type { BrowserPool } from "../../browser/chromium/pool.ts";
import { render } from "../../browser/page/render.ts";
import type { RenderRequest } from "../../browser/page/render.ts";
import { prepareScreenshot, takeScreenshot } from "../../browser/page/screenshot.ts";
import type { RenderedPage, Tab } from "../../browser/chromium/tab.ts";
import { loadTextOnly } from "../../browser/chromium/text-only.ts";
import type { Config } from "../../config.ts";
import type { Call, Connector } from "../../connector.ts";

interface PageInput {
  url: string;
  wait_until: RenderRequest["waitUntil"];
  wait_for_selector?: string | undefined;
  timeout_ms: number;
  accept_language?: string | undefined;
}

/** Browser operations on a running pool; the same in live and test mode. */
export function browserConnector(pool: BrowserPool): Connector<typeof area> {
  async function page<T extends { url: string }>(
    input: PageInput,
    call: Call,
    read: (page: RenderedPage, document: MainDocument) => Promise<T>,
    prepare?: (tab: Tab) => Promise<void>,
  ): Promise<{ data: T }> {
    const request: RenderRequest = {
      url: input.url,
      account: call.account,
      waitUntil: input.wait_until,
      timeoutMs: input.timeout_ms,
      deadline: call.deadline,
      signal: call.signal,
      stage: (name) => call.timeline?.stage(name),
    };
    const options: PageOptions = {
      waitForSelector: input.wait_for_selector,
      acceptLanguage: input.accept_language,
    };
    const data = await render(
      pool,
      request,
      async (rendered, document) => {
        await awaitSelector(rendered, options);
        return read(rendered, document);
      },
      async (tab) => {
        // Screenshots alone prepare the tab themselves, and show what is left out for reading.
        if (pool.textOnly && !prepare) loadTextOnly(tab);
        await Promise.all([preparePage(tab, options), prepare?.(tab)]);
      },
    );
    call.timeline?.stage("check");
    return { data };
  }

  return {
    "browser.html": (input, call) =>
      page(input, call, async (rendered, document) => ({
        ...(await readHtml(rendered, document)),
        ...(input.include_metadata ? await readMetadata(rendered, document) : {}),
      })),

    "browser.links": (input, call) =>
      page(input, call, (rendered) =>
        readLinks(rendered, {
          visibleOnly: input.visible_links_only,
          internalOnly: input.exclude_external_links,
        }),
      ),

    "browser.markdown": (input, call) =>
      page(input, call, async (rendered, document) => ({
        ...(await readMarkdown(rendered, document, pool.markdown, input.main_content_only)),
        ...(input.include_metadata ? await readMetadata(rendered, document) : {}),
      })),

    "browser.screenshot": (input, call) => {
      const picture = {
        viewport: input.viewport,
        deviceScaleFactor: input.device_scale_factor,
        mobile: input.mobile,
        colorScheme: input.color_scheme,
        fullPage: input.full_page,
        format: input.format,
        quality: input.quality ?? 80,
        selector: input.selector,
        omitBackground: input.omit_background,
      };
      return page(
        input,
        call,
        (rendered) => takeScreenshot(rendered, picture, pool.largePictures),
        (tab) => prepareScreenshot(tab, picture),
      );
    },
  };
}

export interface Rendering {
  connector: Connector<typeof area>;
  /** Turns in which pages are rendered. */
  turns: BrowserPool["turns"];
  close(): Promise<void>;
}

/** Starts Chromium as the worker's environment configures it; throws without one. */
export async function startRendering(
  config: Pick<Config, "chromium" | "egressAllow" | "egressDeny" | "egressVia" | "resolver">,
  slots: number,
  log: Call["log"],
  metrics: Metrics,
): Promise<Rendering> {
  const { executablePath, launcher, sandbox, browsers, textOnly } = config.chromium;
  if (executablePath === undefined) {
    throw new Error("PUPPETEER_EXECUTABLE_PATH is not set: the pool browser needs a Chromium");
  }
  const pool = await startBrowser({
    executablePath,
    launcher,
    sandbox,
    browsers,
    textOnly,
    egressAllow: config.egressAllow,
    egressDeny: config.egressDeny,
    egressVia: config.egressVia,
    resolver: config.resolver,
    slots,
    log,
  });
  const measure = () => {
    const { contexts, residentBytes, restarts } = pool.counts();
    metrics.gauge("gateway_browser_contexts", {}, contexts);
    metrics.gauge("gateway_browser_resident_bytes", {}, residentBytes);
    metrics.gauge("gateway_browser_starts", {}, restarts);
  };
  const timer = setInterval(measure, 5000);
  return {
    connector: browserConnector(pool),
    turns: pool.turns,
    close() {
      clearInterval(timer);
      return pool.close();
    },
  };
}

import type { browser as area } from "../../../contract/areas/browser/index.ts";
import { readHtml } from "../../browser/html.ts";
import { readLinks } from "../../browser/links.ts";
import { readMarkdown } from "../../browser/page-markdown.ts";
import type { Metrics } from "../../../contract/metrics.ts";
import { startBrowser } from "../../browser/pool.ts";
import type { BrowserPool } from "../../browser/pool.ts";
import { render } from "../../browser/render.ts";
import type { RenderRequest } from "../../browser/render.ts";
import { prepareScreenshot, takeScreenshot } from "../../browser/screenshot.ts";
import type { Config } from "../../config.ts";
import type { Call, Connector } from "../../connector.ts";

interface PageInput {
  url: string;
  wait_until: RenderRequest["waitUntil"];
  timeout_ms: number;
}

/** Browser operations on a running pool; the same in live and test mode. */
export function browserConnector(pool: BrowserPool): Connector<typeof area> {
  const request = (input: PageInput, call: Call): RenderRequest => ({
    tenant: call.tenant,
    url: input.url,
    waitUntil: input.wait_until,
    timeoutMs: input.timeout_ms,
    deadline: call.deadline,
    signal: call.signal,
  });

  return {
    "browser.html": async (input, call) => ({
      data: await render(pool, request(input, call), readHtml),
    }),

    "browser.links": async (input, call) => ({
      data: await render(pool, request(input, call), (page) =>
        readLinks(page, {
          visibleOnly: input.visible_links_only,
          internalOnly: input.exclude_external_links,
        }),
      ),
    }),

    "browser.markdown": async (input, call) => ({
      data: await render(pool, request(input, call), (page) => readMarkdown(page, pool.markdown)),
    }),

    "browser.screenshot": async (input, call) => {
      const picture = {
        viewport: input.viewport,
        fullPage: input.full_page,
        format: input.format,
        quality: input.quality ?? 80,
        selector: input.selector,
        omitBackground: input.omit_background,
      };
      return {
        data: await render(
          pool,
          request(input, call),
          (page) => takeScreenshot(page, picture),
          (tab) => prepareScreenshot(tab, picture),
        ),
      };
    },
  };
}

export interface Rendering {
  connector: Connector<typeof area>;
  close(): Promise<void>;
}

/** Starts Chromium as the worker's environment names it; throws when there is none. */
export async function startRendering(
  config: Pick<Config, "chromium" | "egressAllow" | "egressDeny" | "egressVia" | "resolver">,
  slots: number,
  log: Call["log"],
  metrics: Metrics,
): Promise<Rendering> {
  const { executablePath, launcher, sandbox } = config.chromium;
  if (executablePath === undefined) {
    throw new Error("PUPPETEER_EXECUTABLE_PATH is not set: the pool browser needs a Chromium");
  }
  const pool = await startBrowser({
    executablePath,
    launcher,
    sandbox,
    egressAllow: config.egressAllow,
    egressDeny: config.egressDeny,
    ...(config.egressVia === undefined ? {} : { egressVia: config.egressVia }),
    ...(config.resolver === undefined ? {} : { resolver: config.resolver }),
    slots,
    log,
  });
  const measure = () => {
    const { contexts, kept, reused, residentBytes, restarts } = pool.counts();
    metrics.gauge("gateway_browser_contexts", {}, contexts);
    metrics.gauge("gateway_browser_contexts_kept", {}, kept);
    metrics.gauge("gateway_browser_jobs_reused", {}, reused);
    metrics.gauge("gateway_browser_resident_bytes", {}, residentBytes);
    metrics.gauge("gateway_browser_starts", {}, restarts);
  };
  const timer = setInterval(measure, 5000);
  return {
    connector: browserConnector(pool),
    close() {
      clearInterval(timer);
      return pool.close();
    },
  };
}

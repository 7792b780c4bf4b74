import type { browser as area } from "../../../contract/areas/browser/index.ts";
import { readHtml } from "../../browser/page/html.ts";
import { readLinks } from "../../browser/page/links.ts";
import { readMetadata } from "../../browser/page/metadata.ts";
import { readMarkdown } from "../../browser/page/page-markdown.ts";
import { renderPage } from "../../browser/page/page-job.ts";
import type { Metrics } from "../../../runtime/metrics.ts";
import { SettingsError } from "../../../runtime/settings.ts";
import { startBrowser } from "../../browser/chromium/pool.ts";
import type { BrowserPool } from "../../browser/chromium/pool.ts";
import { prepareScreenshot, takeScreenshot } from "../../browser/page/screenshot.ts";
import type { Config } from "../../config.ts";
import type { Call, Connector } from "../../connector.ts";
import { Documents } from "../../documents/documents.ts";
import { createSiteFetch } from "../../transport/site.ts";
import { type DocumentSource, orDocument } from "./document-markdown.ts";

/** Browser operations on a running pool; the same in live and test mode. Files are read where a source for them is given. */
export function browserConnector(
  pool: BrowserPool,
  files?: DocumentSource,
): Connector<typeof area> {
  return {
    "browser.html": (input, call) =>
      renderPage(pool, input, call, async (rendered, document) => ({
        ...(await readHtml(rendered, document)),
        ...(input.include_metadata ? await readMetadata(rendered, document) : {}),
      })),

    "browser.links": (input, call) =>
      renderPage(pool, input, call, (rendered) =>
        readLinks(rendered, {
          visibleOnly: input.visible_links_only,
          internalOnly: input.exclude_external_links,
        }),
      ),

    "browser.markdown": (input, call) => {
      const read = renderPage(pool, input, call, async (rendered, document) => ({
        ...(await readMarkdown(rendered, document, pool.markdown, input.main_content_only)),
        ...(input.include_metadata ? await readMetadata(rendered, document) : {}),
      }));
      return files ? orDocument(read, files, input, call) : read;
    },

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
      return renderPage(
        pool,
        input,
        call,
        (rendered) => takeScreenshot(rendered, picture, pool.largePictures),
        { prepare: (tab) => prepareScreenshot(tab, picture), isPicture: true },
      );
    },
  };
}

export interface Rendering {
  connector: Connector<typeof area>;
  /** Serves every operation that renders pages. */
  pool: BrowserPool;
  files: DocumentSource;
  close(): Promise<void>;
}

/** Starts Chromium as the worker's environment configures it. Throws SettingsError without one that starts. */
export async function startRendering(
  config: Pick<Config, "chromium" | "egressAllow" | "egressDeny" | "egressVia" | "resolver">,
  { slots, followsMachine }: { slots: number; followsMachine: boolean },
  log: Call["log"],
  metrics: Metrics,
): Promise<Rendering> {
  const { executablePath, launcher, sandbox, browsers, textOnly } = config.chromium;
  if (executablePath === undefined) {
    throw new SettingsError("PUPPETEER_EXECUTABLE_PATH: is not set; the pool browser needs one");
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
    followsMachine,
    log,
  });
  const measure = () => {
    const { contexts, residentBytes, restarts } = pool.counts();
    metrics.gauge("gateway_browser_contexts", {}, contexts);
    metrics.gauge("gateway_browser_resident_bytes", {}, residentBytes);
    metrics.gauge("gateway_browser_starts", {}, restarts);
  };
  const timer = setInterval(measure, 5000);
  const files = { fetchSite: createSiteFetch(config), documents: new Documents() };
  return {
    connector: browserConnector(pool, files),
    pool,
    files,
    close() {
      clearInterval(timer);
      return pool.close();
    },
  };
}

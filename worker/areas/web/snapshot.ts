import type { web as area } from "../../../contract/areas/web/index.ts";
import type { DataOf, InputOf } from "../../../contract/operation.ts";
import type { BrowserPool } from "../../browser/chromium/pool.ts";
import type { RenderedPage } from "../../browser/chromium/tab.ts";
import { readHtml } from "../../browser/page/html.ts";
import { readAllLinks } from "../../browser/page/links.ts";
import type { MainDocument } from "../../browser/page/main-document.ts";
import { readMetadata } from "../../browser/page/metadata.ts";
import { readMarkdown } from "../../browser/page/page-markdown.ts";
import { renderPage } from "../../browser/page/page-job.ts";
import { withinResultLimit } from "../../browser/page/result-limit.ts";
import { prepareScreenshot, takeScreenshot } from "../../browser/page/screenshot.ts";
import { checkSelectors, readSelected } from "../../browser/page/selected-values.ts";
import { readStatements } from "../../browser/page/statements.ts";
import { readStructuredData } from "../../browser/page/structured-data.ts";
import type { Call } from "../../connector.ts";
import { extractedOf } from "./extract.map.ts";
import { metadataOf } from "./metadata.map.ts";
import type { Parsers } from "./parser.ts";

type Operations = (typeof area.operations)[number];
type Snapshot = Extract<Operations, { id: "web.snapshot" }>;
type ExtractInput = Pick<
  InputOf<Extract<Operations, { id: "web.extract" }>>,
  "selectors" | "include_source"
>;

/** The selectors as the page's reader takes them. */
export const valueSelectors = (input: ExtractInput) =>
  input.selectors.map((one) => ({ ...one, isUrl: one.type === "url" }));

/** Reads what the page's head states. */
export async function readPageMetadata(page: RenderedPage, document: MainDocument) {
  const stated = await readStatements(page);
  const { metadata } = await readMetadata(page, document);
  return metadataOf(stated, metadata);
}

/** Reads what the page states in machine-readable form, and the caller's own fields. */
export async function readExtract(
  page: RenderedPage,
  input: ExtractInput,
  parsers: Parsers,
  { account, signal }: Pick<Call, "account" | "signal">,
) {
  const { withMicroformats: html, ...data } = await readStructuredData(page, input.include_source);
  const selected = await readSelected(page, valueSelectors(input));
  const { selectors, include_source: withSource } = input;
  const task = { kind: "microformats", html: html ?? "", url: data.url } as const;
  const { items, isCut } =
    html === undefined
      ? { items: [], isCut: false }
      : // Microformats that take too long are left out.
        await parsers.run(task, account, signal).catch(() => ({ items: [], isCut: true }));
  return extractedOf(
    { ...data, microformats: items, isCut: data.isCut || isCut },
    { selectors, selected, withSource },
  );
}

/** The part of a page that says where a crawl goes on. */
export interface Followed {
  /** Those of its links that robots may follow. */
  links: readonly string[];
  /** Its X-Robots-Tag; empty where it has none. */
  robotsTag: string;
}

/** One render of a page in several forms. The picture comes last, because taking it scrolls the page. */
export function snapshot(
  pool: BrowserPool,
  parsers: Parsers,
  input: InputOf<Snapshot>,
  call: Call,
  note?: (followed: Followed) => void,
): Promise<{ data: DataOf<Snapshot> }> {
  const has = (format: (typeof input.formats)[number]) => input.formats.includes(format);
  const picture = {
    viewport: input.viewport,
    deviceScaleFactor: input.device_scale_factor,
    mobile: input.mobile,
    colorScheme: input.color_scheme,
    fullPage: input.full_page,
    format: input.image_format,
    quality: input.quality ?? 80,
    selector: undefined,
    omitBackground: false,
  };
  const read = async (page: RenderedPage, document: MainDocument) => {
    const markdown = async (mainContentOnly: boolean) =>
      (await readMarkdown(page, document, pool.markdown, mainContentOnly, { mayBeEmpty: true }))
        .markdown;
    const data: DataOf<Snapshot> = { url: document.url };
    if (has("html")) Object.assign(data, await readHtml(page, document));
    if (has("links")) {
      const { followed, ...shown } = await readAllLinks(page, false);
      Object.assign(data, shown);
      note?.({ links: followed, robotsTag: document.robotsTag ?? "" });
    }
    if (has("metadata")) {
      const { url, ...metadata } = await readPageMetadata(page, document);
      Object.assign(data, { url, metadata });
    }
    if (has("extract")) {
      const { url, ...extract } = await readExtract(page, input, parsers, call);
      Object.assign(data, { url, extract });
    }
    if (has("markdown")) data.markdown = await markdown(false);
    if (has("main_content")) data.main_content = await markdown(true);
    if (has("screenshot")) {
      const { url, ...screenshot } = await takeScreenshot(page, picture, pool.largePictures);
      Object.assign(data, { url, screenshot });
    }
    return withinResultLimit(data);
  };
  return renderPage(pool, input, call, read, {
    prepare: async (tab) => {
      await prepareScreenshot(tab, picture);
      await checkSelectors(tab, valueSelectors(input));
    },
    isPicture: has("screenshot"),
  });
}

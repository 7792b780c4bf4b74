/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import { evaluate } from "./isolated-world.ts";
import type { MainDocument } from "./main-document.ts";
import type { RenderedPage } from "../chromium/tab.ts";

/** A document that is data, which Chromium shows in a viewer of its own. */
export interface Source {
  url: string;
  language: "json" | "xml";
  text: string;
}

/** Reads XML and JSON as they were delivered; undefined for a page. */
export async function readSource(
  page: RenderedPage,
  document: MainDocument,
): Promise<Source | undefined> {
  const language = languageOf(document.mimeType);
  if (language === undefined) return undefined;
  const shown = await evaluate(page.tab, inViewer, language, page.timeLeft());
  if (!shown) return undefined;
  const text = (await delivered(page, document)) ?? shown.text;
  return { url: shown.url, language, text: text.replace(/^\uFEFF/, "") };
}

/** Puts the text into a fence that nothing in it can end. */
export function fenced({ language, text }: Source): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

function languageOf(mimeType: string): Source["language"] | undefined {
  if (/^(?:application|text)\/(?:[\w.-]+\+)?json$/i.test(mimeType)) return "json";
  if (/^application\/xhtml\+xml$/i.test(mimeType)) return undefined;
  return /^(?:application|text)\/(?:[\w.-]+\+)?xml$/i.test(mimeType) ? "xml" : undefined;
}

async function delivered(page: RenderedPage, document: MainDocument): Promise<string | undefined> {
  if (document.requestId === undefined) return undefined;
  try {
    const { body, base64Encoded } = await page.tab.cdp.send("Network.getResponseBody", {
      requestId: document.requestId,
    });
    return base64Encoded ? Buffer.from(body, "base64").toString("utf8") : body;
  } catch {
    // Chromium keeps no body that is too large; the viewer's copy takes its place.
    return undefined;
  }
}

/** Runs in the page: reads the text in the viewer; undefined where Chromium shows the document without one. */
function inViewer(
  dom: DomTools,
  language: "json" | "xml",
): { url: string; text: string } | undefined {
  const url = location.href;
  // Chromium shows a type that it does not know for XML, such as a feed, as text in an HTML document of its own.
  const isText = language === "json" || document instanceof HTMLDocument;
  const found = dom.querySelector(
    document,
    isText ? "body > pre" : "#webkit-xml-viewer-source-xml",
  );
  if (!found) return undefined;
  if (isText) return { url, text: dom.textContent(found) ?? "" };
  const first = dom.childElement(found);
  return { url, text: first ? new XMLSerializer().serializeToString(first) : "" };
}

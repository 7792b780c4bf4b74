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

/** Reads XML and JSON as they were delivered, whatever a stylesheet makes of them; undefined for a page. */
export async function readSource(
  page: RenderedPage,
  document: MainDocument,
): Promise<Source | undefined> {
  const language = languageOf(document.mimeType);
  if (language === undefined) return undefined;
  const shown = await evaluate(page.tab, inViewer, language, page.timeLeft());
  const body = await delivered(page, document);
  // Without a viewer, XML has a stylesheet, an error, or elements that Chromium draws.
  const isPage = shown.text === undefined && (language === "json" || isDrawn(body));
  const text = body ?? shown.text;
  if (isPage || text === undefined) return undefined;
  return { url: shown.url, language, text: text.replace(/^\uFEFF/, "") };
}

/** Whether the root element of XML is one that Chromium draws by itself. */
function isDrawn(xml = ""): boolean {
  const ends: [string, string][] = [
    ["<?", "?>"],
    ["<!--", "-->"],
    ["<!", ">"],
  ];
  let at = xml.indexOf("<");
  for (;;) {
    const end = ends.find(([start]) => xml.startsWith(start, at))?.[1];
    if (at === -1 || end === undefined) break;
    const ended = xml.indexOf(end, at + 2);
    at = ended === -1 ? -1 : xml.indexOf("<", ended + end.length);
  }
  return at !== -1 && /^<(?:[\w.-]{1,50}:)?(?:html|svg)[\s>/]/.test(xml.slice(at, at + 60));
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

/** Runs in the page: reads the text in the viewer, where Chromium shows the document in one. */
function inViewer(
  dom: DomTools,
  language: "json" | "xml",
): { url: string; text: string | undefined } {
  const url = location.href;
  // Chromium shows a type that it does not know for XML, such as a feed, as text in an HTML document of its own.
  const isText = language === "json" || document instanceof HTMLDocument;
  const found = dom.querySelector(
    document,
    isText ? "body > pre" : "#webkit-xml-viewer-source-xml",
  );
  if (!found) return { url, text: undefined };
  if (isText) return { url, text: dom.textContent(found) ?? "" };
  const first = dom.childElement(found);
  return { url, text: first ? new XMLSerializer().serializeToString(first) : "" };
}

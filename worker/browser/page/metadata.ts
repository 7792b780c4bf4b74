/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import { evaluate } from "./isolated-world.ts";
import type { MainDocument } from "./main-document.ts";
import type { RenderedPage } from "../chromium/tab.ts";

export interface Metadata {
  title?: string | undefined;
  description?: string | undefined;
  language?: string | undefined;
  canonical_url?: string | undefined;
  status?: number | undefined;
  content_type: string;
}

/** Reads the document's statements about itself, and the status and type of its answer. */
export async function readMetadata(
  page: RenderedPage,
  document: MainDocument,
): Promise<{ metadata: Metadata }> {
  const stated = await evaluate(page.tab, statements, undefined, page.timeLeft());
  return {
    metadata: {
      ...stated,
      status: document.status,
      content_type: document.mimeType,
    },
  };
}

/** Runs in the page. */
function statements(dom: DomTools): Omit<Metadata, "status" | "content_type"> {
  const mostCharacters = 5000;
  const clean = (text: string | null | undefined) =>
    text?.slice(0, mostCharacters).replace(/\s+/g, " ").trim() || undefined;
  const first = (selector: string, attribute: string) => {
    const found = dom.querySelector(document, selector);
    return clean(found && dom.attribute(found, attribute));
  };
  const title = dom.querySelector(document, "head > title, svg > title");
  const root = dom.root(document);
  const canonical = dom.querySelector(document, 'head > link[rel~="canonical" i][href]');
  return {
    title:
      clean(title && dom.textContent(title)) ?? first('meta[property="og:title" i]', "content"),
    description:
      first('meta[name="description" i]', "content") ??
      first('meta[property="og:description" i]', "content"),
    language:
      clean(root && dom.attribute(root, "lang")) ??
      clean(root && dom.attribute(root, "xml:lang")) ??
      first('meta[http-equiv="content-language" i]', "content"),
    canonical_url: canonical ? dom.webUrl(dom.attribute(canonical, "href")) : undefined,
  };
}

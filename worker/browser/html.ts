/// <reference lib="dom" />
import type { DomTools } from "./dom.ts";
import { evaluate } from "./isolated-world.ts";
import type { RenderedPage } from "./tab.ts";
import { withinResultLimit } from "./result-limit.ts";

/** The document as it stands, doctype included. */
export async function readHtml(page: RenderedPage): Promise<{ url: string; html: string }> {
  return withinResultLimit(await evaluate(page.tab, documentHtml, undefined, page.timeLeft()));
}

/** Runs in the page. */
function documentHtml(dom: DomTools): { url: string; html: string } {
  const doctype = dom.doctype(document);
  const root = dom.root(document);
  const head = doctype ? new XMLSerializer().serializeToString(doctype) : "";
  return { url: location.href, html: `${head}${root ? dom.outerHtml(root) : ""}` };
}

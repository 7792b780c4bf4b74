/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import { evaluate } from "./isolated-world.ts";
import type { MainDocument } from "./main-document.ts";
import type { RenderedPage } from "../chromium/tab.ts";

/** Least number of characters that counts as content. */
const substantial = 200;

/**
 * Whether a document answered with 404 has nevertheless built a page by script, as a single-page application
 * behind a static host does: much text that did not come with the document and does not say "not found".
 */
export async function renderedDespiteMissing(
  page: RenderedPage,
  document: MainDocument,
): Promise<boolean> {
  const shown = await evaluate(page.tab, visibleText, undefined, page.timeLeft());
  if (shown.length < substantial) return false;
  if (
    /\b(404|410)\b|not found|does(n.t| not) exist|no longer (exists|available)/i.test(
      shown.headline,
    )
  ) {
    return false;
  }
  const delivered = await deliveredText(page, document);
  return shown.length - delivered >= substantial && shown.length > 2 * delivered;
}

/** Runs in the page. */
function visibleText(dom: DomTools): { length: number; headline: string } {
  const body = dom.body(document);
  let length = 0;
  if (body) {
    dom.walk(body, (element) => {
      const name = dom.localName(element);
      if (name === "script" || name === "style" || name === "noscript" || name === "template")
        return;
      for (let node = dom.firstChild(element); node; node = dom.nextSibling(node)) {
        if (dom.nodeType(node) === Node.TEXT_NODE)
          length += dom.nodeValue(node)?.trim().length ?? 0;
      }
    });
  }
  const text = (selector: string) => {
    const found = dom.querySelector(document, selector);
    return (found && dom.textContent(found))?.slice(0, 300) ?? "";
  };
  return { length, headline: `${text("title")}\n${text("h1")}\n${text("h2")}` };
}

async function deliveredText(page: RenderedPage, document: MainDocument): Promise<number> {
  if (document.requestId === undefined) return 0;
  const { body, base64Encoded } = await page.tab.cdp
    .send("Network.getResponseBody", { requestId: document.requestId })
    // Chromium keeps no body that is too large, and such a body is no empty shell.
    .catch(() => ({ body: "", base64Encoded: true }));
  return base64Encoded ? Infinity : textLength(body);
}

/** Counts the characters of text in HTML, without scripts, styles, comments and tags, in one pass. */
export function textLength(html: string): number {
  const lower = html.toLowerCase();
  let length = 0;
  let at = 0;
  const count = (to: number) => {
    length += html.slice(at, to).replace(/\s+/g, " ").trim().length;
  };
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open < 0) break;
    count(open);
    const skipped = ["script", "style", "noscript", "title", "template"].find((name) =>
      lower.startsWith(name, open + 1),
    );
    const end = lower.startsWith("<!--", open)
      ? lower.indexOf("-->", open)
      : lower.indexOf(skipped ? `</${skipped}` : ">", open);
    if (end < 0) return length;
    const closed = lower.indexOf(">", end);
    if (closed < 0) return length;
    at = closed + 1;
  }
  count(html.length);
  return length;
}

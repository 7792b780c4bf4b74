/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import { firstSight, readOnceShown } from "./first-text.ts";
import type { FirstSight } from "./first-text.ts";
import { evaluate } from "./isolated-world.ts";
import type { MainDocument } from "./main-document.ts";
import { withinResultLimit } from "./result-limit.ts";
import { readSource } from "./source.ts";
import type { RenderedPage } from "../chromium/tab.ts";

/** Reads the document as it stands, with its doctype; XML and JSON as they were delivered. */
export async function readHtml(
  page: RenderedPage,
  document: MainDocument,
): Promise<{ url: string; html: string }> {
  const source = await readSource(page, document);
  if (source) return withinResultLimit({ url: source.url, html: source.text });
  const { url, html } = await readOnceShown(
    page,
    () => evaluate(page.tab, documentHtml, undefined, page.timeLeft(), { sight: firstSight }),
    ({ shows }) => !shows,
  );
  return withinResultLimit({ url, html });
}

/** Runs in the page. */
function documentHtml(
  dom: DomTools,
  _: unknown,
  { sight }: { sight: FirstSight },
): { url: string; html: string; shows: boolean } {
  const doctype = dom.doctype(document);
  const root = dom.root(document);
  const head = doctype ? new XMLSerializer().serializeToString(doctype) : "";
  return {
    url: location.href,
    html: `${head}${root ? dom.outerHtml(root) : ""}`,
    shows: sight.anything(),
  };
}

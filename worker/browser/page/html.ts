/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import { firstSight, readOnceShown } from "./first-text.ts";
import type { FirstSight, Glance } from "./first-text.ts";
import { evaluate } from "./isolated-world.ts";
import type { MainDocument } from "./main-document.ts";
import { withinResultLimit } from "./result-limit.ts";
import { readSource } from "./source.ts";
import type { RenderedPage } from "../chromium/tab.ts";
import { timerEvent } from "../chromium/timer-watch.ts";
import { pageProgress } from "./unfinished.ts";
import type { PageProgress } from "./unfinished.ts";

/** Reads the document as it stands, with its doctype; XML and JSON as they were delivered. */
export async function readHtml(
  page: RenderedPage,
  document: MainDocument,
): Promise<{ url: string; html: string }> {
  const source = await readSource(page, document);
  if (source) return withinResultLimit({ url: source.url, html: source.text });
  const { url, html } = await readOnceShown(
    page,
    () =>
      evaluate(page.tab, documentHtml, { timerEvent }, page.timeLeft(), {
        sight: firstSight,
        progress: pageProgress,
      }),
    (found) => found,
  );
  return withinResultLimit({ url, html });
}

/** Runs in the page. */
function documentHtml(
  dom: DomTools,
  input: { timerEvent: string },
  parts: { sight: FirstSight; progress: PageProgress },
): { url: string; html: string } & Glance {
  const doctype = dom.doctype(document);
  const root = dom.root(document);
  const head = doctype ? new XMLSerializer().serializeToString(doctype) : "";
  const html = root ? dom.outerHtml(root) : "";
  return {
    url: location.href,
    html: head + html,
    shows: parts.sight.anything(),
    ...parts.progress.glance(input.timerEvent),
  };
}

/// <reference lib="dom" />
import { monotonicNow } from "../../../runtime/monotonic.ts";
import type { DomTools } from "../dom.ts";
import { evaluate } from "./isolated-world.ts";
import type { MainDocument } from "./main-document.ts";
import { longestRefresh } from "./navigation.ts";
import type { Navigation } from "./navigation.ts";
import type { RenderedPage } from "../chromium/tab.ts";

/**
 * Waits for the refresh of a document that is read before its load event: only there Chromium announces refreshes,
 * by a meta element or a header. The wait ends with the caller's own time.
 */
export async function awaitRefresh(
  page: RenderedPage,
  document: MainDocument,
  navigation: Navigation,
): Promise<void> {
  const askPage = () => evaluate(page.tab, metaRefresh, undefined, page.timeLeft());
  if (navigation.refreshIsKnown()) return;
  const isComing = [document.refresh, await askPage()].some(
    (content) => content !== undefined && Number.parseFloat(content) < longestRefresh,
  );
  if (!isComing) return;
  const { promise: late, resolve: giveUp } = Promise.withResolvers<void>();
  const timer = setTimeout(giveUp, Math.max(0, page.stageEnds - monotonicNow()));
  await Promise.race([navigation.refreshKnown(), late]);
  clearTimeout(timer);
  // The announcement follows the load event, and what the page answers follows the announcement.
  if (!navigation.movedOn(document) && navigation.refreshIsKnown()) await askPage();
}

/** Runs in the page. */
function metaRefresh(dom: DomTools): string | undefined {
  const element = dom.querySelector(document, "meta[http-equiv=refresh i]");
  return (element && dom.attribute(element, "content")) ?? undefined;
}

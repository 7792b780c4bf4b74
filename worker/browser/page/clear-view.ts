/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import { evaluate } from "./isolated-world.ts";
import type { RenderedPage } from "../chromium/tab.ts";

/** A page with more elements is searched this far. */
const mostElements = 50_000;

/**
 * Hides headers, banners and buttons that stay in place while a page scrolls: they would lie across the picture of
 * an element. Backdrops stay, which fill the viewport or lie behind the page, and so do parts of the element and
 * whatever it is a part of.
 */
export async function clearView(page: RenderedPage, selector: string): Promise<void> {
  await evaluate(page.tab, hideFloating, { selector, mostElements }, page.timeLeft());
}

/** Runs in the page. */
function hideFloating(dom: DomTools, input: { selector: string; mostElements: number }): void {
  const found = dom.querySelector(document, input.selector);
  if (!found) return;
  let seen = 0;
  for (const element of dom.allElements(document)) {
    if (++seen > input.mostElements) return;
    if (!(element instanceof HTMLElement)) continue;
    const style = getComputedStyle(element);
    if (style.position !== "fixed" && style.position !== "sticky") continue;
    if (Number(style.zIndex) < 0 || element === found || dom.isRelated(element, found)) continue;
    const { width, height } = dom.box(element);
    if (width >= innerWidth && height >= innerHeight) continue;
    dom.setStyle(element, "visibility", "hidden");
  }
}

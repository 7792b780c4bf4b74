/// <reference lib="dom" />
import { GatewayError, invalid } from "../../../contract/errors.ts";
import { monotonicNow } from "../../../runtime/monotonic.ts";
import type { DomTools } from "../dom.ts";
import { evaluate } from "./isolated-world.ts";
import type { RenderedPage, Tab } from "../chromium/tab.ts";

/** Options of every call, whatever it reads from the page. */
export interface PageOptions {
  waitForSelector: string | undefined;
  acceptLanguage: string | undefined;
}

/** How often the selector is tried on the page. */
const askEveryMs = 50;

/** Applies the options that must hold before the navigation. */
export async function preparePage(tab: Tab, options: PageOptions): Promise<void> {
  if (options.acceptLanguage !== undefined) {
    tab.startAfter(
      tab.cdp.send("Emulation.setUserAgentOverride", {
        // An empty value keeps the default one.
        userAgent: "",
        acceptLanguage: languageTags(options.acceptLanguage).join(),
      }),
    );
  }
  if (options.waitForSelector !== undefined) {
    await checkSelector(tab, "wait_for_selector", options.waitForSelector);
  }
}

/** Throws the caller's error unless the text is a CSS selector. */
export async function checkSelector(tab: Tab, field: string, selector: string): Promise<void> {
  if (await tab.isSelector(selector)) return;
  throw wrongSelector(field);
}

export const wrongSelector = (field: string): GatewayError =>
  invalid("body", field, "invalid_selector", "must be a valid CSS selector");

/** Waits for the selector after the stage, for the rest of the stage's time. */
export async function awaitSelector(page: RenderedPage, options: PageOptions): Promise<void> {
  const selector = options.waitForSelector;
  if (selector === undefined) return;
  while (!(await evaluate(page.tab, matches, selector, page.timeLeft()))) {
    if (monotonicNow() + askEveryMs > page.stageEnds) {
      throw new GatewayError(
        "upstream_unavailable",
        "The page reached its stage, but nothing on it matched wait_for_selector in time",
        { status: 504, retryAfter: 5 },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
}

/** The tags of an Accept-Language value, best first; Chromium gives them weights of its own. */
export function languageTags(acceptLanguage: string): string[] {
  return acceptLanguage
    .split(",")
    .map((part) => {
      const [tag = "", weight] = part.split(";").map((piece) => piece.trim());
      return { tag, weight: weight === undefined ? 1 : Number(weight.replace(/^q=/, "")) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

/** Runs in the page. */
function matches(dom: DomTools, selector: string): boolean {
  return dom.querySelector(document, selector) !== null;
}

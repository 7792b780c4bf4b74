/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import type { RenderedPage, Tab } from "../chromium/tab.ts";
import { pageTooLarge } from "../chromium/failure.ts";
import { evaluate } from "./isolated-world.ts";
import { checkSelector } from "./page-options.ts";
import { plainText } from "./plain-text.ts";
import type { PlainText } from "./plain-text.ts";

export interface ValueSelector {
  selector: string;
  attribute?: string | undefined;
  /** True to read an absolute address: that of the attribute, or of the element's link or picture. */
  isUrl: boolean;
  many: boolean;
}

const limits = { matches: 1000, text: 50_000, characters: 2_000_000 };
type Input = typeof limits & { selectors: ValueSelector[] };

/** Throws the caller's error unless every selector is CSS. */
export async function checkSelectors(tab: Tab, selectors: readonly ValueSelector[]): Promise<void> {
  await Promise.all(
    selectors.map(({ selector }, index) =>
      checkSelector(tab, `selectors.${index}.selector`, selector),
    ),
  );
}

/**
 * Reads the values of each selector: a list of texts, with null for a match without a value. Throws when the
 * values are more than an answer holds, because a list with gaps would be wrong.
 */
export async function readSelected(
  page: RenderedPage,
  selectors: ValueSelector[],
): Promise<(string | null)[][]> {
  if (selectors.length === 0) return [];
  const input: Input = { ...limits, selectors };
  const found = await evaluate(page.tab, selectedValues, input, page.timeLeft(), {
    text: plainText,
  });
  if (found === undefined) throw pageTooLarge("values of selectors");
  return found;
}

/** Runs in the page. */
function selectedValues(
  dom: DomTools,
  input: Input,
  { text }: { text: PlainText },
): (string | null)[][] | undefined {
  let characters = 0;
  let isOver = false;
  function valueOf(element: Element, { attribute, isUrl }: ValueSelector): string | null {
    if (attribute !== undefined) {
      const stated = dom.attribute(element, attribute);
      return isUrl ? (dom.webUrl(stated) ?? null) : (stated?.trim() ?? null);
    }
    if (isUrl) {
      const address = dom.attribute(element, "src");
      return dom.linkTarget(element) ?? dom.webUrl(address) ?? null;
    }
    const shown = text.of(element, input.text);
    if (shown === undefined) isOver = true;
    return shown ?? null;
  }
  const values = input.selectors.map((selector) => {
    const matches = dom.matching(document, selector.selector);
    const list: (string | null)[] = [];
    for (const element of matches) {
      if (list.length === (selector.many ? input.matches : 1) || isOver) break;
      const value = valueOf(element, selector);
      characters += value?.length ?? 0;
      list.push(value === "" ? null : value);
    }
    if (selector.many && matches.length > input.matches) isOver = true;
    if (characters > input.characters) isOver = true;
    return list;
  });
  return isOver ? undefined : values;
}

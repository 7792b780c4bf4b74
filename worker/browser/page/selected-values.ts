/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import type { RenderedPage, Tab } from "../chromium/tab.ts";
import { pageTooLarge } from "../chromium/failure.ts";
import { evaluate } from "./isolated-world.ts";
import { checkSelector, wrongSelector } from "./page-options.ts";
import { isSelector } from "../plain/selector.ts";
import { plainText } from "./plain-text.ts";
import type { PlainText } from "./plain-text.ts";
import { selectedLimits, selectedReader } from "./selected-reader.ts";
import type { SelectedInput, SelectedReader, ValueSelector } from "./selected-reader.ts";

/** Throws the caller's error unless every selector is CSS that a page without a browser is read by as well. */
export async function checkSelectors(tab: Tab, selectors: readonly ValueSelector[]): Promise<void> {
  await Promise.all(
    selectors.map(({ selector }, index) => {
      const field = `selectors[${index}].selector`;
      if (!isSelector(selector)) throw wrongSelector(field);
      return checkSelector(tab, field, selector);
    }),
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
  const input: SelectedInput = { ...selectedLimits, selectors };
  const found = await evaluate(page.tab, selectedValues, input, page.timeLeft(), {
    text: plainText,
    selected: selectedReader,
  });
  if (found === undefined) throw tooManySelected();
  return found;
}

export const tooManySelected = () => pageTooLarge("values of selectors");

/** Runs in the page. */
const selectedValues = (
  _dom: DomTools,
  input: SelectedInput,
  { text, selected }: { text: PlainText; selected: SelectedReader },
): (string | null)[][] | undefined => selected.read(input, text);

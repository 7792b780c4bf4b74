/// <reference lib="dom" />
import type { ReadingTools } from "../dom.ts";
import type { PlainText } from "./plain-text.ts";

export interface ValueSelector {
  selector: string;
  attribute?: string | undefined;
  /** True to read an absolute address: that of the attribute, or of the element's link or picture. */
  isUrl: boolean;
  many: boolean;
}

export const selectedLimits = { matches: 1000, text: 50_000, characters: 2_000_000 };
export type SelectedInput = typeof selectedLimits & { selectors: ValueSelector[] };

export type SelectedReader = ReturnType<typeof selectedReader>;

/** Runs in the page, or on a document without one: reads values by selector; undefined beyond the limits. */
export function selectedReader(dom: ReadingTools) {
  function read(input: SelectedInput, text: PlainText): (string | null)[][] | undefined {
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
      const matches = dom.matching(dom.document, selector.selector);
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
  return { read };
}

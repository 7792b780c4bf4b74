import type { PlainPage } from "../../browser/plain/plain-page.ts";
import { wrongSelector } from "../../browser/plain/plain-dom.ts";
import { readPlainStatements } from "../../browser/plain/plain-statements.ts";
import { extractedOf } from "./extract.map.ts";
import { readMicroformats } from "./microformats.ts";
import type { Extracted } from "./placed.map.ts";
import type { Selector } from "./selected.map.ts";

export interface PlainExtractInput {
  selectors: readonly (Selector & { selector: string; attribute?: string | undefined })[];
  include_source: boolean;
}

/** Reasons of the caller's selectors why a page has no extract: the place of one that is no CSS, or too many values. */
export type ExtractRefusal = { selector: number } | "values";

/** Reads what a page states in machine-readable form, and the caller's own fields, from its HTML alone. */
export function extractOf(
  { document, base }: PlainPage,
  { text, url }: { text: string; url: string },
  { selectors, include_source: withSource }: PlainExtractInput,
): { extract: Omit<Extracted, "url"> } | { refusal: ExtractRefusal } {
  const wrong = wrongSelector(selectors.map(({ selector }) => selector));
  if (wrong !== undefined) return { refusal: { selector: wrong } };
  const { data, selected } = readPlainStatements(document, base, {
    selectors: selectors.map((one) => ({ ...one, isUrl: one.type === "url" })),
    withState: withSource,
  });
  if (!selected) return { refusal: "values" };
  const { items, isCut } =
    data.withMicroformats === undefined ? { items: [], isCut: false } : readMicroformats(text, url);
  const { url: _, ...extract } = extractedOf(
    { ...data, url, microformats: items, isCut: data.isCut || isCut },
    { selectors, selected, withSource },
  );
  return { extract };
}

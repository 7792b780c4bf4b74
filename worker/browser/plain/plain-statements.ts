import type { DefaultTreeAdapterTypes as Tree } from "parse5";
import { dataTables } from "../page/data-tables.ts";
import { plainText } from "../page/plain-text.ts";
import { type StatedData, statedLimits, statedReader } from "../page/stated-data.ts";
import { selectedLimits, selectedReader, type ValueSelector } from "../page/selected-reader.ts";
import { structuredItems } from "../page/structured-items.ts";
import { tableCells } from "../table-cells.ts";
import { plainDom } from "./plain-dom.ts";

interface PlainStatements {
  data: StatedData;
  /** Values of each selector; undefined where they are more than an answer holds. */
  selected: (string | null)[][] | undefined;
}

/** Reads what a document states in machine-readable form, by the readers of rendered pages. */
export function readPlainStatements(
  document: Tree.Document,
  base: string,
  { selectors, withState }: { selectors: ValueSelector[]; withState: boolean },
): PlainStatements {
  const dom = plainDom(document, base);
  const text = plainText(dom);
  const readers = {
    text,
    items: structuredItems(dom),
    tables: dataTables(dom),
    places: tableCells(dom),
  };
  return {
    data: statedReader(dom).read({ ...statedLimits, withState }, readers),
    selected: selectedReader(dom).read({ ...selectedLimits, selectors }, text),
  };
}

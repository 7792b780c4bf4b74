/// <reference lib="dom" />
import type { ReadingTools } from "./dom.ts";

export type TableCells = ReturnType<typeof tableCells>;

/** Runs in the page, or on a document without one: the rows of a table, and the places that a cell takes. */
export function tableCells(dom: ReadingTools) {
  const isRow = (element: Element) => dom.localName(element) === "tr";

  /** A stated number begins with its digits, whatever follows. */
  function stated(cell: Element, name: string, largest: number): number {
    const digits = /^\s*\+?(\d{1,9})/.exec(dom.attribute(cell, name) ?? "")?.[1];
    return Math.min(Math.max(Number(digits ?? 1), 1), largest);
  }

  return {
    /** Rows of a table without those of tables in its cells. A cell ends with its row group, the parent of its row. */
    rows: (table: Element): Element[] =>
      dom
        .childElements(table)
        .flatMap((part) => (isRow(part) ? [part] : dom.childElements(part).filter(isRow))),

    columns: (cell: Element): number => stated(cell, "colspan", 1000),

    /** Infinity for a `rowspan` of 0: all further rows of the group. */
    height: (cell: Element): number =>
      /^\s*\+?0+(?!\d)/.test(dom.attribute(cell, "rowspan") ?? "")
        ? Infinity
        : stated(cell, "rowspan", 65_534),
  };
}

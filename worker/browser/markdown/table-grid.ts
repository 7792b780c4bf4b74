/// <reference lib="dom" />
import type { ReadingTools } from "../dom.ts";
import type { TableCells } from "../table-cells.ts";

export type TableGrids = ReturnType<ReturnType<typeof tableGrids>>;
export type TableGrid = ReturnType<TableGrids["create"]>;

/**
 * Runs in the page, or on a document without one: makes rows with spanning cells into the rectangular table that
 * Markdown needs.
 */
export function tableGrids(dom: ReadingTools) {
  const mostColumns = 100;
  /** Characters of a heading, a quote, code or the like in one cell of a grid; longer ones are parts of the page. */
  const longestPart = 2000;

  const parts = /^(?:table|pre|h[1-4]|blockquote|article|section|form|hr)$/;
  const isPart = (node: Node) => dom.isElement(node) && parts.test(dom.localName(node));
  const isCell = (node: Node) => dom.isElement(node) && /^t[dh]$/.test(dom.localName(node));

  /** Whether a node under `top` is such a one; without selectors, which are slow on deep documents without a browser. */
  function some(top: Element, is: (node: Node) => boolean): boolean {
    let node = dom.firstChild(top);
    while (node) {
      if (is(node)) return true;
      let next = dom.firstChild(node);
      for (let here: Node = node; !next;) {
        next = dom.nextSibling(here);
        const parent = dom.parentNode(here);
        if (!next && (!parent || parent === top)) return false;
        if (parent) here = parent;
      }
      node = next;
    }
    return false;
  }

  function isBesideCell(node: Node): boolean {
    if (!isCell(node)) return false;
    let next = dom.nextSibling(node);
    while (next && !dom.isElement(next)) next = dom.nextSibling(next);
    return next !== null && isCell(next);
  }

  function isLong(cell: Element): boolean {
    let length = 0;
    return some(cell, (node) => {
      if (dom.nodeType(node) === 3) length += dom.nodeValue(node)?.length ?? 0;
      return length > longestPart;
    });
  }

  /** Whether a table is a grid of data. A table that only places parts of the page becomes blocks. */
  function isData(element: Element, places: TableCells): boolean {
    const role = dom.attribute(element, "role");
    if (role === "presentation" || role === "none") return false;
    if (!some(element, isBesideCell)) return false;
    if (!some(element, isPart)) return true;
    const rows = places
      .rows(element)
      .map(dom.childElements)
      .filter((cells) => cells.length > 1);
    const cells = rows.flat();
    const withParts = cells.filter((one) => some(one, isPart));
    if (withParts.some(isLong)) return false;
    if (cells.some((one) => dom.localName(one) === "th")) return true;
    return rows.length > 1 && withParts.length * 2 <= cells.length;
  }

  /** Cells beyond `mostCells`, with the empty ones that fill rows up, are left out. */
  function create(mostCells: number, places: TableCells) {
    const rows: { cells: string[]; header: boolean }[] = [];
    /** Cells of the open row; undefined where no further row is taken. */
    let open: string[] | undefined;
    let width = 0;
    /** Number of rows that a cell above still covers, by column. */
    const covered: number[] = [];
    let group: Node | null = null;

    function push(cells: string[], html: string): void {
      cells.push(html);
      width = Math.max(width, cells.length);
    }

    const hasRoom = (cells: string[]) =>
      cells.length < width ||
      (cells.length < mostColumns && rows.length * (cells.length + 1) <= mostCells);

    function skipCovered(cells: string[]): void {
      while ((covered[cells.length] ?? 0) > 0 && hasRoom(cells)) {
        covered[cells.length] = (covered[cells.length] ?? 1) - 1;
        push(cells, "");
      }
    }

    return {
      startRow(row: Element): void {
        // A cell ends with its row group.
        if (dom.parentNode(row) !== group) covered.length = 0;
        group = dom.parentNode(row);
        open = (rows.length + 1) * width <= mostCells ? [] : undefined;
        const names = dom.childElements(row).map(dom.localName);
        const header = names.includes("th") && !names.includes("td");
        if (open) rows.push({ cells: open, header });
      },

      /** Adds a cell; empty cells stand where it spans further columns or rows. */
      addCell(html: string, cell: Element): void {
        if (!open) return;
        skipCovered(open);
        const columns = places.columns(cell);
        const height = places.height(cell);
        for (let index = 0; index < columns && hasRoom(open); index += 1) {
          if (height > 1) covered[open.length] = height - 1;
          push(open, index === 0 ? html : "");
        }
      },

      endRow(): void {
        if (open) skipCovered(open);
      },

      /** A table without a header row gets an empty one. */
      html(): string {
        const filled = rows.filter((row) => row.cells.some(Boolean));
        const most = filled.reduce((widest, row) => Math.max(widest, row.cells.length), 0);
        if (most === 0) return "";
        const line = (cells: readonly string[], tag: string) =>
          `<tr>${Array.from({ length: most }, (_, index) => `<${tag}>${cells[index] ?? ""}</${tag}>`).join("")}</tr>`;
        const [first, ...others] = filled;
        const head = first?.header ? first.cells : [];
        const body = first?.header ? others : filled;
        const lines = body.map((row) => line(row.cells, "td")).join("");
        return `<table><thead>${line(head, "th")}</thead><tbody>${lines}</tbody></table>`;
      },
    };
  }

  return (places: TableCells) => ({
    isData: (element: Element) => isData(element, places),
    create: (mostCells: number) => create(mostCells, places),
  });
}

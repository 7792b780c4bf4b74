/// <reference lib="dom" />
import type { ReadingTools } from "../dom.ts";
import type { TableCells } from "../table-cells.ts";
import type { PlainText } from "./plain-text.ts";
import type { Allowance } from "./structured-items.ts";

export interface DataTable {
  caption?: string;
  header?: string[];
  rows: string[][];
}

interface Readers {
  text: PlainText;
  places: TableCells;
}

export type DataTables = ReturnType<typeof dataTables>;

/** Runs in the page, or on a document without one: reads tables of data, with spanning cells repeated in each place that they take. */
export function dataTables(dom: ReadingTools) {
  const most = { tables: 100, rows: 1000, columns: 100, text: 5000 };

  function tableOf(
    table: Element,
    allowance: Allowance,
    { text, places }: Readers,
  ): DataTable | undefined {
    const grid: string[][] = [];
    /** Texts that hang down into the next rows, by column. */
    const hanging = new Map<number, { text: string; rows: number }>();
    let isHeader = false;
    let group: Node | null = null;
    for (const row of places.rows(table)) {
      if (grid.length === most.rows || !allowance.visit()) {
        allowance.cut();
        break;
      }
      // A cell ends with its row group.
      if (dom.parentNode(row) !== group) hanging.clear();
      group = dom.parentNode(row);
      const cells: string[] = [];
      /** A text that is repeated counts each time. */
      const push = (text: string) => {
        if (allowance.visit()) cells.push(allowance.keep(text) ?? "");
      };
      const fill = () => {
        for (let down = hanging.get(cells.length); down; down = hanging.get(cells.length)) {
          if (down.rows === 1) hanging.delete(cells.length);
          else down.rows -= 1;
          push(down.text);
        }
      };
      let heads = 0;
      const own = dom
        .childElements(row)
        .filter((cell) => ["td", "th"].includes(dom.localName(cell)));
      for (const cell of own) {
        fill();
        if (dom.localName(cell) === "th") heads += 1;
        const shown = text.of(cell, most.text);
        if (shown === undefined) allowance.cut();
        const columns = Math.min(places.columns(cell), most.columns);
        const rows = Math.min(places.height(cell), most.rows);
        for (let column = 0; column < columns; column += 1) {
          if (cells.length >= most.columns) {
            allowance.cut();
            return undefined;
          }
          if (rows > 1) hanging.set(cells.length, { text: shown ?? "", rows: rows - 1 });
          push(shown ?? "");
        }
      }
      fill();
      if (own.length === 0) continue;
      if (grid.length === 0) isHeader = heads === own.length;
      grid.push(cells);
    }
    if (grid.length < 2 || Math.max(...grid.map((row) => row.length)) < 2) return undefined;
    const [first, ...rest] = grid;
    const captioned = dom.querySelectorIn(table, "caption");
    const caption = captioned && allowance.keep(text.of(captioned, most.text));
    return {
      ...(caption ? { caption } : {}),
      ...(isHeader && first ? { header: first, rows: rest } : { rows: grid }),
    };
  }

  return {
    all(allowance: Allowance, readers: Readers): DataTable[] {
      const tables: DataTable[] = [];
      for (const table of dom.matching(dom.document, "table:not(:has(table)):not(table table)")) {
        if (/^(presentation|none)$/i.test(dom.attribute(table, "role") ?? "")) continue;
        if (tables.length === most.tables || !allowance.visit()) {
          allowance.cut();
          break;
        }
        const read = tableOf(table, allowance, readers);
        if (read) tables.push(read);
      }
      return tables;
    },
  };
}

import type { Writer } from "./writer.ts";

/** Cells of one sheet. */
const mostCells = 500_000;

/** Cells of a sheet, whose rows and columns without any value are left out. */
export class CellGrid {
  isCut = false;
  readonly #rows: Map<number, string>[] = [];
  #cells = 0;

  addRow(row: Map<number, string>): void {
    for (const [column, value] of row) if (value.trim() === "") row.delete(column);
    if (row.size === 0) return;
    this.#cells += row.size;
    if (this.#cells > mostCells) this.isCut = true;
    else this.#rows.push(row);
  }

  write(writer: Writer): void {
    const columns = [...new Set(this.#rows.flatMap((row) => [...row.keys()]))];
    columns.sort((one, other) => one - other);
    writer.table(
      this.#rows.map((row) =>
        columns.map((column) => {
          const value = row.get(column);
          return value === undefined ? [] : [value];
        }),
      ),
    );
  }
}

export type TableGrids = ReturnType<typeof tableGrids>;
export type TableGrid = ReturnType<TableGrids["create"]>;

/** Runs in the page: makes rows with spanning cells into the rectangular table that Markdown needs. */
export function tableGrids() {
  const mostColumns = 100;

  function create() {
    const rows: { cells: string[]; header: boolean }[] = [];
    /** Number of rows that a cell above still covers, by column. */
    const covered: number[] = [];

    function skipCovered(cells: string[]): void {
      while ((covered[cells.length] ?? 0) > 0 && cells.length < mostColumns) {
        covered[cells.length] = (covered[cells.length] ?? 1) - 1;
        cells.push("");
      }
    }

    return {
      startRow(header: boolean): void {
        rows.push({ cells: [], header });
      },

      /** Adds a cell; empty cells stand where it spans further columns or rows. */
      addCell(html: string, columns: number, height: number): void {
        const cells = rows.at(-1)?.cells;
        if (!cells) return;
        skipCovered(cells);
        for (let index = 0; index < columns && cells.length < mostColumns; index += 1) {
          if (height > 1) covered[cells.length] = height - 1;
          cells.push(index === 0 ? html : "");
        }
      },

      endRow(): void {
        const cells = rows.at(-1)?.cells;
        if (cells) skipCovered(cells);
      },

      /** A table without a header row gets an empty one. */
      html(): string {
        const filled = rows.filter((row) => row.cells.some(Boolean));
        const width = filled.reduce((most, row) => Math.max(most, row.cells.length), 0);
        if (width === 0) return "";
        const line = (cells: readonly string[], tag: string) =>
          `<tr>${Array.from({ length: width }, (_, index) => `<${tag}>${cells[index] ?? ""}</${tag}>`).join("")}</tr>`;
        const [first, ...others] = filled;
        const head = first?.header ? first.cells : [];
        const body = first?.header ? others : filled;
        const lines = body.map((row) => line(row.cells, "td")).join("");
        return `<table><thead>${line(head, "th")}</thead><tbody>${lines}</tbody></table>`;
      },
    };
  }

  return { create };
}

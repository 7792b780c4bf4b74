/** The output of a command, for programs and for people. */
export interface Output {
  /** The JSON document that `--json` prints. */
  json: unknown;
  text: string;
  /** The command ran and found a problem: exit code 1. */
  failed?: boolean;
}

export type Print = (output: Output) => void;

type Cell = string | number | boolean;

const show = (cell: Cell): string =>
  typeof cell === "boolean" ? (cell ? "yes" : "no") : String(cell);

/** Columns under headings; a column of numbers is aligned to the right. */
export function table(headings: string[], rows: Cell[][]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => show(row[column] ?? "").length)),
  );
  const numeric = headings.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === "number"),
  );
  const line = (cells: Cell[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return numeric[column] ? show(cell).padStart(width) : show(cell).padEnd(width);
      })
      .join("  ")
      .trimEnd();
  return [headings, ...rows].map(line).join("\n");
}

/** A name and its value per line. */
export function fields(values: Record<string, Cell>): string {
  const names = Object.keys(values);
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `${name.padEnd(width)}  ${show(values[name] ?? "")}`).join("\n");
}

/** A time for people, to the second. */
export const moment = (date: Date | null): string =>
  date === null ? "-" : `${date.toISOString().slice(0, 19).replace("T", " ")}Z`;

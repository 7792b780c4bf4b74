import type { Cell, Line } from "./pdf-lines.ts";
import type { Writer } from "./writer.ts";

/** A line as a heading: letters this much larger than those of the body, and no longer than that. */
const heading = { ratio: 1.15, characters: 200, levels: 4, share: 0.3 };
/** Lines of a paragraph follow each other within this many heights of their letters. */
const pitch = { paragraph: 1.6, table: 3 };
/** Cells of a table are shorter than lines of text in columns. */
const prose = { characters: 30, rows: 4 };

/** The level of a heading by the height of its letters; undefined for the body's. */
export type Levels = (size: number) => number | undefined;

const rounded = (size: number) => Math.round(size * 2) / 2;

/** Finds which heights of letters are those of headings: larger than the body's, and rare. */
export function levelsOf(lines: readonly Line[]): Levels {
  const characters = new Map<number, number>();
  let total = 0;
  for (const { text, size } of lines) {
    characters.set(rounded(size), (characters.get(rounded(size)) ?? 0) + text.length);
    total += text.length;
  }
  const [body = 0] = [...characters].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  const sizes = [...characters]
    .filter(([size, count]) => size >= body * heading.ratio && count < total * heading.share)
    .map(([size]) => size)
    .toSorted((one, other) => other - one);
  return (size) => {
    const at = sizes.indexOf(rounded(size));
    return at === -1 ? undefined : Math.min(at + 1, heading.levels);
  };
}

/** Writes a page's lines as headings, paragraphs, lists and tables. */
export function writeLines(lines: readonly Line[], levels: Levels, writer: Writer): void {
  for (let at = 0; at < lines.length;) {
    const grid = gridAt(lines, at);
    if (grid) {
      if (grid.isProse) writeColumns(grid, writer);
      else writer.table(grid.rows.map((row) => row.map((text) => [text])));
      at += grid.rows.length;
      continue;
    }
    const block = blockAt(lines, at, levels);
    at += block.length;
    const level = levels(block[0]?.size ?? 0);
    const text = block.map((line) => line.text);
    const item = /^[•◦▪‣●○■]\s*(?=\S)/.exec(text[0] ?? "")?.[0];
    if (level !== undefined && isTitle(block)) writer.heading(level, [text.join(" ")]);
    else if (item !== undefined) writer.item(0, false, [text.join(" ").slice(item.length)]);
    else writer.paragraph([text.join("\n")]);
  }
}

const isTitle = (lines: readonly Line[]) => {
  const text = lines.map((line) => line.text).join(" ");
  return text.length <= heading.characters && /\p{L}/u.test(text);
};

/** The lines from here on that belong together. */
function blockAt(lines: readonly Line[], start: number, levels: Levels): Line[] {
  const block: Line[] = [];
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at] as Line;
    const last = block.at(-1);
    if (last) {
      const apart = last.y - line.y;
      const isNear = line.angle === last.angle && apart > 0 && apart <= pitch.paragraph * line.size;
      const isOther = levels(line.size) !== levels(last.size) || /^[•◦▪‣●○■]/.test(line.text);
      if (!isNear || isOther || gridAt(lines, at)) break;
    }
    block.push(line);
  }
  return block;
}

interface Grid {
  /** A row has a text for each column, which may be empty. */
  rows: string[][];
  columns: number;
  isProse: boolean;
}

/** The table that begins at a line: lines of several cells whose cells stand in columns of their own. */
function gridAt(lines: readonly Line[], start: number): Grid | undefined {
  let columns: Cell[] = [];
  const rows: Line[] = [];
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at] as Line;
    const last = rows.at(-1);
    const isNear = !last || (last.y > line.y && last.y - line.y <= pitch.table * line.size);
    if (line.cells.length < 2 || !isNear || (last && last.angle !== line.angle)) break;
    // A cell that crosses columns of other rows means that the rows are no table.
    if (line.cells.some((cell) => columns.filter((column) => isOver(cell, column)).length > 1))
      break;
    const merged = mergedColumns(columns, line.cells);
    if (!standApart(line.cells, merged)) break;
    columns = merged;
    rows.push(line);
  }
  const isEnough = columns.length > 2 ? rows.length >= 2 : rows.length >= 3;
  if (!isEnough) return undefined;
  const placed = rows.map(({ cells }) =>
    columns.map((column) => cells.find((one) => isOver(one, column))?.text ?? ""),
  );
  const all = rows.flatMap(({ cells }) => cells);
  const average = all.reduce((sum, { text }) => sum + text.length, 0) / all.length;
  const isProse = average >= prose.characters && rows.length >= prose.rows;
  return { rows: placed, columns: columns.length, isProse };
}

/** Unions of what overlaps along the line, from left to right. */
function mergedColumns(columns: readonly Cell[], cells: readonly Cell[]): Cell[] {
  const merged: Cell[] = [];
  for (const cell of [...columns, ...cells].toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last && cell.from < last.to) last.to = Math.max(last.to, cell.to);
    else merged.push({ ...cell });
  }
  return merged;
}

const isOver = (one: Cell, other: Cell) => one.from < other.to && one.to > other.from;

const standApart = (cells: readonly Cell[], columns: readonly Cell[]) =>
  columns.every((column) => cells.filter((cell) => isOver(cell, column)).length < 2);

/** Text in columns that the file draws line by line is read column by column. */
function writeColumns({ rows, columns }: Grid, writer: Writer): void {
  for (let column = 0; column < columns; column += 1) {
    const lines = rows.map((row) => row[column] ?? "").filter((text) => text !== "");
    writer.paragraph([lines.join("\n")]);
  }
}

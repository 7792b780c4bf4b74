/** A piece of text as pdf.js reports it. */
export interface TextItem {
  str: string;
  dir: string;
  width: number;
  /** Of text space to page space: a, b, c, d, e, f. */
  transform: readonly number[];
}

interface Run {
  text: string;
  isRightToLeft: boolean;
  /** Along the line, and across it. */
  x: number;
  y: number;
  width: number;
  size: number;
  /** Rounded degrees. */
  angle: number;
}

export interface Cell {
  text: string;
  from: number;
  to: number;
}

/** A line of text; a wide gap divides it into cells. */
export interface Line {
  text: string;
  cells: Cell[];
  y: number;
  size: number;
  angle: number;
}

/** A gap of this many heights of the letters divides cells; one of the smaller number divides words. */
const gaps = { cell: 1.5, word: 0.15 };

/** Puts the text of a page into lines, in the order in which the file draws it, which is mostly that of reading. */
export function linesOf(items: readonly TextItem[]): Line[] {
  const lines: Run[][] = [];
  for (const item of items) {
    const run = runOf(item);
    if (run.text.trim() === "") continue;
    const line = lines.at(-1);
    const last = line?.at(-1);
    if (line && last && isSameLine(last, run)) line.push(run);
    else lines.push([run]);
  }
  return lines.map(lineOf);
}

function runOf({ str, dir, width, transform }: TextItem): Run {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = transform;
  const length = Math.hypot(a, b) || 1;
  const [ux, uy] = [a / length, b / length];
  return {
    text: str,
    isRightToLeft: dir === "rtl",
    x: e * ux + f * uy,
    y: f * ux - e * uy,
    width,
    size: Math.hypot(c, d) || length,
    angle: Math.round((Math.atan2(b, a) * 180) / Math.PI),
  };
}

function isSameLine(last: Run, run: Run): boolean {
  const size = Math.max(last.size, run.size);
  if (last.angle !== run.angle || Math.abs(last.y - run.y) > size / 2) return false;
  const isAfter = run.x >= last.x + last.width - size / 2;
  const isBefore = run.x + run.width <= last.x + size / 2;
  return isAfter || (isBefore && (last.isRightToLeft || run.isRightToLeft));
}

function lineOf(runs: readonly Run[]): Line {
  const lengthOf = (some: readonly Run[]) => some.reduce((sum, { text }) => sum + text.length, 0);
  const largest = runs.reduce((most, run) => (run.text.length > most.text.length ? run : most));
  const backwards = runs.filter(({ isRightToLeft }) => isRightToLeft);
  const isRightToLeft = lengthOf(backwards) * 2 > lengthOf(runs);
  const ordered = isRightToLeft ? rightToLeft(runs) : runs;
  const cells: Cell[] = [];
  let last: Run | undefined;
  for (const run of ordered) {
    const [from, to] = [run.x, run.x + run.width];
    const gap = last === undefined ? 0 : Math.max(run.x - last.x - last.width, last.x - to);
    const cell = cells.at(-1);
    if (!cell || gap > gaps.cell * run.size) cells.push({ text: run.text, from, to });
    else {
      const isApart = gap > gaps.word * run.size && !/\s$/.test(cell.text);
      cell.text += `${isApart ? " " : ""}${run.text}`;
      cell.from = Math.min(cell.from, from);
      cell.to = Math.max(cell.to, to);
    }
    last = run;
  }
  for (const cell of cells) cell.text = cell.text.replace(/\s+/g, " ").trim();
  return {
    text: cells.map(({ text }) => text).join(" "),
    cells,
    y: largest.y,
    size: largest.size,
    angle: largest.angle,
  };
}

/** From right to left, except runs of the other direction that follow each other. */
function rightToLeft(runs: readonly Run[]): Run[] {
  const sorted = runs.toSorted((one, other) => other.x - one.x);
  const ordered: Run[] = [];
  let held: Run[] = [];
  for (const run of sorted) {
    if (run.isRightToLeft) {
      ordered.push(...held, run);
      held = [];
    } else held.unshift(run);
  }
  return [...ordered, ...held];
}

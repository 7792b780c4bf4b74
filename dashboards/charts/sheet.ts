/// <reference lib="dom" />

/* Functions of the browser that read the table of a chart. They are sent as their own text (draw.ts). */

export interface Line {
  name: string;
  kind: string;
  unit: string;
  rest: number | null;
  values: (number | null)[];
  texts: string[];
}

/** The figures of a table, with a point wherever a line begins or ends. Times are in seconds, as uPlot has them. */
export interface Sheet {
  from: number;
  to: number;
  isLogarithmic: boolean;
  times: number[];
  moments: string[];
  lines: Line[];
}

export function numberOf(cell: HTMLElement): number | null {
  const value = Number(cell.dataset["value"] ?? (cell.textContent ?? "").replaceAll(",", ""));
  return Number.isFinite(value) ? value : null;
}

export function linesOf(table: HTMLTableElement): Line[] {
  return [...(table.tHead?.rows[0]?.cells ?? [])].slice(1).map((head) => {
    const { kind = "", unit = "", rest } = head.dataset;
    const name = head.textContent ?? "";
    return {
      name,
      kind,
      unit,
      rest: rest === undefined ? null : Number(rest),
      values: [],
      texts: [],
    };
  });
}

export function readSheet(table: HTMLTableElement): Sheet {
  const [from, to, step] = ["from", "to", "step"].map((name) => Number(table.dataset[name]) / 1000);
  if (from === undefined || to === undefined || step === undefined) throw new Error("no bounds");
  const isLogarithmic = table.dataset["scale"] === "log";
  const sheet: Sheet = { from, to, isLogarithmic, times: [], moments: [], lines: linesOf(table) };
  const add = (at: number, moment: string, cells: readonly HTMLElement[]) => {
    sheet.times.push(at);
    sheet.moments.push(moment);
    for (const [index, { rest, values, texts }] of sheet.lines.entries()) {
      const cell = cells[index];
      const value = cell ? numberOf(cell) : rest;
      values.push(isLogarithmic && value !== null ? Math.max(value, 1) : value);
      texts.push(cell?.textContent ?? (rest === null ? "–" : String(rest)));
    }
  };
  const momentOf = (at: number) => new Date(at * 1000).toISOString().slice(11, 16);
  let last = from - step;
  for (const row of table.tBodies[0]?.rows ?? []) {
    const [head, ...cells] = row.cells;
    const at = Number(head?.dataset["at"]) / 1000;
    if (at - last > 1.5 * step) {
      add(last + step, momentOf(last + step), []);
      if (at - last > 2.5 * step) add(at - step, momentOf(at - step), []);
    }
    add(at, head?.textContent ?? "", cells);
    last = at;
  }
  const ended = [...(table.tBodies[0]?.rows[table.tBodies[0].rows.length - 1]?.cells ?? [])];
  if (to - last > 2.5 * step) {
    for (const at of [last + step, to]) add(at, momentOf(at), []);
  } else if (ended.length > 0) {
    // The last values hold for their step, though not beyond now.
    add(Math.min(last + step, to), sheet.moments.at(-1) ?? "", ended.slice(1));
  }
  return sheet;
}

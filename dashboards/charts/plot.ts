import { escape } from "../frame.ts";

/**
 * A chart over time. The page carries its figures once, as a table: readers without scripts and those who hear the
 * page have the table, and the script of [draw.ts](draw.ts) draws the chart of it above.
 */

export interface Column {
  name: string;
  /** CSS class that colours the line and its key. */
  kind: "calls" | "failed" | "wait" | "desired" | "actual" | "p50" | "p95" | "p99";
  /** Lines of one unit share an axis; "ms" has ticks in milliseconds and seconds. */
  unit: string;
  /** The value where there is no row; without it there is none. */
  rest?: number;
}

export interface Row {
  /** Unix time in milliseconds from which on the values hold, for one step. */
  at: number;
  values: readonly (number | undefined)[];
}

export interface Plot {
  /** In words for those who do not see the chart, with its pool, time and highest values. */
  label: string;
  columns: readonly Column[];
  /** Oldest first. */
  rows: readonly Row[];
  /** Unix times in milliseconds, the bounds of the time axis. */
  from: number;
  to: number;
  /** Milliseconds between two rows where none is left out. */
  stepMs: number;
  /** Draws factors instead of differences. */
  isLogarithmic?: boolean;
  show: (value: number, column: Column) => string;
}

const dayMs = 86_400_000;
const plain = (text: string) => Number(text.replaceAll(",", ""));

function cellOf(value: number | undefined, text: string): string {
  if (value === undefined) return "<td>–</td>";
  // The rounded value is enough for a line, and a text that is the number needs no second one.
  const drawn = Number(value.toPrecision(4));
  return plain(text) === drawn ? `<td>${text}</td>` : `<td data-value="${drawn}">${text}</td>`;
}

export function plot(view: Plot): string {
  const { label, columns, rows, from, to, stepMs, isLogarithmic, show } = view;
  const hasDate = to - from >= dayMs / 2;
  const moment = (at: number) =>
    new Date(at)
      .toISOString()
      .slice(hasDate ? 5 : 11, 16)
      .replace("T", " ");
  const heads = columns.map(
    ({ name, kind, unit, rest }) =>
      `<th scope="col" data-kind="${kind}" data-unit="${unit}"${rest === undefined ? "" : ` data-rest="${rest}"`}>${name}</th>`,
  );
  const lines = rows.map(
    ({ at, values }) =>
      `<tr><th scope="row" data-at="${at}">${moment(at)}</th>${columns
        .map((column, index) => {
          const value = values[index];
          return cellOf(value, value === undefined ? "" : show(value, column));
        })
        .join("")}</tr>`,
  );
  const scale = isLogarithmic ? ' data-scale="log"' : "";
  return `<div class="plotted"><div class="plot" role="img" tabindex="0" aria-label="${escape(label)}"></div><details><summary>Figures</summary><table data-from="${from}" data-to="${to}" data-step="${stepMs}"${scale}><caption>${escape(label)}</caption><thead><tr><th scope="col">From (UTC)</th>${heads.join("")}</tr></thead><tbody>${lines.join("\n")}</tbody></table></details></div>`;
}

/** The head of a page with charts. */
export const chartHead =
  '<link rel="stylesheet" href="/uplot.css"><script src="/uplot.js" defer></script><script src="/charts.js" defer></script>';

import { ms } from "../timeline/timeline.ts";
import type { Quantiles } from "./read.ts";

/** Line charts of quantiles over time, drawn on the server because our pages have no scripts. */

const width = 320;
const height = 116;
const left = 40;
const bottom = 20;
const top = 6;
/** CSS classes of the lines. The slowest is drawn first, so that p50 lies on top. */
export const lineNames = ["p50", "p95", "p99"] as const;

/** Milliseconds at which the axis may begin and end. */
const ticks = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];

export function quantileChart(points: readonly Quantiles[], label: string, span: string): string {
  const values = points.flat().filter((value) => value !== undefined);
  if (values.length === 0) {
    return `<svg class="times" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}: no jobs"><text x="${width / 2}" y="${height / 2}" class="middle">no jobs</text></svg>`;
  }
  const lowest = Math.min(...values);
  const highest = Math.max(...values);
  const least = ticks.findLast((tick) => tick <= lowest) ?? 1;
  const most = ticks.find((tick) => tick >= highest && tick > least) ?? 1_000_000;
  // A logarithmic axis, because the factor between two times matters, not their difference.
  const y = (value: number) =>
    top +
    (1 - Math.log(Math.max(value, least) / least) / Math.log(most / least)) *
      (height - bottom - top);
  const x = (at: number) => left + (at / Math.max(1, points.length - 1)) * (width - left - 4);
  const grid = ticks
    .filter((tick) => tick >= least && tick <= most)
    .map(
      (tick) =>
        `<line x1="${left}" x2="${width}" y1="${y(tick).toFixed(1)}" y2="${y(tick).toFixed(1)}" class="grid"/><text x="${left - 4}" y="${(y(tick) + 3).toFixed(1)}" class="end">${ms(tick)}</text>`,
    );
  const lines = lineNames
    .map((name, part) => {
      let path = "";
      let dots = "";
      for (const [at, quantiles] of points.entries()) {
        const value = quantiles[part];
        if (value === undefined) continue;
        const before = points[at - 1]?.[part] !== undefined;
        const spot = `${x(at).toFixed(1)},${y(value).toFixed(1)}`;
        path += `${before ? "L" : "M"}${spot}`;
        // A single point between two gaps gets a dot, because a line without length is invisible.
        if (!before && points[at + 1]?.[part] === undefined) {
          const [cx, cy] = spot.split(",");
          dots += `<circle cx="${cx}" cy="${cy}" r="1.8" class="${name}"/>`;
        }
      }
      return `<path d="${path}" class="${name}"/>${dots}`;
    })
    .toReversed();
  return `<svg class="times" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${grid.join("")}${lines.join("")}<text x="${left}" y="${height - 4}">${span} ago</text><text x="${width}" y="${height - 4}" class="end">now</text></svg>`;
}

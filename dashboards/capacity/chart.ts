/** Step charts, drawn on the server because our pages have no scripts. */

export interface Line {
  /** CSS class. */
  kind: "desired" | "actual" | "calls" | "errors" | "waits";
  points: { at: number; value: number }[];
}

const width = 600;
const height = 90;

/** A step chart over time (Unix milliseconds). A value holds until the next point, for at most `gapMs`. */
export function stepChart(view: {
  lines: readonly Line[];
  from: number;
  to: number;
  gapMs: number;
  label: string;
}): string {
  const { lines, from, to, gapMs, label } = view;
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(({ value }) => value)));
  const x = (at: number) => (((at - from) / (to - from)) * width).toFixed(1);
  const y = (value: number) => (height - 2 - (value / most) * (height - 6)).toFixed(1);
  const paths = lines.map(({ kind, points }) => {
    const parts = points.map(({ at, value }, index) => {
      const before = points[index - 1];
      const end = Math.min(points[index + 1]?.at ?? at + gapMs, at + gapMs, to);
      const isNew = !before || at - before.at > gapMs;
      return `${isNew ? "M" : "L"}${x(at)},${y(value)}H${x(end)}`;
    });
    return `<path class="line ${kind}" d="${parts.join("")}"/>`;
  });
  return `<svg class="chart" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}"><path class="line grid" d="M0,${y(0)}H${width}"/>${paths.join("")}</svg>`;
}

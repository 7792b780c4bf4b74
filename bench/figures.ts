/** One line of the table: the gateway beside its floor, alternating in the same run. */
export interface Figure {
  name: string;
  unit: string;
  ours: Spread;
  floor?: Spread;
  /** The gateway's figure divided by the floor's, by round. */
  ratio?: Spread;
  goal: string;
}

export interface Spread {
  median: number;
  least: number;
  most: number;
}

/** Of an even number of values the mean of the middle two: the upper one alone would flatter rates. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const half = sorted.length >> 1;
  return sorted.length % 2 === 0 ? (at(half - 1) + at(half)) / 2 : at(half);
}

export function spread(values: readonly number[]): Spread {
  if (values.length === 0) return { median: Number.NaN, least: Number.NaN, most: Number.NaN };
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** Ratios of pairs measured back to back, so that a drift of the machine cancels out. */
export function pairs(
  name: string,
  unit: string,
  goal: string,
  ours: readonly number[],
  floor: readonly number[],
): Figure {
  return {
    name,
    unit,
    goal,
    ours: spread(ours),
    floor: spread(floor),
    ratio: spread(ours.map((value, index) => value / (floor[index] as number))),
  };
}

/** Goals of the form "≥ 3 x" apply to the ratio. */
function withVerdict(goal: string, ratio: Spread | undefined): string {
  const [, sign, bound] = /^([≥≤]) ([\d.]+) x$/.exec(goal) ?? [];
  if (bound === undefined || !ratio) return goal;
  const isMet = sign === "≥" ? ratio.median >= Number(bound) : ratio.median <= Number(bound);
  return `${goal}: ${isMet ? "met" : "NOT met"}`;
}

export function table(figures: readonly Figure[]): string {
  const number = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
  const cell = (value: Spread | undefined) =>
    value ? `${number(value.median)} (${number(value.least)}–${number(value.most)})` : "";
  const rows = figures.map(
    ({ name, unit, ours, floor, ratio, goal }) =>
      `| ${name} | ${unit} | ${cell(ours)} | ${cell(floor)} | ${cell(ratio)} | ${withVerdict(goal, ratio)} |`,
  );
  return [
    "| what | unit | ours: median (least–most) | floor | ratio | goal |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

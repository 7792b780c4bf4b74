import type { Sampler } from "./sampler.ts";
import type { Seen } from "./traffic.ts";
import { levels } from "./verdict.ts";

interface Soaked {
  seconds: number;
  rates: Readonly<Record<string, number>>;
  /** Names of the faults in their order. */
  faults: readonly string[];
  seen: readonly Seen[];
  sampler: Sampler;
  before: ReadonlyMap<string, number>;
  after: ReadonlyMap<string, number>;
  violations: Readonly<Record<string, readonly string[]>>;
}

/** The results of a soak, as a table and as a value. */
export function report(soak: Soaked): { text: string; json: unknown } {
  const calls = [...Map.groupBy(soak.seen, ({ kind }) => kind)].map(([kind, all]) => ({
    kind,
    calls: all.length,
    statuses: counts(all.map(({ status }) => String(status))),
    p50_ms: at(all, 0.5),
    p99_ms: at(all, 0.99),
  }));
  const names = [
    ...new Set([...soak.before.keys(), ...soak.sampler.series.keys(), ...soak.after.keys()]),
  ];
  const figures = names.toSorted().map((name) => {
    const level = levels(soak.sampler.series.get(name) ?? []);
    return {
      figure: name,
      rest_before: soak.before.get(name),
      first_third: level?.first,
      last_third: level?.last,
      rest_after: soak.after.get(name),
    };
  });
  const faults = counts(soak.faults);
  const { seconds, rates, violations } = soak;

  const text = [
    table(
      ["kind", "calls", "p50 ms", "p99 ms", "statuses"],
      calls.map((row) => [row.kind, row.calls, row.p50_ms, row.p99_ms, formatCounts(row.statuses)]),
    ),
    table(
      ["figure", "rest before", "first third", "last third", "rest after"],
      figures.map((row) => [
        row.figure,
        ...[row.rest_before, row.first_third, row.last_third, row.rest_after].map(readable),
      ]),
    ),
    `faults: ${formatCounts(faults)}`,
    ...Object.entries(violations).map(
      ([name, all]) =>
        `${name}: ${all.length === 0 ? "well" : `${all.length} VIOLATIONS\n  ${all.slice(0, 40).join("\n  ")}`}`,
    ),
  ].join("\n\n");
  return { text, json: { seconds, rates, faults, calls, figures, violations } };
}

function counts(all: readonly string[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const one of all) sums[one] = (sums[one] ?? 0) + 1;
  return sums;
}

const formatCounts = (sums: Record<string, number>) =>
  Object.entries(sums)
    .map(([name, count]) => `${count} x ${name}`)
    .join(", ");

function at(calls: readonly Seen[], quantile: number): number {
  const times = calls
    .map(({ startedAt, endedAt }) => endedAt - startedAt)
    .toSorted((a, b) => a - b);
  return times[Math.min(times.length - 1, Math.floor(times.length * quantile))] ?? 0;
}

const readable = (value: number | undefined) => {
  if (value === undefined) return "";
  return value >= 1_000_000
    ? `${(value / 1_000_000).toFixed(1)} M`
    : String(Math.round(value * 10) / 10);
};

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

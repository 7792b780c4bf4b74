import { operations } from "../contract/index.ts";
import type { Pool } from "../contract/operation.ts";
import { defaultSettings } from "../dashboards/capacity/settings.ts";
import { question, whatIf } from "../dashboards/capacity/what-if.ts";
import { type UsedRow, usedByPool } from "../db/capacity.ts";
import { table } from "./output.ts";
import type { Output } from "./output.ts";
import { withDatabase } from "./system.ts";

const dayMs = 24 * 3_600_000;
const round = (value: number): number => Number(value.toPrecision(3));

export interface PlanOptions {
  from: "usage";
  days: number;
  growth: number;
}

/** The workers that serve the busiest minute of a pool or an operation, times the growth. */
function planned(row: UsedRow, { days, growth }: PlanOptions) {
  const { targetMs, defaultSlots } = defaultSettings()[row.pool as Pool];
  const perSecond = (row.peakMinute / 60) * growth;
  const { workers, slots, busy_slots } = whatIf(
    question.parse({
      pool: row.pool,
      per_second: perSecond,
      service_ms: Math.max(0.1, row.meanMs),
      service_scv: row.scv,
      target_ms: targetMs,
      slots_per_worker: defaultSlots,
    }),
  );
  return {
    pool: row.pool,
    operation: row.operation,
    calls: row.calls,
    calls_next_month: Math.round(((row.calls * growth) / days) * 30),
    peak_per_second: round(perSecond),
    mean_ms: round(row.meanMs),
    scv: round(row.scv),
    busy_slots: round(busy_slots),
    slots,
    workers,
    credits: row.credits,
  };
}

/** `capacity plan`: next month's workers, from the usage of the last days. */
export async function plan(options: PlanOptions): Promise<Output> {
  const to = new Date();
  const from = new Date(to.getTime() - options.days * dayMs);
  const poolOf = Object.fromEntries([...operations].map(([id, { pool }]) => [id, pool]));
  const used = await withDatabase((db) => usedByPool(db, { from, to }, poolOf));
  const rows = used.map((row) => planned(row, options));
  const { days, growth } = options;
  const headings = ["pool", `calls in ${days} days`, "next month", "peak/s", "mean ms", "cs2"];
  headings.push("busy slots", "slots", "workers", "credits");
  const lines = rows
    .filter(({ operation }) => operation === null)
    .map((row) => [
      row.pool,
      row.calls,
      row.calls_next_month,
      row.peak_per_second,
      row.mean_ms,
      row.scv,
      row.busy_slots,
      row.slots,
      row.workers,
      row.credits,
    ]);
  const note = `The peak is the busiest minute, times ${growth}. The mean covers the whole answer, so a call holds its slot a little shorter; --json includes the operations.`;
  return {
    json: { from: from.toISOString(), to: to.toISOString(), growth, rows },
    text:
      lines.length === 0
        ? `No call reached a worker in the last ${days} days.`
        : `${table(headings, lines)}\n\n${note}`,
  };
}

import { type Column, plot, type Row } from "../charts/plot.ts";
import { number } from "../frame.ts";
import { ms } from "../timeline/timeline.ts";
import type { StatusFacts } from "./facts.ts";
import { type PoolTraffic, type Span, spanNames, spans, trafficOf } from "./traffic.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;
const short = (value: number) =>
  value >= 10 || Number.isInteger(value) ? number(value) : value.toFixed(1);

/** Address of the overview with the charts of this span; the live page is fetched from it again. */
export const overviewAddress = (span: Span): string => (span === "hour" ? "/" : `/?span=${span}`);

function choices(chosen: Span): string {
  return spanNames
    .map((span) =>
      span === chosen
        ? `<strong aria-current="true">${span}</strong>`
        : `<a href="${overviewAddress(span)}">${span}</a>`,
    )
    .join(" ");
}

const columns: readonly Column[] = [
  { name: "Calls a minute", kind: "calls", unit: "a minute" },
  { name: "Failed a minute", kind: "failed", unit: "a minute" },
  { name: "p95 wait", kind: "wait", unit: "ms" },
];

/** One row for each time that has a value; of counted minutes only those with a call. */
function rowsOf(one: PoolTraffic): Row[] {
  const { isCounted } = one;
  const columnsOf = [one.calls, one.errors ?? [], one.waits];
  const byTime = new Map<number, (number | undefined)[]>();
  for (const [column, points] of columnsOf.entries())
    for (const { at, value } of points) {
      if (isCounted && value === 0 && column < 2) continue;
      const values = byTime.get(at) ?? (isCounted ? [0, 0, undefined] : Array(3).fill(undefined));
      values[column] = value;
      byTime.set(at, values);
    }
  return [...byTime].toSorted(([a], [b]) => a - b).map(([at, values]) => ({ at, values }));
}

function figure(one: PoolTraffic, span: Span, now: number, targetMs: number | undefined): string {
  const { hours, minutes } = spans[span];
  const from = now - hours * hourMs;
  // A wait of the present minute, whose calls are not counted yet, would look like a minute without calls.
  const end = one.isCounted ? Math.floor(now / minuteMs) * minuteMs : now;
  const rows = rowsOf(one).filter(({ at }) => at >= from && at < end);
  const column = (index: number) => rows.flatMap(({ values }) => values[index] ?? []);
  const { failed, isCounted } = one;
  const mostCalls = Math.max(0, ...column(0));
  const busiest = `at most ${short(mostCalls)} ${mostCalls === 1 ? "call" : "calls"} a minute`;
  const told =
    failed === undefined
      ? ""
      : failed > 0
        ? `, <span${one.liveErrors > 0 ? ' class="bad"' : ""}>${short(failed)} failed</span>`
        : ", none failed";
  const aim = targetMs === undefined ? "" : `, target ${ms(targetMs)}`;
  const waits = column(2);
  const longest =
    waits.length === 0 ? "no wait measured" : `p95 wait at most ${ms(Math.max(...waits))}`;
  const label = `Calls and waits of the pool ${one.pool} in the last ${span}: ${busiest}${failed === undefined ? "" : `, ${short(failed)} failed`}; ${longest}${aim}`;
  return `<figure class="card"><figcaption><a href="/pools/${one.pool}">${one.pool}</a>: ${busiest}${told}; ${longest}${aim}</figcaption>${plot(
    {
      label,
      from,
      to: now,
      stepMs: minutes * 60_000,
      columns: columns
        // Failed calls have no line where none is counted or none failed.
        .filter(({ kind }) => kind !== "failed" || Boolean(failed))
        .map((each) => (isCounted && each.unit === "a minute" ? { ...each, rest: 0 } : each)),
      rows: failed ? rows : rows.map(({ at, values }) => ({ at, values: [values[0], values[2]] })),
      show: (value, { unit }) => (unit === "ms" ? ms(value) : short(value)),
    },
  )}</figure>`;
}

/** Calls, errors and waits over time, a figure for each pool. */
export function trafficCharts({ hour, history, span, now, settings }: StatusFacts): string {
  const head = `<h2>Calls, errors and waits <span class="soft">of the last ${choices(span)}</span></h2>`;
  const pools = trafficOf(hour?.minutes, history, { span, now });
  if (pools.length === 0) return `${head}<p class="soft">No figures of this time.</p>`;
  const from = now - spans[span].hours * hourMs;
  const isIdle = ({ calls, waits }: PoolTraffic) =>
    ![...calls, ...waits].some(({ at, value }) => at >= from && value > 0);
  const figures = pools
    .filter((one) => !isIdle(one))
    .map((one) => figure(one, span, now, settings[one.pool]?.targetMs));
  const idle = pools.filter(isIdle).map(({ pool }) => `<a href="/pools/${pool}">${pool}</a>`);
  const without =
    idle.length === 0
      ? ""
      : `<p class="soft">No calls${span === "hour" ? " before this minute" : ""}: ${idle.join(", ")}.</p>`;
  if (figures.length === 0) return `${head}${without}`;
  const counted =
    span === "hour"
      ? "Calls of live and test keys that ended in each minute; dashes are failed ones, and the wait is that of a job for a worker."
      : `The busiest and the worst minute of each ${span === "day" ? "quarter of an hour" : "two hours"}.`;
  return `${head}<div class="charts">${figures.join("")}</div>${without}<p class="soft">${counted}</p>`;
}

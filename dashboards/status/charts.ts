import { type Line, stepChart } from "../capacity/chart.ts";
import { ms } from "../timeline/timeline.ts";
import type { StatusFacts } from "./facts.ts";
import { type Point, type PoolTraffic, type Span, spanNames, spans, trafficOf } from "./traffic.ts";

const hourMs = 3_600_000;
const most = (points: readonly Point[]) => Math.max(0, ...points.map(({ value }) => value));
const short = (value: number) =>
  value >= 10 || Number.isInteger(value)
    ? Math.round(value).toLocaleString("en-US")
    : value.toFixed(1);

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

function figure(one: PoolTraffic, span: Span, now: number, targetMs: number | undefined): string {
  const { hours, minutes } = spans[span];
  const window = { from: now - hours * hourMs, to: now, gapMs: 2 * minutes * 60_000 };
  /** Without the zeros between failures, whose line would hide that of the calls. */
  const risen = (points: readonly Point[]) =>
    points.filter(({ value }, at) => value > 0 || (points[at - 1]?.value ?? 0) > 0);
  const inWindow = (points: readonly Point[]) => points.filter(({ at }) => at >= window.from);
  const draw = (lines: Line[], label: string) => stepChart({ ...window, lines, label });
  const calls = inWindow(one.calls);
  const errors = one.errors && inWindow(one.errors);
  const waits = inWindow(one.waits);
  const { failed } = one;
  const busiest = `at most ${short(most(calls))} ${most(calls) === 1 ? "call" : "calls"} a minute`;
  const told =
    failed === undefined
      ? ""
      : failed > 0
        ? `, <span${one.liveErrors > 0 ? ' class="bad"' : ""}>${short(failed)} failed</span>`
        : ", none failed";
  const aim = targetMs === undefined ? "" : `, target ${ms(targetMs)}`;
  const longest = waits.length === 0 ? "no wait measured" : `p95 wait at most ${ms(most(waits))}`;
  const of = `of the pool ${one.pool} in the last ${span}`;
  return `<figure class="card"><figcaption><a href="/pools/${one.pool}">${one.pool}</a>: ${busiest}${told}</figcaption>${draw(
    [
      { kind: "calls", points: calls },
      ...(errors && failed ? [{ kind: "errors", points: risen(errors) } as const] : []),
    ],
    `Calls a minute ${of}: ${busiest}${failed === undefined ? "" : `, ${short(failed)} failed`}`,
  )}<figcaption>${longest}${aim}</figcaption>${waits.length === 0 ? "" : draw([{ kind: "waits", points: waits }], `95th percentile of the wait ${of}: ${longest}${aim}`)}<p class="axis soft"><span>${span === "hour" ? "an" : "a"} ${span} ago</span><span>now</span></p></figure>`;
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
  const without = idle.length === 0 ? "" : `<p class="soft">No calls: ${idle.join(", ")}.</p>`;
  if (figures.length === 0) return `${head}${without}`;
  const counted =
    span === "hour"
      ? "Calls of live and test keys that ended in each minute; dashes are failed ones."
      : "The busiest minute of each interval; failed calls are counted for the last hour.";
  return `${head}<div class="charts">${figures.join("")}</div>${without}<p class="soft">${counted}</p>`;
}

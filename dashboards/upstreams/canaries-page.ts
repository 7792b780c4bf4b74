import type { Canary, CanaryDay } from "../../db/canaries.ts";
import { escape, framed, note, stacked } from "../frame.ts";
import { moment } from "../status/page.ts";
import { upstreamLink } from "./page.ts";

const away = "The database does not answer, and it holds the results.";

const dollars = (value: number) => `$ ${value.toFixed(value > 0 && value < 0.01 ? 4 : 2)}`;

/** A span, as a narrow screen lays out each child of a cell by itself. */
const links = (names: readonly string[]): string =>
  `<span>${names.map(upstreamLink).join(" ")}</span>`;

function daysTable(days: readonly CanaryDay[]): string {
  const lines = days.map((one) => [
    one.day,
    String(one.routes),
    String(one.calls),
    one.fails > 0 ? `!${one.fails}` : "0",
    String(one.worksBut),
    String(one.unclear),
    dollars(one.dollars),
  ]);
  const heads = ["Day (UTC)", "Routes", "Calls", "Alarms", "With findings", "Unclear", "Cost"];
  return `<h2>By day</h2>${stacked(heads, lines)}`;
}

function alarmsOf(last: readonly Canary[], now: number): string {
  const found = last.filter(({ verdict }) => verdict !== "works");
  if (found.length === 0)
    return '<h2>Alarms</h2><p class="soft">The last daily call of no operation found anything.</p>';
  const lines = found
    .toSorted(
      (a, b) => Number(b.verdict === "fails") - Number(a.verdict === "fails") || b.at - a.at,
    )
    .map((one) => [
      escape(one.operation),
      links(one.upstreams),
      `${one.verdict === "fails" ? "!" : ""}${one.verdict === "works_but" ? "works, but" : escape(one.verdict)}`,
      moment(one.at, now),
      escape(one.cause ?? "–"),
      escape(one.paths.join(", ") || "–"),
    ]);
  const heads = ["Operation", "Upstream", "Result", "At", "Why", "Fields"];
  return `<h2>Alarms <span class="soft">of the last call of each operation</span></h2>${stacked(heads, lines)}`;
}

/** The last result of each operation, and the days. */
export interface CanaryResults {
  last: readonly Canary[];
  days: readonly CanaryDay[];
}

/** `/canaries`: the results of `gateway verify --daily`; undefined where the database does not answer. */
export function canariesPage(results: CanaryResults | undefined, now: number): string {
  const none =
    '<p class="soft">There are no daily calls. They are off until a timer runs <code>gateway verify --daily</code>.</p>';
  return framed({
    title: "Daily calls",
    wide: true,
    body: `<p><a href="/upstreams">All upstreams</a></p>${results ? (results.days.length === 0 ? none : alarmsOf(results.last, now) + daysTable(results.days)) : note(away)}
<p class="soft">A daily call alarms. A good one does not say that an upstream is well.</p>`,
  });
}

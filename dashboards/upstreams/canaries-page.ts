import type { Canary } from "../../db/canaries.ts";
import { escape, framed, note, stacked } from "../frame.ts";
import { moment } from "../status/page.ts";
import { upstreamLink } from "./page.ts";

const dollars = (value: number) => `$ ${value.toFixed(value > 0 && value < 0.01 ? 4 : 2)}`;

/** A span, as a narrow screen lays out each child of a cell by itself. */
const links = (names: readonly string[]): string =>
  `<span>${names.map(upstreamLink).join(" ")}</span>`;

function days(rows: readonly Canary[]): string {
  const lines = [...Map.groupBy(rows, ({ day }) => day)].map(([day, all]) => {
    const count = (verdict: string) => all.filter((one) => one.verdict === verdict).length;
    const alarms = count("fails");
    return [
      day,
      String(new Set(all.flatMap(({ routes }) => routes)).size),
      String(all.length),
      alarms > 0 ? `!${alarms}` : "0",
      String(count("works_but")),
      String(count("unclear")),
      dollars(all.reduce((sum, one) => sum + one.dollars, 0)),
    ];
  });
  const heads = ["Day (UTC)", "Routes", "Calls", "Alarms", "With findings", "Unclear", "Cost"];
  return `<h2>By day</h2>${stacked(heads, lines)}`;
}

function alarmsOf(rows: readonly Canary[], now: number): string {
  const last = new Map<string, Canary>();
  for (const row of rows) if (!last.has(row.operation)) last.set(row.operation, row);
  const found = [...last.values()].filter(({ verdict }) => verdict !== "works");
  if (found.length === 0)
    return '<h2>Alarms</h2><p class="soft">The last daily call of no operation found anything.</p>';
  const lines = found
    .toSorted((a, b) => Number(b.verdict === "fails") - Number(a.verdict === "fails"))
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

/** `/canaries`: the results of `gateway verify --daily`. */
export function canariesPage(rows: readonly Canary[], now: number, problem?: string): string {
  const none =
    '<p class="soft">There are no daily calls. They are off until a timer runs <code>gateway verify --daily</code>.</p>';
  return framed({
    title: "Daily calls",
    wide: true,
    body: `<p><a href="/upstreams">All upstreams</a></p>${note(problem)}${problem !== undefined ? "" : rows.length === 0 ? none : alarmsOf(rows, now) + days(rows)}
<p class="soft">A daily call alarms. A good one does not say that an upstream is well.</p>`,
  });
}

import { type Pool, pools } from "../../contract/operation.ts";
import type { CostRow, HistoryPoint } from "../../db/capacity.ts";
import { card, cell, escape, framed, note } from "../frame.ts";
import type { CapacityAnswer, PoolAnswer, Wall } from "./answer.ts";
import { stepChart } from "./chart.ts";
import { worthOf } from "./reason.ts";

export interface Shown {
  hours: number;
  minutes: number;
  points: readonly HistoryPoint[];
  /** Unix time in milliseconds. */
  now: number;
}

const few = (value: number): string =>
  value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(2)));

export function wait(ms: number | null): string {
  if (ms === null) return "–";
  return ms < 1000 ? `${few(ms)} ms` : `${few(ms / 1000)} s`;
}

const links = `<nav><a href="/capacity?hours=24">A day</a> <a href="/capacity?hours=168">A week</a> <a href="/capacity/what-if?pool=browser">What if?</a> <a href="/capacity/cost">Cost</a></nav><p></p>`;

/** All pools: what there is, what is wanted and why, and how it was. */
export function capacityPage(
  answer: CapacityAnswer | undefined,
  trouble: string | undefined,
  shown: Shown | undefined,
): string {
  if (!answer) {
    return framed({
      title: "Capacity",
      refresh: 5,
      body: note(trouble ?? "Nothing has been measured yet."),
    });
  }
  const state = {
    measured: "",
    warming: '<p class="soft">Too little has been seen yet; numbers come within a minute.</p>',
    held: note(`Held from ${answer.at.slice(0, 19).replace("T", " ")} UTC: ${answer.why ?? ""}.`),
  }[answer.state];
  const parts = pools.map((pool) => poolPart(pool, answer.pools[pool], shown));
  return framed({
    title: "Capacity",
    refresh: 15,
    body: `${state}${links}${parts.join("\n")}
<p class="soft">The thin line is what was wanted, the band behind it what there was. Workers are processes; each runs its slots at once.</p>`,
  });
}

const helps: Record<PoolAnswer["more_workers"], string> = {
  help: "",
  help_on_other_machines: "more workers help on other machines only",
  do_not_help: "more workers will not help",
};

function poolPart(pool: Pool, one: PoolAnswer, shown: Shown | undefined): string {
  const { workers, slots, arrivals, service, wait: waits } = one;
  const change = workers.desired === workers.now ? "" : ` → <strong>${workers.desired}</strong>`;
  const late = waits.measured_p95_ms !== null && waits.measured_p95_ms > one.target_p95_wait_ms;
  const facts: [string, string, boolean?][] = [
    ["Slots busy", `${slots.running} of ${slots.now}`],
    ["Waiting", String(slots.waiting)],
    ["Calls", `${few(arrivals.per_second)} /s`],
    ["Peak", `${few(arrivals.peak_per_second)} /s`],
    ["Takes", service ? wait(service.mean_ms) : "–"],
    ["Spread (cs²)", service ? few(service.scv) : "–"],
    ["p95 wait", wait(waits.measured_p95_ms), late],
    ["Target", wait(one.target_p95_wait_ms)],
    [
      "Predicted",
      waits.predicted_p95_ms === null && service ? "grows" : wait(waits.predicted_p95_ms),
    ],
    ["Wall", one.wall.replaceAll("_", " "), one.more_workers !== "help"],
  ];
  const list = facts
    .map(
      ([name, value, bad]) =>
        `<div><dt>${name}</dt><dd${bad ? ' class="bad"' : ""}>${value}</dd></div>`,
    )
    .join("");
  const help = helps[one.more_workers];
  return `<section class="card pad"><h2><a href="/pools/${pool}">${pool}</a> <span class="count">${workers.now}${change} worker${workers.now === 1 && !change ? "" : "s"}</span>
<span class="soft">${workers.floor} to ${workers.ceiling}${help === "" ? "" : ` · ${help}`}</span></h2>
<p>${escape(one.reason)} <span class="soft">${escape(worthOf(one))}</span></p><dl>${list}</dl>${historyOf(pool, shown)}${wallsOf(one.walls)}</section>`;
}

function historyOf(pool: Pool, shown: Shown | undefined): string {
  if (!shown) return "";
  const points = shown.points.filter((point) => point.pool === pool);
  if (points.length === 0) return "";
  const { now, hours, minutes } = shown;
  const start = now - hours * 3_600_000;
  const gapMs = minutes * 60_000 * 2;
  // A gateway that is an hour old is not shown as a dot at the end of a day.
  const first = Math.min(...points.map(({ at }) => at));
  const from = first - start > gapMs ? first : start;
  const most = Math.max(...points.map(({ workers, desired }) => Math.max(workers, desired)));
  const chart = stepChart({
    from,
    to: Math.max(now, from + gapMs),
    gapMs,
    label: `Workers wanted and there of the pool ${pool}, at most the last ${hours} hours`,
    lines: [
      { kind: "actual", points: points.map(({ at, workers }) => ({ at, value: workers })) },
      { kind: "wanted", points: points.map(({ at, desired }) => ({ at, value: desired })) },
    ],
  });
  const minute = new Date(from).toISOString().slice(5, 16).replace("T", " ");
  const span = hours > 48 ? `${hours / 24} days` : `${hours} hours`;
  const since = from > start ? `since ${minute}Z` : `${span} ago`;
  return `${chart}<p class="axis soft"><span>${since}</span><span>at most ${most} worker${most === 1 ? "" : "s"}</span><span>now</span></p>`;
}

function wallsOf(walls: readonly Wall[]): string {
  if (walls.length === 0) return "";
  const rows = walls.map(
    (one) =>
      `<tr><td>${one.wall.replaceAll("_", " ")}</td><td>${escape(one.of)}</td><td>${few(one.used)} of ${few(one.limit)} ${escape(one.unit)}</td>${cell(`${few(one.share * 100)} %`, one.binds)}</tr>`,
  );
  return `<details><summary>What it can run into</summary><table><thead><tr><th>Wall</th><th>Of</th><th>Used</th><th>Share</th></tr></thead><tbody>${rows.join("\n")}</tbody></table></details>`;
}

/** What upstreams were asked and said it cost, beside what the calls earned. */
export function costPage(rows: readonly CostRow[], days: number): string {
  const body =
    rows.length === 0
      ? `<p class="soft">No upstream was asked in the last ${days} days.</p>`
      : card(
          `<table><thead><tr><th>Day</th><th>Upstream</th><th>Operation</th><th>Requests</th><th>Told cost</th><th>Credits earned</th></tr></thead><tbody>${rows
            .map(
              (row) =>
                `<tr><td>${row.day}</td>${cell(escape(row.upstream))}${cell(escape(row.operation))}${cell(row.calls)}${cell(row.dollars > 0 ? `$ ${row.dollars.toFixed(4)}` : "–")}${cell(row.credits)}</tr>`,
            )
            .join("\n")}</tbody></table>`,
        );
  return framed({
    title: "Cost",
    body: `${body}
<p class="soft">Days in UTC. Requests count retries. An upstream that says nothing of its price has –. Credits are those of all live calls of the operation that day, whichever upstream they asked.</p>`,
  });
}

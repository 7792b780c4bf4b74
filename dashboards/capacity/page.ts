import { type Pool, pools } from "../../contract/operation.ts";
import type { CostRow, HistoryPoint } from "../../db/capacity.ts";
import { chartHead, plot } from "../charts/plot.ts";
import { cell, escape, framed, note, stacked } from "../frame.ts";
import { boundTexts } from "../slots-bound.ts";
import type { Bottleneck, CapacityAnswer, PoolAnswer } from "./answer.ts";
import { worthOf } from "./reason.ts";

export interface Shown {
  hours: number;
  minutes: number;
  points: readonly HistoryPoint[];
  /** Unix time in milliseconds. */
  now: number;
}

const short = (value: number): string =>
  value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(2)));

export function wait(ms: number | null): string {
  if (ms === null) return "–";
  return ms < 1000 ? `${short(ms)} ms` : `${short(ms / 1000)} s`;
}

const links = `<nav><a href="/capacity?hours=24">A day</a> <a href="/capacity?hours=168">A week</a> <a href="/capacity/what-if?pool=browser">What if?</a> <a href="/capacity/cost">Cost</a></nav><p></p>`;

/** The present and desired workers of all pools, the reasons, and the history. */
export function capacityPage(
  answer: CapacityAnswer | undefined,
  trouble: string | undefined,
  shown: Shown | undefined,
): string {
  if (!answer) return unmeasuredPage(trouble ?? "nothing was measured yet", shown);
  const state = {
    measured: "",
    warming: '<p class="soft">There are too few samples yet; numbers follow within a minute.</p>',
    held: note(
      `Last answer, from ${answer.at.slice(0, 19).replace("T", " ")} UTC: ${answer.why ?? ""}.`,
    ),
  }[answer.state];
  const parts = pools.map((pool) => poolPart(pool, answer.pools[pool], shown));
  return framed({
    title: "Capacity",
    refresh: 15,
    head: chartHead,
    body: `${state}${links}${parts.join("\n")}
<p class="soft">The thin line shows the needed workers, the band behind it those that ran. A worker is a process; it runs one job in each of its slots at once.</p>`,
  });
}

/** The history alone, because a gateway without processes is the one whose past an operator asks for. */
function unmeasuredPage(trouble: string, shown: Shown | undefined): string {
  const parts = pools.flatMap((pool) => {
    const history = historyOf(pool, shown);
    return history === "" ? [] : [`<section class="card pad"><h2>${pool}</h2>${history}</section>`];
  });
  return framed({
    title: "Capacity",
    refresh: 5,
    head: chartHead,
    body: `${note(`No present figures: ${trouble}.`)}<p><a href="/workers">Processes that report</a></p>${links}${parts.join("\n")}`,
  });
}

const helps: Record<PoolAnswer["more_workers"], string> = {
  help: "",
  help_on_other_machines: "more workers help on other machines only",
  do_not_help: "more workers will not help",
};

/** The answer in a few words: start workers, or none. */
function verdictOf(one: PoolAnswer): string {
  const { workers, service, wait: waits, more_workers: more } = one;
  const missing = workers.desired - workers.now;
  if (missing > 0 && more !== "do_not_help") {
    const where = more === "help" ? "" : " on another machine";
    return `<span class="warm">start ${missing} more${where}</span>`;
  }
  if (missing < 0) return `<span class="soft">${workers.desired} would suffice</span>`;
  const predicted = waits.predicted_p95_ms;
  const isQuick = !service || (predicted !== null && predicted <= one.target_p95_wait_ms);
  return isQuick && more === "help" && workers.now > 0 ? '<span class="good">enough</span>' : "";
}

function poolPart(pool: Pool, one: PoolAnswer, shown: Shown | undefined): string {
  const { workers, slots, arrivals, service, wait: waits } = one;
  const change = workers.desired === workers.now ? "" : ` → <strong>${workers.desired}</strong>`;
  const late = waits.measured_p95_ms !== null && waits.measured_p95_ms > one.target_p95_wait_ms;
  const facts: [string, string, boolean?][] = [
    ["Slots busy", `${slots.running} of ${slots.now}`],
    ["Slots held by", workers.now > 0 ? boundTexts[slots.bound] : "–"],
    ["Waiting", String(slots.waiting)],
    ["Calls", `${short(arrivals.per_second)} /s`],
    ["Peak", `${short(arrivals.peak_per_second)} /s`],
    ["Service time", service ? wait(service.mean_ms) : "–"],
    ["Variability (cs²)", service ? short(service.scv) : "–"],
    ["p95 wait", wait(waits.measured_p95_ms), late],
    ["Target", wait(one.target_p95_wait_ms)],
    [
      "Predicted",
      waits.predicted_p95_ms === null && service ? "grows" : wait(waits.predicted_p95_ms),
    ],
    ["Bottleneck", one.wall.replaceAll("_", " "), one.more_workers !== "help"],
  ];
  const list = facts
    .map(
      ([name, value, bad]) =>
        `<div><dt>${name}</dt><dd${bad ? ' class="bad"' : ""}>${value}</dd></div>`,
    )
    .join("");
  const help = helps[one.more_workers];
  return `<section class="card pad" id="${pool}"><h2><a href="/pools/${pool}">${pool}</a> <span class="count">${workers.now}${change} worker${workers.now === 1 && !change ? "" : "s"}</span>
${verdictOf(one)} <span class="soft">allowed: ${workers.floor} to ${workers.ceiling}${help === "" ? "" : ` · ${help}`}</span></h2>
<p>${escape(one.reason)} <span class="soft">${escape(worthOf(one))}</span></p><dl>${list}</dl>${historyOf(pool, shown)}${bottleneckTable(one.walls)}</section>`;
}

function historyOf(pool: Pool, shown: Shown | undefined): string {
  if (!shown) return "";
  const points = shown.points.filter((point) => point.pool === pool);
  if (points.length === 0) return "";
  const { now, hours, minutes } = shown;
  const start = now - hours * 3_600_000;
  const stepMs = minutes * 60_000;
  // The chart of a young gateway starts with its first point, so that it is not a dot at the end of a day.
  const first = Math.min(...points.map(({ at }) => at));
  const from = first - start > 2 * stepMs ? first : start;
  const most = Math.max(...points.map(({ workers, desired }) => Math.max(workers, desired)));
  const span = hours > 48 ? `${hours / 24} days` : hours === 1 ? "hour" : `${hours} hours`;
  return plot({
    label: `Workers of the pool ${pool} in the last ${span}, needed and running: at most ${most}`,
    from,
    to: Math.max(now, from + 2 * stepMs),
    stepMs,
    columns: [
      { name: "Workers running", kind: "actual", unit: "workers" },
      { name: "Workers needed", kind: "desired", unit: "workers" },
    ],
    rows: points.map(({ at, workers, desired }) => ({ at, values: [workers, desired] })),
    show: String,
  });
}

function bottleneckTable(bottlenecks: readonly Bottleneck[]): string {
  if (bottlenecks.length === 0) return "";
  const rows = bottlenecks.map(
    (one) =>
      `<tr><td>${one.wall.replaceAll("_", " ")}</td><td>${escape(one.of)}</td><td>${short(one.used)} of ${short(one.limit)} ${escape(one.unit)}</td>${cell(`${short(one.share * 100)} %`, one.binds)}</tr>`,
  );
  return `<details><summary>Bottlenecks</summary><table><thead><tr><th scope="col">Bottleneck</th><th scope="col">Of</th><th scope="col">Used</th><th scope="col">Share</th></tr></thead><tbody>${rows.join("\n")}</tbody></table></details>`;
}

/** Requests to upstreams and the cost that they reported, beside the credits that the calls earned. */
export function costPage(rows: readonly CostRow[], days: number): string {
  const body =
    rows.length === 0
      ? `<p class="soft">There were no upstream requests in the last ${days} days.</p>`
      : stacked(
          ["Day", "Upstream", "Operation", "Requests", "Reported cost", "Credits earned"],
          rows.map((row) => [
            row.day,
            escape(row.upstream),
            escape(row.operation),
            String(row.calls),
            row.dollars > 0 ? `$ ${row.dollars.toFixed(4)}` : "–",
            String(row.credits),
          ]),
        );
  return framed({
    title: "Cost",
    body: `${body}
<p class="soft">Days are in UTC. Requests include retries. – marks an upstream that reports no price. Credits are those of all live calls of the operation on that day, whichever upstream they used.</p>`,
  });
}

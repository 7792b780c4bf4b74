import { type Pool, pools } from "../../contract/operation.ts";
import type { Phase } from "../../runtime/latency-histograms.ts";
import { accountAddress } from "../accounts/forms.ts";
import { controlsAddress, effectText } from "../controls/page.ts";
import type { ControlRow } from "../../db/controls.ts";
import { chartHead, plot } from "../charts/plot.ts";
import { caution, escape, framed, note, stacked } from "../frame.ts";
import { boundOf, boundTexts } from "../slots-bound.ts";
import { ms, time } from "../timeline/timeline.ts";
import type { UpstreamState } from "../upstreams/limits.ts";
import type { PoolReading, Quantiles, Stretch } from "./read.ts";

const refreshSeconds = 5;
const shownErrors = 5;

const duration = (value: number | undefined) => (value === undefined ? "–" : ms(value));

/** "operation maps.search is at most 60 a minute: their loop (operator, until 2026-01-31 20:30Z)." */
function controlText(row: ControlRow): string {
  const until = row.until ? `, until ${time(row.until.getTime()).slice(0, 16)}Z` : "";
  return `${row.kind} ${row.target} is ${effectText(row)}: ${row.why} (${row.who}${until}).`;
}

/** "6 of 8", or "all 8, and 4 jobs more run": the number of slots falls while jobs run. */
const slotsUsed = (active: number, slots: number) =>
  active <= slots
    ? `${active} of ${slots}`
    : `all ${slots}, and ${active - slots === 1 ? "1 job more runs" : `${active - slots} jobs more run`}`;

/** The state of the pool at a glance, problems first. */
function summary({ state, paused, controls, upstreams }: PoolReading): string {
  const waiting = state.jobs.waiting + state.jobs.prioritized + state.jobs.delayed;
  const oldest = state.oldestWaitingSeconds * 1000;
  const facts: [string, string, boolean?][] = [
    ["Oldest waiting", waiting > 0 ? ms(oldest) : "–", oldest > 30_000],
    ["Waiting", String(waiting)],
    [
      "Slots used",
      slotsUsed(state.jobs.active, state.slots),
      state.slots > 0 && state.jobs.active >= state.slots,
    ],
    ["Slots held by", state.workers > 0 ? boundTexts[boundOf(state.beats)] : "–"],
    ["Workers", String(state.workers), state.workers === 0],
  ];
  const list = facts.map(
    ([name, value, bad]) =>
      `<div><dt>${name}</dt><dd class="${bad ? "big bad" : "big"}">${value}</dd></div>`,
  );
  const troubles = [
    ...(state.workers === 0 ? ["No worker of this pool has reported lately."] : []),
    ...(paused ? ["The pool is paused: no worker begins a job."] : []),
    ...controls.filter(({ effect }) => effect !== "cap").map(controlText),
    ...upstreams
      .filter(({ breakersOpen }) => breakersOpen > 0)
      .map(
        ({ name, breakersOpen }) =>
          `${breakersOpen === 1 ? "1 worker sends" : `${breakersOpen} workers send`} no requests to ${name}, because of an open circuit breaker.`,
      ),
  ];
  const share = state.slots > 0 ? Math.min(1, state.jobs.active / state.slots) : 0;
  const bar = `<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="slots used"><rect width="100" height="8" class="empty"/><rect width="${(share * 100).toFixed(1)}" height="8" class="outer"/></svg>`;
  const limits = controls.filter(({ effect }) => effect === "cap").map(controlText);
  return `${troubles.map((text) => note(text)).join("")}${limits.map(caution).join("")}<div class="card pad"><dl>${list.join("")}</dl>${bar}</div>`;
}

const lineNames = ["p50", "p95", "p99"] as const;

function chart(label: string, { points, stepMs }: Stretch, phase: Phase): string {
  const rows = points
    .map((point) => ({ at: point.at, values: point[phase] }))
    .filter(({ values }) => values.some((value) => value !== undefined));
  const [first, last] = [points[0]?.at, points.at(-1)?.at];
  if (rows.length === 0 || first === undefined || last === undefined) return "";
  return plot({
    label,
    from: first,
    to: last + stepMs,
    stepMs,
    // The factor between two times matters, not their difference.
    isLogarithmic: true,
    columns: lineNames.map((name) => ({ name, kind: name, unit: "ms" })),
    rows,
    show: ms,
  });
}

function charts({ stretches, subject: { pool, operation } }: PoolReading): string {
  const told = (values: Quantiles) =>
    lineNames.map((name, at) => `${name} ${duration(values[at])}`).join(", ");
  const one = (stretch: Stretch) =>
    (
      [
        ["w", "Wait"],
        ["r", "Run"],
      ] as const
    )
      .map(([phase, title]) => {
        const { name, jobs, whole } = stretch;
        const values = told(whole[phase]);
        const label = `${title} of the jobs of ${operation ?? `the pool ${pool}`} in the last ${name}: ${values}`;
        return `<figure class="card"><figcaption><b>${title}, ${name}</b> <span class="soft">${jobs} jobs</span><br>${values}</figcaption>${chart(label, stretch, phase)}</figure>`;
      })
      .join("");
  return `<h2>How long jobs wait and run</h2><div class="charts">${stretches.map(one).join("")}</div>`;
}

function upstreamRow(one: UpstreamState): string[] {
  const { reportedQuota: quota } = one;
  const left = quota
    ? `${quota.left} <span class="soft">${ms(quota.secondsAgo * 1000)} ago</span>`
    : "–";
  return [
    `<a href="/upstreams/${encodeURIComponent(one.name)}">${escape(one.name)}</a>`,
    one.breakersOpen > 0 ? `!open in ${one.breakersOpen}` : "closed",
    one.perSecond === undefined ? "no limit set" : `${Number(one.perSecond.toFixed(2))} /s`,
    one.callsLeft === 0 ? "!0" : String(one.callsLeft ?? "–"),
    String(one.running),
    quota?.left === 0 ? `!${left}` : left,
  ];
}

function upstreams({ upstreams: list }: PoolReading): string {
  if (list.length === 0) return "";
  const heads = [
    "Upstream",
    "Circuit breaker",
    "Our rate limit",
    "Calls left now",
    "Running",
    "Quota left, as reported",
  ];
  return `<h2>Upstreams</h2>${stacked(heads, list.map(upstreamRow))}`;
}

function accounts({ accounts: list }: PoolReading): string {
  if (list === undefined)
    return '<h2>Accounts</h2><p class="soft">The database does not answer, so the accounts are unknown.</p>';
  if (list.length === 0)
    return '<h2>Accounts</h2><p class="soft">No account has a call in this pool now.</p>';
  const rows = list.map(({ account, mode, running, waiting }) => [
    `<a href="${escape(accountAddress(account))}">${escape(account)}</a>`,
    mode,
    String(running),
    String(waiting),
  ]);
  return `<h2>Accounts</h2>${stacked(["Account", "Mode", "Running", "Waiting"], rows)}`;
}

function errors({ errors: list }: PoolReading): string {
  if (list.length === 0) return '<h2>Last errors</h2><p class="soft">None within a day.</p>';
  const types = [...Map.groupBy(list, ({ type }) => type)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  const parts = types.map(([type, found]) => {
    const rows = found
      .slice(0, shownErrors)
      .map((one) => [
        `<a href="/calls/${encodeURIComponent(one.id)}">${escape(one.id)}</a>`,
        time(one.at).slice(11, 19),
        escape(one.operation),
        String(one.status),
        escape(one.cause ?? "–"),
      ]);
    return `<h3>${type} <span class="soft">${found.length} of the last ${list.length}</span></h3>${stacked(["Request", "At (UTC)", "Operation", "Status", "Cause"], rows)}`;
  });
  return `<h2>Last errors</h2>${parts.join("\n")}`;
}

function operationList({ subject, operations: list }: PoolReading): string {
  if (subject.operation !== undefined || list.length === 0) return "";
  const rows = list.map(({ id, jobs, meanMs }) => [
    `<a href="/pools/${subject.pool}/${encodeURIComponent(id)}">${escape(id)}</a>`,
    String(jobs),
    ms(meanMs),
  ]);
  return `<h2>Operations of the last hour</h2>${stacked(["Operation", "Jobs", "Mean run"], rows)}`;
}

const links = (here: Pool) =>
  `<nav>${pools.map((pool) => (pool === here ? `<b>${pool}</b>` : `<a href="/pools/${pool}">${pool}</a>`)).join(" ")} <a href="/queues/queue/${here}">Its jobs</a> <a href="/capacity#${here}">Workers it needs</a> <a href="${escape(controlsAddress("pool", here))}">Stop it</a></nav><p></p>`;

/** The figures that explain how slow a pool, or one of its operations, is. */
export function poolPage(reading: PoolReading): string {
  const { pool, operation } = reading.subject;
  const of =
    operation === undefined
      ? ""
      : `<p><a href="/pools/${pool}">The whole pool ${pool}</a>; its slots and waiting jobs are those of the pool.</p>`;
  return framed({
    title: operation ?? `Pool ${pool}`,
    refresh: refreshSeconds,
    head: chartHead,
    body: `${links(pool)}${of}${summary(reading)}${charts(reading)}${upstreams(reading)}${accounts(reading)}${errors(reading)}${operationList(reading)}`,
  });
}

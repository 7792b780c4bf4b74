import { createHash } from "node:crypto";
import type { Reading } from "./metrics.ts";
import type { PoolState } from "./state.ts";

const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dce2, #343a44); --soft: light-dark(#5b6472, #98a2b3);
  --back: light-dark(#f6f7f9, #14171c); --card: light-dark(#fff, #1c2027); --text: light-dark(#1a1f27, #e6e9ee);
  --link: light-dark(#0b57d0, #8ab4f8); --bad: light-dark(#b3261e, #f2938c); }
* { box-sizing: border-box }
body { margin: 0; padding: 2rem 1.25rem; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto }
main.narrow { max-width: 21rem; margin-top: 12vh }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: baseline; margin-bottom: 1.5rem }
h1 { font-size: 1.35rem; margin: 0 auto 0 0 }
h2 { font-size: 1rem; margin: 2rem 0 .6rem }
a { color: var(--link) }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .55rem .9rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap }
tr:last-child td { border-bottom: 0 }
th { color: var(--soft); font-weight: 500; font-size: .85rem }
th:first-child, td:first-child { text-align: left }
.bad { color: var(--bad); font-weight: 600 }
.soft { color: var(--soft) }
form { display: flex; gap: .5rem }
form.card { flex-direction: column; padding: 1.25rem; gap: .9rem }
label { display: grid; gap: .25rem; font-size: .85rem; color: var(--soft) }
input { flex: 1; min-width: 0; padding: .5rem .65rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--back); color: var(--text); font: inherit }
button { padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--card); color: var(--text); font: inherit; cursor: pointer }
button.plain { padding: 0; border: 0; background: none; color: var(--link); text-decoration: underline }
`;

/** Content-Security-Policy of the pages of this file: their one style, no script, nothing else. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string) => text.replace(/[&<>"]/g, (char) => entities[char] as string);

function page(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">${head}<title>${escape(title)}</title><style>${style}</style></head>
<body>${body}</body></html>`;
}

const note = (text: string | undefined) =>
  text === undefined ? "" : `<p class="bad" role="alert">${escape(text)}</p>`;

export function loginPage(next: string, problem?: string): string {
  return page(
    "Log in · Gateway",
    "",
    `<main class="narrow"><h1>Gateway dashboards</h1>${note(problem) || "<p></p>"}
<form class="card" method="post" action="/login">
<label>User<input name="user" autocomplete="username" required autofocus></label>
<label>Password<input name="password" type="password" autocomplete="current-password" required></label>
<input type="hidden" name="next" value="${escape(next)}"><button>Log in</button></form></main>`,
  );
}

function age(seconds: number): string {
  if (seconds < 1) return seconds > 0 ? "< 1 s" : "–";
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

const megabytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MB`;
const cell = (text: string | number, bad = false) => `<td${bad ? ' class="bad"' : ""}>${text}</td>`;

function poolRow(one: PoolState): string {
  const waiting = one.jobs.waiting + one.jobs.prioritized + one.jobs.delayed;
  return `<tr><td><a href="/queues/queue/${one.pool}">${one.pool}</a></td>${[
    cell(waiting),
    cell(one.jobs.active),
    cell(one.jobs.completed),
    cell(one.jobs.failed, one.jobs.failed > 0),
    cell(age(one.oldestWaitingSeconds), one.oldestWaitingSeconds > 30),
    cell(`${one.running} / ${one.slots}`),
    cell(one.workers, one.workers === 0),
  ].join("")}</tr>`;
}

function summary({ pools, redis, published }: Reading): string {
  const live = (role: string) => published.processes.filter((one) => one.role === role).length;
  const limit = redis.limitBytes > 0 ? ` of ${megabytes(redis.limitBytes)}` : ", no limit set";
  return `<div class="card"><table><thead><tr><th>Pool</th><th>Waiting</th><th>Active</th><th>Completed</th>
<th>Failed</th><th>Oldest waiting</th><th>Busy slots</th><th>Workers</th></tr></thead>
<tbody>${pools.map(poolRow).join("\n")}</tbody></table></div>
<p class="soft">Completed and failed count what the queue still keeps: some minutes, 1,000 jobs at most.</p>
<h2>Around it</h2><div class="card"><table><tbody>
<tr><td>API processes</td>${cell(live("api"), live("api") === 0)}</tr>
<tr><td>Worker processes</td>${cell(live("worker"), live("worker") === 0)}</tr>
<tr><td>Redis memory</td>${cell(megabytes(redis.usedBytes) + limit)}</tr>
${redis.warning === undefined ? "" : `<tr><td>Redis warning</td>${cell(redis.warning)}</tr>\n`}<tr><td>Redis keys</td>${cell(redis.keys)}</tr>
<tr><td>Redis connections</td>${cell(redis.clients)}</tr></tbody></table></div>`;
}

const mostShown = 30;

/** What upstreams sent that the mapping could not use: whole answers, and rows of answers. */
function misfits({ published }: Reading): string {
  const kinds: Record<string, string> = {
    gateway_shape_errors_total: "whole answer",
    gateway_rows_dropped_total: "",
  };
  const found = Object.entries(published.totals)
    .map(([field, count]) => ({ labels: JSON.parse(field) as string[], count: Number(count) }))
    .filter(({ labels: [name = ""], count }) => Object.hasOwn(kinds, name) && count > 0)
    .sort((a, b) => b.count - a.count);
  if (found.length === 0) return '<p class="soft">Every answer of an upstream fitted.</p>';
  const rows = found.slice(0, mostShown).map(({ labels, count }) => {
    const [name = "", upstream = "", operation = "", field] = labels;
    const texts = [operation, upstream, field ?? kinds[name] ?? ""];
    return `<tr>${texts.map((text) => cell(escape(text))).join("")}${cell(count)}</tr>`;
  });
  return `<div class="card"><table><thead><tr><th>Operation</th><th>Upstream</th><th>Missing field</th>
<th>Dropped</th></tr></thead><tbody>${rows.join("\n")}</tbody></table></div>
<p class="soft">A missing field costs the row it is missing in; a whole answer is a response_shape_error.</p>`;
}

/** The operators' first page; without a reading it says that Redis does not answer. */
export function startPage(view: {
  reading: Reading | undefined;
  writable: boolean;
  problem?: string | undefined;
}): string {
  return page(
    "Gateway dashboards",
    '<meta http-equiv="refresh" content="15; url=/">',
    `<main><header><h1>Gateway dashboards</h1><a href="/queues">Queues</a> <a href="/metrics">Metrics</a>
<span class="soft">${view.writable ? "queues can be changed" : "read-only"}</span>
<form method="post" action="/logout"><button class="plain">Log out</button></form></header>
${note(view.problem)}${view.reading ? summary(view.reading) : note("Redis does not answer.")}
${view.reading ? `<h2>What did not fit</h2>${misfits(view.reading)}` : ""}
<h2>Find a call</h2><form action="/find"><input name="id" placeholder="Request id, svc_…" aria-label="Request id" required><button>Find</button></form>
<p class="soft">By its request id, as in <code>Svc-Request-Id</code>.</p></main>`,
  );
}

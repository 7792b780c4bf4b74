import { cell, escape, note, page, search, stacked } from "./frame.ts";
import type { Reading } from "./metrics.ts";
import type { PoolState } from "./state.ts";

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

function poolRow(one: PoolState): string {
  const waiting = one.jobs.waiting + one.jobs.prioritized + one.jobs.delayed;
  return `<tr><td><a href="/pools/${one.pool}">${one.pool}</a></td>${[
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
  return `<div class="card"><table class="tight pools"><thead><tr><th>Pool</th><th>Waiting</th><th>Active</th><th>Completed</th>
<th>Failed</th><th>Oldest waiting</th><th>Busy slots</th><th>Workers</th></tr></thead>
<tbody>${pools.map(poolRow).join("\n")}</tbody></table></div>
<p class="soft">Completed and failed count the jobs that the queue still keeps: some minutes, 1,000 jobs at most.</p>
<h2>Processes and Redis</h2><div class="card"><table><tbody>
<tr><td>API processes</td>${cell(live("api"), live("api") === 0)}</tr>
<tr><td>Worker processes</td>${cell(live("worker"), live("worker") === 0)}</tr>
<tr><td>Redis memory</td>${cell(megabytes(redis.usedBytes) + limit)}</tr>
${redis.warnings.map((text) => `<tr><td>Redis warning</td>${cell(text)}</tr>\n`).join("")}<tr><td>Redis keys</td>${cell(redis.keys)}</tr>
<tr><td>Redis connections</td>${cell(redis.clients)}</tr></tbody></table></div>`;
}

const mostShown = 30;

/** Upstream answers, and rows of answers, that the mapping could not use. */
function misfits({ published }: Reading): string {
  const kinds: Record<string, string> = {
    gateway_shape_errors_total: "whole answer",
    gateway_rows_dropped_total: "",
  };
  const found = Object.entries(published.totals)
    .map(([field, count]) => ({ labels: JSON.parse(field) as string[], count: Number(count) }))
    .filter(({ labels: [name = ""], count }) => Object.hasOwn(kinds, name) && count > 0)
    .sort((a, b) => b.count - a.count);
  if (found.length === 0)
    return '<p class="soft">Every upstream answer had the expected shape.</p>';
  const rows = found.slice(0, mostShown).map(({ labels, count }) => {
    const [name = "", upstream = "", operation = "", field] = labels;
    return [operation, upstream, field ?? kinds[name] ?? "", String(count)].map(escape);
  });
  return `${stacked(["Operation", "Upstream", "Missing field", "Dropped"], rows)}
<p class="soft">A row without the field is left out; a whole answer without it is a response_shape_error.</p>`;
}

/** The operators' start page; without a reading it shows that Redis does not answer. */
export function startPage(view: {
  reading: Reading | undefined;
  writable: boolean;
  problem?: string | undefined;
}): string {
  return page(
    "Gateway dashboards",
    '<meta http-equiv="refresh" content="15; url=/">',
    `<main><header><h1>Gateway dashboards</h1><nav><a href="/queues">Queues</a> <a href="/capacity">Capacity</a> <a href="/controls">Controls</a> <a href="/metrics">Metrics</a>
<span class="soft">${view.writable ? "operator" : "read-only"}</span>
<form method="post" action="/logout"><button class="plain">Log out</button></form></nav></header>
${note(view.problem)}${view.reading ? summary(view.reading) : note("Redis does not answer.")}
${view.reading ? `<h2>Unexpected upstream answers</h2>${misfits(view.reading)}` : ""}
<h2>Find a call</h2>${search}
<p class="soft">The request id is in the header <code>Svc-Request-Id</code> of every answer.</p></main>`,
  );
}

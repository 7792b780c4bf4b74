import { fleetOf } from "../../runtime/build.ts";
import type { ErrorType } from "../../contract/errors.ts";
import { accountAddress } from "../accounts/forms.ts";
import { addressOf } from "../calls/filter.ts";
import { effectCell } from "../controls/page.ts";
import type { Visitor } from "../login.ts";
import { chartHead } from "../charts/plot.ts";
import { cell, escape, note, number, page, search, skipLink, stacked } from "../frame.ts";
import { liveHead, liveMain, staleNote } from "../live.ts";
import { type Reading, fleet } from "../metrics.ts";
import { navigation } from "../navigation.ts";
import { overviewAddress, trafficCharts } from "./charts.ts";
import { busiestAccounts } from "./busiest.ts";
import { type CallMode, callModes } from "./calls.ts";
import type { StatusFacts, StoredFacts } from "./facts.ts";
import { misfits } from "./misfits.ts";
import { queuesPart } from "./queues.ts";
import type { DatedTrouble, Status } from "./read.ts";
import { openBreakers, quotaShares } from "./upstream-troubles.ts";

const refreshSeconds = 15;
/** Clauses of the first line; the tables below have the rest. */
const mostClauses = 8;
/** Rows of decisions; what is wrong must not be out of sight below them. */
const mostControls = 10;

const megabytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MB`;

/** "20:31Z", or with its date on another day. */
export function moment(at: number, now: number): string {
  const [day = "", time = ""] = new Date(at).toISOString().split("T");
  const minute = `${time.slice(0, 5)}Z`;
  return day === new Date(now).toISOString().slice(0, 10) ? minute : `${day} ${minute}`;
}

function clause({ text, href, at, orEarlier }: DatedTrouble, now: number): string {
  const words = href === undefined ? escape(text) : `<a href="${escape(href)}">${escape(text)}</a>`;
  return `${words} <span class="when">since ${moment(at, now)}${orEarlier ? " or earlier" : ""}</span>`;
}

/** The first line: all is well, or everything that is wrong and since when. */
function firstLine({ facts, troubles }: Status): string {
  const of = (level: DatedTrouble["level"]) => troubles.filter((one) => one.level === level);
  const [bad, warn, info] = [of("bad"), of("warn"), of("info")];
  const list = (some: readonly DatedTrouble[]) => {
    const more = some.length > mostClauses ? `; and ${some.length - mostClauses} more, below` : "";
    return (
      some
        .slice(0, mostClauses)
        .map((one) => clause(one, facts.now))
        .join("; ") + more
    );
  };
  const parts: string[] = [];
  if (bad.length > 0) parts.push(`<strong class="bad">Wrong:</strong> ${list(bad)}.`);
  if (warn.length > 0) parts.push(`<strong class="warm">To look at:</strong> ${list(warn)}.`);
  if (parts.length === 0) parts.push(`<strong class="good">All is well.</strong> ${calm(facts)}`);
  if (info.length > 0) parts.push(`<span class="soft">Also: ${list(info)}.</span>`);
  const kind = bad.length > 0 ? "wrong" : warn.length > 0 ? "look" : "fine";
  return `<p class="status ${kind}"${bad.length > 0 ? ' role="alert"' : ""}>${parts.join(" ")}</p>`;
}

function calm({ hour, stored }: StatusFacts): string {
  const unknown =
    stored === "absent" ? " Without DATABASE_URL, controls and spending are unknown." : "";
  if (!hour) return `Nothing is stopped or limited.${unknown}`;
  const { live, test } = hour.ended;
  return `Nothing is stopped or limited; ${number(live)} live and ${number(test)} test calls ended in the last hour.${unknown}`;
}

function controls({ stored, now }: StatusFacts): string {
  if (typeof stored === "string" || stored.controls.length === 0) return "";
  const isLimit = (row: (typeof stored.controls)[number]) => Number(row.effect === "cap");
  const worst = stored.controls.toSorted((a, b) => isLimit(a) - isLimit(b));
  const rows = worst
    .slice(0, mostControls)
    .map((row) => [
      escape(`${row.kind} ${row.target}`),
      effectCell(row),
      moment(row.at.getTime(), now),
      row.until ? moment(row.until.getTime(), now) : "–",
      escape(row.who),
      escape(row.why),
    ]);
  const more = stored.controls.length - rows.length;
  return `<h2>In force</h2>${stacked(["What", "Is", "Since", "Until", "By", "Why"], rows)}
<p>${more > 0 ? `And ${number(more)} more. ` : ""}<a href="/controls">Change or end them</a></p>`;
}

/** Address of the list of these calls; requests without a key have no mode. */
const callsOf = (mode: CallMode, type: ErrorType): string =>
  escape(addressOf({ type, hours: "1", ...(mode === "none" ? {} : { mode }) }));

const modeNames = { live: "live", test: "test", none: "no valid key" } as const;

function errors({ hour, now }: StatusFacts): string {
  const head = "<h2>Errors of the last hour</h2>";
  if (!hour) return `${head}<p class="soft">Unknown while Redis does not answer.</p>`;
  if (hour.errors.length === 0) return `${head}<p class="soft">None.</p>`;
  const tables = callModes.map((mode) => {
    const found = hour.errors.filter((one) => one.mode === mode);
    if (found.length === 0) return "";
    const rows = found.map(({ type, count, pools, since, last }) => [
      `<a href="${callsOf(mode, type)}">${type}</a>`,
      `${mode === "live" ? "!" : ""}${number(count)}`,
      // One element: a narrow screen lays out each child of a cell by itself.
      `<span>${pools
        .map((pool) => (pool === "none" ? "other paths" : `<a href="/pools/${pool}">${pool}</a>`))
        .join(" ")}</span>`,
      moment(since, now),
      moment(last, now),
    ]);
    const sum = found.reduce((total, one) => total + one.count, 0);
    return `<h3>${modeNames[mode]} <span class="soft">${number(sum)} of ${number(hour.ended[mode])} calls</span></h3>${stacked(["Type", "Calls", "Pools", "First", "Last"], rows)}`;
  });
  return `${head}${tables.join("")}`;
}

function upstreams(facts: StatusFacts): string {
  const { reading, refusals, capacity, reportedLeft } = facts;
  if (!reading) return "";
  const breakers = openBreakers(reading);
  const shares = quotaShares(capacity);
  const names = new Set([
    ...breakers.keys(),
    ...refusals.map(({ upstream }) => upstream),
    ...shares.keys(),
    ...Object.keys(reportedLeft),
  ]);
  if (names.size === 0) return '<h2>Upstreams</h2><p class="soft">None was called lately.</p>';
  const rows = [...names].toSorted().map((name) => {
    const open = breakers.get(name) ?? 0;
    const refused = refusals.filter(({ upstream }) => upstream === name);
    const share = shares.get(name);
    const left = reportedLeft[name];
    return [
      `<a href="/upstreams/${encodeURIComponent(name)}">${escape(name)}</a>`,
      open > 0 ? `!open in ${open}` : "closed",
      refused.length === 0
        ? "none"
        : `!${refused.map((one) => escape(`${one.reason} ${one.times}`)).join(", ")}`,
      share === undefined ? "–" : `${share >= 0.8 ? "!" : ""}${Math.round(share * 100)} %`,
      left === undefined ? "–" : `${left === 0 ? "!" : ""}${number(left)}`,
    ];
  });
  const heads = [
    "Upstream",
    "Circuit breaker",
    "Refusals, last hour",
    "Quota needed",
    "Calls left, as reported",
  ];
  return `<h2>Upstreams</h2>${stacked(heads, rows)}`;
}

function spend({ today, cost }: StoredFacts): string {
  const total = (mode: string) => today.totals.find((one) => one.mode === mode);
  const credits = (mode: string) => {
    const one = total(mode);
    return `${number(one?.credits ?? 0)} <span class="soft">of ${number(one?.calls ?? 0)} calls</span>`;
  };
  const facts: [string, string][] = [
    ["Live credits", credits("live")],
    ["Test credits", credits("test")],
    ["Paid to upstreams", `$ ${cost.dollars.toFixed(2)} <span class="soft">as they report</span>`],
    ["Upstream requests", number(cost.requests)],
  ];
  const list = facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`);
  const rows = today.accounts.map(({ account, mode, calls, errors: failed, credits: spent }) => [
    `<a href="${escape(accountAddress(account))}">${escape(account)}</a>`,
    mode,
    number(spent),
    number(calls),
    number(failed),
  ]);
  const accounts =
    rows.length === 0 ? "" : stacked(["Account", "Mode", "Credits", "Calls", "Errors"], rows);
  return `<h2>Today <span class="soft">since midnight UTC</span></h2><div class="card pad"><dl>${list.join("")}</dl></div>${accounts}`;
}

function processes({ redis, published }: Reading): string {
  const live = (role: string) => published.processes.filter((one) => one.role === role).length;
  const limit = redis.limitBytes > 0 ? ` of ${megabytes(redis.limitBytes)}` : ", no limit set";
  const builds = fleetOf(fleet(published));
  const versions = builds.map(({ build, roles }) =>
    escape(builds.length > 1 ? `${build}: ${roles}` : build),
  );
  return `<h2>Processes and Redis</h2><div class="card"><table><tbody>
<tr><th scope="row">Version</th>${cell(versions.join("<br>"), builds.length > 1)}</tr>
<tr><th scope="row">API processes</th>${cell(live("api"), live("api") === 0)}</tr>
<tr><th scope="row">Worker processes</th>${cell(live("worker"), live("worker") === 0)}</tr>
<tr><th scope="row">Redis memory</th>${cell(megabytes(redis.usedBytes) + limit)}</tr>
${redis.warnings.map((text) => `<tr><th scope="row">Redis warning</th><td class="text">${escape(text)}</td></tr>\n`).join("")}<tr><th scope="row">Redis keys</th>${cell(redis.keys)}</tr>
<tr><th scope="row">Redis connections</th>${cell(redis.clients)}</tr></tbody></table></div>
<p><a href="/workers">Every process, with version and memory</a></p>`;
}

/** "ada, operator"; the role alone where it is the name. */
function visitorText({ user, role }: Visitor): string {
  const words = role === "operator" ? "operator" : "read-only";
  return user === words ? user : `${user}, ${words}`;
}

/** The operators' start page: a status page, the most important first. */
export function overviewPage(view: {
  status: Status;
  visitor: Visitor;
  problem?: string | undefined;
}): string {
  const { status, visitor, problem } = view;
  const { facts } = status;
  const { reading, stored } = facts;
  const address = overviewAddress(facts.span);
  return page(
    "Gateway dashboards",
    chartHead + liveHead(refreshSeconds, address),
    `${skipLink}<main id="main"${liveMain(refreshSeconds, address)}><header><h1>Gateway dashboards</h1><nav aria-label="Pages">${navigation("/")} <a href="/metrics">Metrics</a>
<span class="soft">${escape(visitorText(visitor))}</span>${staleNote}
${visitor.isProxied ? "" : '<form method="post" action="/logout"><button class="plain">Log out</button></form>'}</nav></header>
${note(problem)}${firstLine(status)}
${search}<p class="soft">The request id of a call is in the header <code>Svc-Request-Id</code> of its answer.</p>
${controls(facts)}${errors(facts)}${queuesPart(facts)}${trafficCharts(facts)}${busiestAccounts(stored)}${upstreams(facts)}
${typeof stored === "string" ? "" : spend(stored)}
${reading ? `${processes(reading)}<h2>Unexpected upstream answers</h2>${misfits(reading)}` : ""}
</main>`,
  );
}

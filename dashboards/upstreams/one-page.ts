import type { Canary } from "../../db/canaries.ts";
import type { Verification } from "../../db/verifications.ts";
import { operations } from "../../contract/index.ts";
import { unreachable } from "../../runtime/upstreams.ts";
import { controlsAddress, effectText } from "../controls/page.ts";
import { escape, framed, note, number, stacked } from "../frame.ts";
import { moment } from "../status/page.ts";
import { outOfReach } from "../status/upstream-troubles.ts";
import { changesOnPage, type UpstreamDrift } from "./drift.ts";
import {
  breakerText,
  credentialText,
  errorText,
  quotaText,
  refreshSeconds,
  spendText,
  upstreamAddress,
  verifyText,
} from "./page.ts";
import type { UpstreamReading, UpstreamView } from "./read.ts";

const verdictWords: Readonly<Record<string, string>> = {
  works: "works",
  works_but: "works, but",
  fails: "fails",
  unclear: "unclear",
};

/** `!` marks what fails. */
const verdictText = (verdict: string): string =>
  `${verdict === "fails" ? "!" : ""}${verdictWords[verdict] ?? escape(verdict)}`;

/** Reasons that stop calls to the upstream, in sentences. */
function troubles({ upstream: view, now }: UpstreamReading): string {
  const { name, workers, access, refused, acceptedAt, control, state, refusals } = view;
  const told: string[] = [];
  if (control) {
    const why = `${control.why} (${control.who})`;
    told.push(`Calls to it are ${effectText(control)}: ${why}.`);
  }
  if (access && workers.all > 0 && workers.ready < workers.all) {
    const lack = `${access.missing.join(", ") || "variables of its credential"}`;
    const which = workers.ready === 0 ? "No worker has" : "Some workers lack";
    told.push(`${which} ${lack}: live calls that need it fail, test calls do not.`);
  }
  if (state.breakersOpen > 0)
    told.push(`Its circuit breaker is ${breakerText(view).slice(1)}, which sends it no requests.`);
  for (const { reason, times, since } of refusals)
    told.push(
      reason === unreachable
        ? `The workers could not reach it ${times} times since ${moment(since, now)}: ${outOfReach}.`
        : `It refused our account ${times} times since ${moment(since, now)}: ${reason}.`,
    );
  if (refused && refused.at > (acceptedAt ?? 0) && refusals.length === 0)
    told.push(
      refused.reason === unreachable
        ? `The workers could not reach it at ${moment(refused.at, now)}, the last time they tried.`
        : `Its last answer, at ${moment(refused.at, now)}, refused our account: ${refused.reason}.`,
    );
  if (view.operations.length === 0) told.push(`No operation asks ${name}.`);
  return told.map((text) => note(text)).join("");
}

/** A value with `!` before it is bad. */
function fact(name: string, value: string): string {
  const bad = value.startsWith("!");
  return `<div><dt>${name}</dt><dd${bad ? ' class="bad"' : ""}>${bad ? value.slice(1) : value}</dd></div>`;
}

function facts({ upstream: view, now, shape }: UpstreamReading): string {
  const { access, workers, acceptedAt, state } = view;
  const variables = access?.credentials.join(", ") ?? "";
  const limit =
    state.perSecond === undefined
      ? "none set"
      : `${state.perSecond.toLocaleString("en-US", { maximumFractionDigits: state.perSecond < 10 ? 2 : 0 })} a second${state.callsLeft === undefined ? "" : `, ${state.callsLeft} left now`}`;
  const contact =
    access?.contact === undefined
      ? "not asked for"
      : `${access.contact}, ${access.hasContact ? "set" : "not set"}`;
  const { open } = shape;
  return `<div class="card pad"><dl>${[
    fact("Credential", credentialText(view).replaceAll("_", "_<wbr>")),
    fact("Its variables", variables === "" ? "none" : escape(variables).replaceAll("_", "_<wbr>")),
    fact("Operator's contact", contact),
    fact("Workers that have it", `${workers.ready} of ${workers.all}`),
    fact("Last accepted", acceptedAt === undefined ? "never" : moment(acceptedAt, now)),
    fact("Circuit breaker", breakerText(view)),
    fact("Errors, last hour", errorText(view)),
    fact("Quota left, as reported", quotaText(view)),
    fact("Our rate limit", limit),
    fact("Running requests", String(state.running)),
    fact("Spend today", spendText(view.spend)),
    fact("Requests today", view.spend ? String(view.spend.requests) : "unknown"),
    fact("Changed fields", open > 0 ? `!${open}` : shape.answers > 0 ? "none" : "no answer seen"),
    fact("Last verify", verifyText(view, now)),
  ].join("")}</dl></div>`;
}

function statuses({ requests }: UpstreamView, since: number | undefined, now: number): string {
  const from = since === undefined ? "" : ` <span class="soft">since ${moment(since, now)}</span>`;
  const head = `<h2>Answers of the last hour${from}</h2>`;
  if (requests.count === 0) return `${head}<p class="soft">No request was sent.</p>`;
  const rows = requests.byStatus
    .toSorted((a, b) => b.count - a.count)
    .map(({ status, count, failed }) => [
      escape(status),
      `${failed ? "!" : ""}${count}`,
      `${Math.round((100 * count) / requests.count)} %`,
    ]);
  return `${head}${stacked(["Status or fault", "Requests", "Share"], rows)}`;
}

/** Links to the neighbours of a page of changes. */
function turns({ open, over, page }: UpstreamDrift, name: string): string {
  const to = (other: number, text: string) =>
    `<a href="${escape(upstreamAddress(name))}?changes=${other}#changes">${text}</a>`;
  const links = [
    ...(page > 0 ? [to(page - 1, "Earlier rows")] : []),
    ...((page + 1) * changesOnPage < open + over ? [to(page + 1, "Further rows")] : []),
  ];
  return links.length === 0 ? "" : `<p>${links.join(" ")}</p>`;
}

/** "421 stand, 3 are over; rows 1 to 50". */
function countText({ open, over, rows, page }: UpstreamDrift): string {
  const all = `${number(open)} ${open === 1 ? "stands" : "stand"}${over > 0 ? `, ${number(over)} ${over === 1 ? "is" : "are"} over` : ""}`;
  if (rows.length === open + over) return all;
  const first = page * changesOnPage;
  return `${all}; rows ${number(first + 1)} to ${number(first + rows.length)}`;
}

function drift(shape: UpstreamDrift, name: string, now: number): string {
  const { answers, routes, last, rows } = shape;
  const head = "Changes of its answers";
  if (answers === 0)
    return `<h2>${head}</h2><p class="soft">No live answer has been seen, so nothing is known of changes.</p>`;
  const seen = `${number(answers)} answers of ${routes} ${routes === 1 ? "route" : "routes"} were seen, the last at ${moment(last, now)}`;
  if (rows.length === 0)
    return `<h2>${head}</h2><p class="soft">${seen}; none of them had changed.</p>`;
  const cells = rows.map((one) => [
    escape(one.operation),
    escape(one.path),
    `${one.ended === undefined ? "!" : ""}${one.change}`,
    escape(one.was),
    escape(one.now),
    moment(one.first, now),
    one.ended === undefined ? moment(one.last, now) : `over ${moment(one.ended, now)}`,
    escape(one.readBy.join(" ") || "–"),
  ]);
  const heads = ["Operation", "Field", "Change", "Was", "Now", "First", "Last", "Mapping"];
  return `<h2 id="changes">${head} <span class="soft">${countText(shape)}</span></h2>${stacked(heads, cells)}${turns(shape, name)}<p class="soft">${seen}. <code>gateway drift</code> lists all changes.</p>`;
}

/** The last verification and daily call of each operation. */
function dependants(view: UpstreamView, shape: UpstreamDrift, now: number): string {
  if (view.operations.length === 0) return "";
  const verified = new Map(view.verifications?.map((one) => [one.operation, one]));
  const daily = new Map(view.canaries?.map((one) => [one.operation, one]));
  const { changed } = shape;
  const isKnown = (id: string) => verified.has(id) || daily.has(id) || changed.has(id);
  const isBad = (id: string) =>
    changed.has(id) || [verified.get(id), daily.get(id)].some((one) => one?.verdict === "fails");
  const rows = view.operations
    .filter(isKnown)
    .toSorted((a, b) => Number(isBad(b)) - Number(isBad(a)))
    .map((id) => {
      const verdict: Verification | undefined = verified.get(id);
      const canary: Canary | undefined = daily.get(id);
      return [
        operationLink(id),
        verdict === undefined ? "never" : verdictText(verdict.verdict),
        verdict?.workedAt ? moment(verdict.workedAt.getTime(), now) : "–",
        canary === undefined ? "–" : `${verdictText(canary.verdict)}, ${canary.day}`,
        changed.has(id) ? "!changed" : "–",
        escape(verdict?.cause ?? canary?.cause ?? "–"),
      ];
    });
  const heads = ["Operation", "Last verify", "Last worked", "Daily call", "Answers", "Why"];
  const others = view.operations.filter((id) => !isKnown(id)).map(operationLink);
  const never =
    others.length === 0 ? "" : `<p class="soft">Never verified: ${others.join(", ")}.</p>`;
  return `<h2>Operations that depend on it <span class="soft">${view.operations.length}</span></h2>${rows.length === 0 ? "" : stacked(heads, rows)}${never}`;
}

function operationLink(id: string): string {
  const pool = operations.get(id)?.pool ?? "";
  return `<a href="/pools/${pool}/${encodeURIComponent(id)}">${escape(id)}</a>`;
}

/** `/upstreams/{name}`: all that is known of one upstream. */
export function upstreamPage(reading: UpstreamReading): string {
  const { upstream: view, now, shape, countedSince } = reading;
  return framed({
    title: `Upstream ${view.name}`,
    wide: true,
    refresh: refreshSeconds,
    body: `<nav><a href="/upstreams">All upstreams</a> <a href="${escape(controlsAddress("upstream", view.name))}">Stop or limit it</a></nav><p></p>${troubles(reading)}${facts(reading)}${statuses(view, countedSince, now)}${drift(shape, view.name, now)}${dependants(view, shape, now)}`,
  });
}

import { controlKinds, upstreamNames } from "../../runtime/controls.ts";
import { operations } from "../../contract/index.ts";
import { pools } from "../../contract/operation.ts";
import type { ControlRow } from "../../db/controls.ts";
import { escape, framed, note, stacked } from "../frame.ts";

const moment = (at: Date) => `${at.toISOString().slice(0, 16).replace("T", " ")}Z`;

const words: Record<string, string> = {
  pause: "paused",
  drain: "drained",
  off: "switched off",
  none: "back to normal",
};

export function effectText({ kind, effect, perMinute }: ControlRow): string {
  if (kind === "job") return effect;
  if (kind === "worker" && effect === "pause") return "quiet";
  return effect === "cap" ? `at most ${perMinute} a minute` : (words[effect] ?? effect);
}

/** The effect as a cell of a table: amber for a limit, red where calls stop. */
export const effectCell = (row: ControlRow): string =>
  row.effect === "cap"
    ? `<span class="warm">${effectText(row)}</span>`
    : `!${escape(effectText(row))}`;

const untilText = ({ until }: ControlRow) => (until ? moment(until) : "–");

/** A form that reverts a decision; it requires a reason too. */
function undo({ kind, target }: ControlRow): string {
  return `<form method="post" action="/controls" class="inline">
<input type="hidden" name="kind" value="${escape(kind)}"><input type="hidden" name="target" value="${escape(target)}">
<input type="hidden" name="effect" value="none"><input name="why" placeholder="Why" aria-label="Why" required maxlength="300"><button>${kind === "pool" || kind === "worker" ? "Resume" : "Switch on"}</button></form>`;
}

function standing(rows: readonly ControlRow[], mayChange: boolean): string {
  if (rows.length === 0) return '<p class="soft">Nothing is stopped or limited.</p>';
  const lines = rows.map((row) => [
    escape(`${row.kind} ${row.target}`),
    effectCell(row),
    untilText(row),
    escape(row.who),
    escape(row.why),
    ...(mayChange ? [undo(row)] : []),
  ]);
  return stacked(["What", "Is", "Until", "By", "Why", ...(mayChange ? [""] : [])], lines);
}

function log(rows: readonly ControlRow[]): string {
  if (rows.length === 0) return '<p class="soft">There are no decisions yet.</p>';
  const lines = rows.map((row) => [
    moment(row.at),
    escape(row.who),
    escape(`${row.kind} ${row.target}`),
    escape(effectText(row)),
    untilText(row),
    escape(row.why),
  ]);
  return stacked(["When", "Who", "What", "Became", "Until", "Why"], lines);
}

/** The values that were sent and refused, so that nothing has to be typed again. */
export type SentTexts = Partial<
  Record<"kind" | "target" | "effect" | "per_minute" | "minutes" | "why", string>
>;

/** Address of the forms with their subject filled in. */
export const controlsAddress = (kind: string, target: string): string =>
  `/controls?${new URLSearchParams({ kind, target }).toString()}#decide`;

const option = (value: string, text = value, chosen?: string) =>
  `<option value="${escape(value)}"${value === chosen ? " selected" : ""}>${escape(text)}</option>`;
const valueOf = (text: string | undefined) =>
  text === undefined ? "" : ` value="${escape(text)}"`;
const field = (label: string, input: string) => `<label>${label}${input}</label>`;

const lastFields = (sent: SentTexts) =>
  `${field("Minutes (empty: until reverted)", `<input name="minutes" inputmode="numeric" pattern="[0-9]{1,6}"${valueOf(sent.minutes)}>`)}
${field("Why", `<input name="why" required maxlength="300"${valueOf(sent.why)}>`)}`;

function forms(given: SentTexts): string {
  const ofPool = given.kind === "pool" ? given : {};
  const others = given.kind === "pool" ? {} : given;
  const names = [...upstreamNames, ...operations.keys()];
  return `<div class="forms"><form method="post" action="/controls" class="card"><b>A pool</b>
<input type="hidden" name="kind" value="pool">
${field("Pool", `<select name="target">${pools.map((pool) => option(pool, pool, ofPool.target)).join("")}</select>`)}
${field("Effect", `<select name="effect">${option("drain", "drain: refuse new calls, finish the others", ofPool.effect)}${option("pause", "pause: start no job, refuse new calls", ofPool.effect)}</select>`)}
${lastFields(ofPool)}<button>Stop it</button></form>
<form method="post" action="/controls" class="card"><b>An upstream, operation, account or key</b>
${field(
  "Kind",
  `<select name="kind">${controlKinds
    .filter((kind) => kind !== "pool" && kind !== "worker")
    .map((kind) => option(kind, kind, others.kind))
    .join("")}</select>`,
)}
${field("Name, or id of a key", `<input name="target" list="names" required maxlength="100" autocomplete="off"${valueOf(others.target)}>`)}
<datalist id="names">${names.map((name) => option(name)).join("")}</datalist>
${field("Effect", `<select name="effect">${option("off", "switch off", others.effect)}${option("cap", "rate limit, in calls a minute", others.effect)}</select>`)}
${field("Calls a minute, for a rate limit", `<input name="per_minute" inputmode="numeric" pattern="[0-9]{1,7}"${valueOf(others.per_minute)}>`)}
${lastFields(others)}<button>Decide</button></form></div>`;
}

/** The decisions in force and the log of decisions; with forms for an operator. */
export function controlsPage(view: {
  standing: readonly ControlRow[];
  log: readonly ControlRow[];
  mayChange: boolean;
  problem?: string | undefined;
  sent?: SentTexts | undefined;
}): string {
  return framed({
    title: "Controls",
    wide: true,
    body: `${note(view.problem)}<h2>In force</h2>${standing(view.standing, view.mayChange)}
<p class="soft">A decision reaches every process within about a second. Callers get upstream_unavailable with Retry-After, or rate_limited where the decision concerns their account or key.</p>
${view.mayChange ? `<h2 id="decide">Decide</h2>${forms(view.sent ?? {})}` : '<p class="soft">Only an operator may change this.</p>'}
<h2>Log</h2>${log(view.log)}`,
  });
}

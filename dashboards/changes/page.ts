import { type Change, changedValues, changeKinds } from "../../db/changes.ts";
import { accountAddress } from "../accounts/forms.ts";
import { escape, framed, link, note, stacked } from "../frame.ts";

/** The filter as the address has it; an empty text filters nothing. */
export interface Asked {
  account: string;
  kind: string;
  who: string;
}

const minute = (at: Date) => `${at.toISOString().slice(0, 16).replace("T", " ")}Z`;

export const changesAddress = (asked: Partial<Asked>, before?: number) => {
  const pairs = Object.entries(asked).filter(([, value]) => value !== "");
  if (before !== undefined) pairs.push(["before", String(before)]);
  return `/changes?${new URLSearchParams(pairs).toString()}`;
};

const kindNames: Record<string, string> = { control: "", limits: "limits of" };

function form({ account, kind, who }: Asked): string {
  const option = (value: string, text = value) =>
    `<option value="${value}"${value === kind ? " selected" : ""}>${text}</option>`;
  const field = (label: string, name: string, value: string) =>
    `<label>${label}<input name="${name}" value="${escape(value)}" maxlength="100"></label>`;
  return `<form action="/changes" class="card fields">${field("Account", "account", account)}
<label>Kind<select name="kind">${option("", "all")}${changeKinds.map((one) => option(one)).join("")}</select></label>
${field("Who", "who", who)}<button>Show</button></form>`;
}

/** With a link to the page where the change can be seen, if it has one. */
function whatText({ kind, target, account }: Change, what: string): string {
  if (kind === "webhook") return link(`/webhooks/${encodeURIComponent(target)}`, what);
  return account === null ? escape(what) : link(accountAddress(account), what);
}

/** A table of changes, newest first. */
export function changesTable(rows: readonly Change[], asked: Asked): string {
  const lines = rows.map((row) => {
    const { before, after } = changedValues(row);
    const what = `${kindNames[row.kind] ?? row.kind} ${row.target}`.trim();
    return [
      minute(row.at),
      `<span>${link(changesAddress({ ...asked, who: row.who }), row.who)} <span class="soft">${escape(row.via)}</span></span>`,
      whatText(row, what),
      escape(before),
      escape(after),
      escape(row.why || "–"),
    ];
  });
  return stacked(["When", "Who, by", "What", "Before", "After", "Why"], lines);
}

export function changesPage(view: {
  rows: readonly Change[];
  asked: Asked;
  hasMore: boolean;
  problem?: string | undefined;
}): string {
  const { rows, asked, hasMore, problem } = view;
  const last = rows.at(-1)?.id;
  const older =
    hasMore && last !== undefined ? link(changesAddress(asked, last), "Earlier changes") : "";
  return framed({
    title: "Changes",
    wide: true,
    body: `${note(problem)}${form(asked)}<p></p>
${rows.length === 0 ? '<p class="soft">There are no such changes.</p>' : changesTable(rows, asked)}<p>${older}</p>
<p class="soft">Decisions, limits, credits, keys, budgets and webhooks, by page, command line or program. The log is append-only; programs read it at <code>/api/changes</code>.</p>`,
  });
}

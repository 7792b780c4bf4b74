import type { AccountToday } from "../../db/account-list.ts";
import type { ControlRow } from "../../db/controls.ts";
import type { ListedKey } from "../../db/keys.ts";
import { addressOf } from "../calls/filter.ts";
import { effectCell } from "../controls/page.ts";
import { escape, framed, link, note, number, stacked } from "../frame.ts";
import { time } from "../timeline/timeline.ts";
import { changesAddress, changesTable } from "../changes/page.ts";
import type { SentChange } from "./change.ts";
import { accountAddress, accountForms } from "./forms.ts";
import { type AccountReading, shownDays } from "./read.ts";

const minute = (at: Date | number) => `${time(Number(at)).slice(0, 16)}Z`;

export function accountsPage(view: {
  rows: readonly AccountToday[];
  search: string;
  page: number;
  hasMore: boolean;
  /** Decisions in force. */
  controls: readonly ControlRow[];
}): string {
  const { rows, search, page, hasMore, controls: decisions } = view;
  const limits = new Map(
    decisions.flatMap((row) => (row.kind === "account" ? [[row.target, effectCell(row)]] : [])),
  );
  const address = (to: number) =>
    `/accounts?${new URLSearchParams({ name: search, page: String(to) }).toString()}`;
  const lines = rows.map((one) => [
    link(accountAddress(one.name), one.name),
    one.disabled ? "!disabled" : (limits.get(one.name) ?? "open"),
    `${one.liveAvailable <= 0 && one.calls > 0 ? "!" : ""}${number(one.liveAvailable)}`,
    number(one.testAvailable),
    number(one.inFlight),
    number(one.calls),
    number(one.errors),
    number(one.credits),
  ]);
  const heads = [
    "Account",
    "State",
    "Live credits left",
    "Test credits left",
    "In flight",
    "Live calls today",
    "Errors today",
    "Credits today",
  ];
  const links = [
    ...(page > 0 ? [link(address(page - 1), "Previous page")] : []),
    ...(hasMore ? [link(address(page + 1), "Next page")] : []),
  ];
  return framed({
    title: "Accounts",
    wide: true,
    body: `<form action="/accounts"><input name="name" value="${escape(search)}" placeholder="Part of a name" aria-label="Part of a name" maxlength="100"><button>Show</button></form><p></p>
${rows.length === 0 ? '<p class="soft">There is no such account.</p>' : stacked(heads, lines)}<p>${links.join(" ")}</p>
<p class="soft">The accounts that spent most live credits today (UTC) come first.</p>`,
  });
}

function facts({ account, inFlight }: AccountReading): string {
  const { live, test } = account.balances;
  const held = (credits: number) =>
    credits > 0 ? ` <span class="soft">and ${number(credits)} held</span>` : "";
  const most = account.maxInFlight;
  const list: [string, string, boolean][] = [
    ["Live credits left", `${number(live.available)}${held(live.held)}`, live.available <= 0],
    ["Test credits left", `${number(test.available)}${held(test.held)}`, false],
    ["Live calls in flight", `${inFlight.live} of ${most}`, inFlight.live >= most],
    ["Test calls in flight", `${inFlight.test} of ${most}`, inFlight.test >= most],
    ["Calls a second", `at most ${account.ratePerSecond}`, false],
    ["Since", minute(account.createdAt).slice(0, 10), false],
  ];
  const html = list.map(
    ([name, value, bad]) =>
      `<div><dt>${name}</dt><dd${bad ? ' class="bad"' : ""}>${value}</dd></div>`,
  );
  return `<div class="card pad"><dl>${html.join("")}</dl></div>`;
}

function controls({ controls: rows }: AccountReading): string {
  if (rows.length === 0) return "";
  const lines = rows.map((row) => [
    escape(`${row.kind} ${row.target}`),
    effectCell(row),
    minute(row.at),
    row.until ? minute(row.until) : "–",
    escape(row.who),
    escape(row.why),
  ]);
  return `<h2>In force</h2>${stacked(["What", "Is", "Since", "Until", "By", "Why"], lines)}`;
}

/** Sums of the rows by what `of` names, in the order of the first row of each. */
function summed(
  rows: AccountReading["usage"],
  of: (row: AccountReading["usage"][number]) => string[],
): string[][] {
  const groups = Map.groupBy(rows, (row) => JSON.stringify(of(row)));
  const sum = (some: typeof rows, read: (row: (typeof rows)[number]) => number) =>
    number(some.reduce((total, row) => total + read(row), 0));
  return [...groups.values()].map((some) => [
    ...of(some[0] as (typeof rows)[number]),
    sum(some, ({ calls }) => calls),
    sum(some, ({ errors }) => errors),
    sum(some, ({ credits }) => credits),
  ]);
}

const mostOperations = 10;

function use({ usage, account }: AccountReading): string {
  if (usage.length === 0)
    return `<h2>Use</h2><p class="soft">No call within ${shownDays} days.</p>`;
  const latest = usage.toSorted((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0));
  const days = summed(latest, ({ day, mode }) => [day, mode]);
  const busiest = [...Map.groupBy(usage, ({ operation, mode }) => `${mode} ${operation}`).values()]
    .toSorted(
      (a, b) =>
        b.reduce((sum, row) => sum + row.calls, 0) - a.reduce((sum, row) => sum + row.calls, 0),
    )
    .slice(0, mostOperations)
    .flat();
  const operations = summed(busiest, ({ operation, mode }) => [
    link(addressOf({ account: account.name, operation, mode, hours: "168" }), operation),
    mode,
  ]);
  return `<h2>Use by day</h2>${stacked(["Day (UTC)", "Mode", "Calls", "Errors", "Credits"], days)}
<h2>Top operations of ${shownDays} days</h2>${stacked(["Operation", "Mode", "Calls", "Errors", "Credits"], operations)}`;
}

function errors({ errors: list, account }: AccountReading): string {
  if (list.length === 0) return '<h2>Errors of a day</h2><p class="soft">None.</p>';
  const rows = list.map(({ mode, type, count, last }) => [
    link(addressOf({ account: account.name, type, mode }), type),
    mode,
    `${mode === "live" ? "!" : ""}${number(count)}`,
    minute(last),
  ]);
  return `<h2>Errors of a day</h2>${stacked(["Type", "Mode", "Calls", "Last"], rows)}`;
}

function budgets({ budgets: list }: AccountReading): string {
  if (list.length === 0) return '<h2>Budgets</h2><p class="soft">None.</p>';
  const rows = list.map(({ keyId, mode, period, credits, charged, held, renewsAt }) => [
    keyId === undefined ? "all keys" : escape(`key ${keyId}`),
    mode,
    period,
    `${charged + held >= credits ? "!" : ""}${number(charged)} of ${number(credits)}`,
    minute(renewsAt),
  ]);
  return `<h2>Budgets</h2>${stacked(["Of", "Mode", "Per", "Spent", "Renews"], rows)}`;
}

function keyState({ valid, revokedAt }: ListedKey): string {
  if (valid) return "valid";
  return revokedAt ? "revoked" : "expired";
}

function keys({ keys: list, account }: AccountReading): string {
  if (list.length === 0) return '<h2>Keys</h2><p class="soft">None.</p>';
  const rows = list.map((key) => [
    link(addressOf({ account: account.name, key: key.id, hours: "168" }), key.id),
    key.mode,
    keyState(key),
    key.lastUsedAt ? minute(key.lastUsedAt) : "never",
    minute(key.createdAt),
    key.expiresAt ? minute(key.expiresAt) : "–",
  ]);
  return `<h2>Keys</h2>${stacked(["Key, its id", "Mode", "State", "Last used", "Created", "Expires"], rows)}`;
}

function credentials({ credentials: list }: AccountReading): string {
  if (list.length === 0) return "";
  const rows = list.map(({ names, pricePercent, perSecond, changedAt }) => [
    escape(names.replaceAll("+", ", ")),
    `${pricePercent} %`,
    perSecond === null ? "the upstream's" : `${perSecond} requests a second`,
    minute(changedAt),
  ]);
  return `<h2>Own credentials</h2>${stacked(["In place of", "Price of a record", "Limit", "Changed"], rows)}`;
}

function changes({ changes: rows, account }: AccountReading): string {
  if (rows.length === 0) return "";
  const asked = { account: account.name, kind: "", who: "" };
  return `<h2>Latest changes</h2>${changesTable(rows, asked)}<p>${link(changesAddress(asked), "All its changes")}</p>`;
}

/** The state of one account, and the decisions that an operator can take on it. */
export function accountPage(
  reading: AccountReading,
  {
    mayChange,
    problem,
    sent = {},
  }: { mayChange: boolean; problem?: string | undefined; sent?: SentChange | undefined },
): string {
  const { account } = reading;
  const calls = [
    link(addressOf({ account: account.name }), "Its calls"),
    link(addressOf({ account: account.name, status: "failed" }), "Its failed calls"),
    link(
      `/work?${new URLSearchParams({ account: account.name }).toString()}`,
      "Its batches and jobs",
    ),
    ...(mayChange ? [link("#stop", "Limit or stop it")] : []),
    link("/accounts", "All accounts"),
  ];
  return framed({
    title: `Account ${account.name}`,
    wide: true,
    body: `${note(problem)}${account.disabled ? note("This account is disabled: its keys are refused.") : ""}<nav>${calls.join(" ")}</nav><p></p>
${facts(reading)}${controls(reading)}${errors(reading)}${use(reading)}${budgets(reading)}${keys(reading)}${credentials(reading)}${changes(reading)}${mayChange ? accountForms(reading, sent) : ""}`,
  });
}

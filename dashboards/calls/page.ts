import { errorTypes } from "../../contract/errors.ts";
import { areas, operations } from "../../contract/index.ts";
import { escape, framed, note, stacked } from "../frame.ts";
import { ms, time } from "../timeline/timeline.ts";
import {
  type Field,
  type Given,
  addressOf,
  mostHours,
  positionText,
  usualHours,
} from "./filter.ts";
import type { CallPage, Row } from "./read.ts";

const hours: [value: string, text: string][] = [
  ["1", "an hour"],
  ["6", "6 hours"],
  [String(usualHours), "a day"],
  [String(mostHours), "a week"],
];

function select(label: string, name: Field, options: [string, string][], given: Given): string {
  const chosen = given[name];
  const list = options.some(([value]) => value === chosen) || chosen === undefined;
  // A value of the address that no option has stays chosen.
  const all = list ? options : [...options, [chosen, chosen] as [string, string]];
  const html = all.map(
    ([value, text]) =>
      `<option value="${escape(value)}"${value === (chosen ?? "") ? " selected" : ""}>${escape(text)}</option>`,
  );
  return `<label>${label}<select name="${name}">${html.join("")}</select></label>`;
}

function input(label: string, name: Field, given: Given, more = ""): string {
  return `<label>${label}<input name="${name}" value="${escape(given[name] ?? "")}" ${more}></label>`;
}

const same = (values: readonly string[]): [string, string][] => values.map((one) => [one, one]);
const list = (id: string, values: readonly string[]) =>
  `<datalist id="${id}">${values.map((one) => `<option value="${escape(one)}">`).join("")}</datalist>`;

function form(given: Given): string {
  const any: [string, string] = ["", "any"];
  return `<form action="/calls" class="card fields">
${input("Account", "account", given, 'maxlength="100" autocomplete="off"')}
${input("Key, its id", "key", given, 'maxlength="100" autocomplete="off"')}
${input("Operation", "operation", given, 'list="operations" maxlength="100" autocomplete="off"')}
${select("Area", "area", [any, ...same(areas.map(({ name }) => name))], given)}
${input("Status", "status", given, 'list="statuses" maxlength="10" autocomplete="off"')}
${select("Error type", "type", [any, ...same(errorTypes)], given)}
${select("Mode", "mode", [any, ...same(["live", "test"])], given)}
${select("Within", "hours", hours, { hours: String(usualHours), ...given })}
${input("Until (UTC; empty: now)", "until", given, 'type="datetime-local"')}
${select(
  "First",
  "order",
  [
    ["", "the newest"],
    ["slowest", "the slowest"],
  ],
  given,
)}
<button>Show</button></form>
${list("operations", [...operations.keys()])}${list("statuses", ["failed", "4xx", "5xx", "429", "502", "503"])}`;
}

/** A value that narrows the list to it. */
function narrowed(given: Given, field: Field, value: string): string {
  if (value === "") return "–";
  if (given[field] === value) return escape(value);
  const { after: _, ...rest } = given;
  return `<a href="${escape(addressOf({ ...rest, [field]: value }))}">${escape(value)}</a>`;
}

function cells(row: Row, given: Given): string[] {
  const status = row.status === 0 ? "none" : String(row.status);
  return [
    `<a href="/calls/${encodeURIComponent(row.id)}">${escape(row.id)}</a>`,
    time(row.at).slice(5, 19),
    narrowed(given, "account", row.account),
    row.mode === "" ? "–" : row.mode,
    narrowed(given, "operation", row.operation),
    `${row.status >= 400 && row.mode !== "test" ? "!" : ""}${status}`,
    row.errorType === undefined
      ? row.refused && row.status >= 400
        ? "refused"
        : "–"
      : narrowed(given, "type", row.errorType),
    ms(row.ms),
    String(row.credits),
  ];
}

const heads = [
  "Request",
  "At (UTC)",
  "Account",
  "Mode",
  "Operation",
  "Status",
  "Error",
  "Time",
  "Credits",
];

function table(page: CallPage, given: Given): string {
  const { rows, next, from, to } = page;
  const span = `${time(from).slice(0, 16)}Z to ${time(Math.min(to, Date.now())).slice(0, 16)}Z`;
  const { after, ...first } = given;
  const links = [
    ...(after === undefined ? [] : [`<a href="${escape(addressOf(first))}">First page</a>`]),
    ...(next
      ? [
          `<a href="${escape(addressOf({ ...given, after: positionText(next) }))}" rel="next">Next page</a>`,
        ]
      : []),
  ];
  const shown =
    rows.length === 0
      ? `<p>No such call${next ? " on this page; there may be some on the next" : ""}.</p>`
      : stacked(
          heads,
          rows.map((row) => cells(row, given)),
          "dense",
        );
  const order =
    given.order === "slowest" ? "the slowest first, without refused requests" : "the newest first";
  return `<p class="soft">${span}, ${order}.</p>${shown}<p>${links.join(" ")}</p>`;
}

/** The list of calls; the form keeps its values, whatever is wrong with them. */
export function callsPage(view: {
  given: Given;
  page?: CallPage | undefined;
  problem?: string | undefined;
}): string {
  const { given, page, problem } = view;
  return framed({
    title: "Calls",
    wide: true,
    body: `${note(problem)}${form(given)}${page ? table(page, given) : ""}
<p class="soft">Calls are listed for a week. Requests that were refused before they had a job are kept for an hour, up to 400 a minute of each account. A request id leads to the timeline of its call.</p>`,
  });
}

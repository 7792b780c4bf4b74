import type { ListedEndpoint } from "../../db/webhook-list.ts";
import type { LoggedDelivery } from "../../db/webhook-log.ts";
import { accountAddress } from "../accounts/forms.ts";
import { escape, framed, link, note, number, stacked } from "../frame.ts";
import { span } from "../status/troubles.ts";
import { time } from "../timeline/timeline.ts";

const second = (at: Date | number) => `${time(Number(at)).slice(0, 19)}Z`;
export const endpointAddress = (id: string) => `/webhooks/${encodeURIComponent(id)}`;

/** Without the query, in which callers put secrets. */
function addressText(url: string | null): string {
  const parsed = url === null ? undefined : URL.parse(url);
  return parsed ? parsed.origin + parsed.pathname : "addresses of single jobs and batches";
}

const offNames = {
  owner: "switched off",
  failing: "off, it failed for days",
  gone: "off, it is gone",
};

function stateOf({ offReason, offSince, failingSince }: ListedEndpoint): string {
  if (offReason) return `${offNames[offReason]} <span class="soft">${second(offSince ?? 0)}</span>`;
  if (failingSince !== null) return `!fails since ${second(failingSince)}`;
  return "delivers";
}

const waitOf = ({ pending, oldestSeconds }: ListedEndpoint) =>
  `${number(pending)}${oldestSeconds > 0 ? ` <span class="soft">the oldest due for ${span(oldestSeconds * 1000)}</span>` : ""}`;

/** The endpoints of all accounts, those with trouble first. */
export function webhooksPage(view: {
  endpoints: readonly ListedEndpoint[];
  account: string;
  hasMore: boolean;
  problem?: string | undefined;
}): string {
  const { endpoints, account, hasMore, problem } = view;
  const rows = endpoints.map((one) => [
    link(endpointAddress(one.id), one.id.slice(0, 12)),
    link(accountAddress(one.account), one.account),
    one.mode,
    escape(addressText(one.url)),
    stateOf(one),
    waitOf(one),
    `${one.dropped > 0 ? "!" : ""}${number(one.dropped)}`,
  ]);
  const heads = ["Endpoint", "Account", "Mode", "Address", "State", "Waiting", "Dropped events"];
  return framed({
    title: "Webhooks",
    wide: true,
    body: `${note(problem)}<form action="/webhooks"><input name="account" value="${escape(account)}" placeholder="Name of an account" aria-label="Name of an account" maxlength="100"><button>Show</button></form><p></p>
${rows.length === 0 ? '<p class="soft">There are no such endpoints.</p>' : stacked(heads, rows)}
<p class="soft">Failing endpoints come first, then those with most waiting deliveries.${hasMore ? " There are more: name an account." : ""} <a href="/queues/queue/webhooks">The queue</a> holds the attempts.</p>`,
  });
}

function answerText({ answers }: LoggedDelivery): string {
  const last = answers.at(-1) as { status?: number; fault?: string } | undefined;
  return String(last?.status ?? last?.fault ?? "–");
}

const button = (action: string, text: string, fields: Record<string, string> = {}) =>
  `<form method="post" action="${escape(action)}" class="inline">${Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escape(value)}">`)
    .join(
      "",
    )}<input name="why" placeholder="Why" aria-label="Why" required maxlength="300"><button>${text}</button></form>`;

/** One endpoint and the log of its deliveries. */
export function endpointPage(view: {
  endpoint: ListedEndpoint;
  deliveries: readonly LoggedDelivery[];
  mayChange: boolean;
  problem?: string | undefined;
}): string {
  const { endpoint, deliveries, mayChange, problem } = view;
  const action = endpointAddress(endpoint.id);
  const isOff = endpoint.offSince !== null;
  const rows = deliveries.map((one) => [
    second(one.createdAt),
    escape(one.eventType),
    one.state === "failed" ? "!failed" : one.state,
    number(one.attempts),
    escape(answerText(one)),
    one.dueAt ? second(one.dueAt) : "–",
    `<span class="id">${escape(one.eventId)}</span>`,
    ...(mayChange
      ? [isOff ? "" : button(action, "Send again", { change: "replay", delivery: one.id })]
      : []),
  ]);
  const heads = [
    "Created",
    "Event",
    "State",
    "Attempts",
    "Last answer",
    "Next attempt",
    "Event id",
  ];
  const facts: [string, string][] = [
    ["Account", `${link(accountAddress(endpoint.account), endpoint.account)} ${endpoint.mode}`],
    ["Address", escape(addressText(endpoint.url))],
    ["State", stateOf(endpoint).replace("!", "")],
    ["Waiting", waitOf(endpoint)],
  ];
  const turn = isOff
    ? button(action, "Switch on", { change: "on" })
    : button(action, "Switch off", { change: "off" });
  return framed({
    title: "Webhook endpoint",
    wide: true,
    body: `${note(problem)}<p class="id">${escape(endpoint.id)}</p><div class="card pad"><dl>${facts
      .map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`)
      .join("")}</dl>${mayChange ? turn : ""}</div>
<h2>Deliveries <span class="soft">newest first</span></h2>${rows.length === 0 ? '<p class="soft">There are none in the log.</p>' : stacked(mayChange ? [...heads, ""] : heads, rows)}
<p><a href="/webhooks">All endpoints</a></p>`,
  });
}

import { escape, framed, number, stacked } from "../frame.ts";
import { ms } from "../timeline/timeline.ts";
import { moment } from "../status/page.ts";
import type { Spend, UpstreamsReading, UpstreamView } from "./read.ts";

export const refreshSeconds = 15;

const warm = (text: string) => `<span class="warm">${escape(text)}</span>`;
export const upstreamAddress = (name: string): string => `/upstreams/${encodeURIComponent(name)}`;
export const upstreamLink = (name: string): string =>
  `<a href="${escape(upstreamAddress(name))}">${escape(name)}</a>`;

/** Whether the workers have what the upstream requires of the operator; `!` marks trouble. */
export function credentialText({ access, workers }: UpstreamView): string {
  if (!access || workers.all === 0) return "no worker reports";
  const { credentials, missing, contact, hasContact } = access;
  if (workers.ready === workers.all) {
    if (credentials.length > 0) return "present";
    if (contact === undefined) return "needs none";
    return hasContact ? "contact present" : `<span class="soft">contact asked for, not set</span>`;
  }
  // Not every installation has an account at every provider.
  if (workers.ready === 0) {
    const [first = "", ...others] = missing;
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    return `<span class="soft">${escape(first)}${more} not set</span>`;
  }
  return `!in ${workers.ready} of ${workers.all} workers`;
}

export function breakerText({ state }: UpstreamView): string {
  return state.breakersOpen > 0
    ? `!open in ${state.breakersOpen} ${state.breakersOpen === 1 ? "worker" : "workers"}`
    : "closed";
}

/** Share of the requests without a good answer. */
export function errorText({ requests: { count, failed } }: UpstreamView): string {
  if (count === 0) return "–";
  const share = Math.round((100 * failed) / count);
  const text = `${failed > 0 && share === 0 ? "under 1" : share} % of ${number(count)}`;
  return share >= 50 ? `!${text}` : share >= 5 ? warm(text) : text;
}

export function quotaText({ state: { reportedQuota: quota } }: UpstreamView): string {
  if (!quota) return "–";
  const text = `${number(quota.left)} <span class="soft">${ms(quota.secondsAgo * 1000)} ago</span>`;
  return quota.left === 0 ? `!${text}` : `<span>${text}</span>`;
}

const dollars = (value: number) => `$ ${value.toFixed(value > 0 && value < 0.01 ? 4 : 2)}`;

export function spendText(spend: Spend | undefined): string {
  if (!spend) return "unknown";
  if (spend.requests === 0) return "none";
  if (spend.reported > 0) return dollars(spend.reported);
  if (spend.expected === undefined) return `unknown, ${number(spend.requests)} requests`;
  return spend.expected === 0 ? "free" : `about ${dollars(spend.expected)}`;
}

export function driftText({
  drift,
  acceptedAt,
}: Pick<UpstreamView, "drift" | "acceptedAt">): string {
  if (!drift) return acceptedAt === undefined ? "no answer seen" : "no change known";
  return `!${drift.findings} ${drift.findings === 1 ? "field" : "fields"}`;
}

/** Counts of the last results of `gateway verify`. */
export function verifyText(
  { verifications }: Pick<UpstreamView, "verifications">,
  now: number,
): string {
  if (!verifications) return "unknown";
  if (verifications.length === 0) return "never";
  const bad = verifications.filter(({ verdict }) => verdict === "fails").length;
  const last = Math.max(...verifications.map(({ at }) => at.getTime()));
  const text = `${bad > 0 ? `${bad} of ${verifications.length} fail` : `${verifications.length} called`}, ${moment(last, now)}`;
  return bad > 0 ? `!${text}` : text;
}

const heads = [
  "Upstream",
  "Credential",
  "Last accepted",
  "Circuit breaker",
  "Errors, last hour",
  "Quota left",
  "Spend today",
  "Changed answers",
  "Last verify",
];

/** True for an upstream that was never called and has no account: it needs nobody's attention. */
const isUnused = ({ workers, acceptedAt, requests, refusals, verifications }: UpstreamView) =>
  workers.ready === 0 &&
  acceptedAt === undefined &&
  requests.count === 0 &&
  refusals.length === 0 &&
  (verifications ?? []).length === 0;

/** The more wrong, the higher: refused or broken, then failing or changed, then called, then all others. */
function weightOf(view: UpstreamView): number {
  const { refusals, state, requests, drift, verifications, control, acceptedAt } = view;
  if (refusals.length > 0 || state.breakersOpen > 0 || state.reportedQuota?.left === 0) return 4;
  if (control) return 3;
  const fails = verifications?.some(({ verdict }) => verdict === "fails") ?? false;
  if (requests.failed > 0 || drift || fails) return 2;
  return requests.count > 0 || acceptedAt !== undefined ? 1 : 0;
}

function row(view: UpstreamView, now: number): string[] {
  return [
    upstreamLink(view.name),
    credentialText(view),
    view.acceptedAt === undefined ? "never" : moment(view.acceptedAt, now),
    breakerText(view),
    errorText(view),
    quotaText(view),
    spendText(view.spend),
    driftText(view),
    verifyText(view, now),
  ];
}

/** `/upstreams`: every upstream in a line. */
export function upstreamsPage({ upstreams, now, countedSince }: UpstreamsReading): string {
  const unused = upstreams.filter(isUnused);
  const ready = upstreams.filter((one) => !isUnused(one));
  const used = ready
    .filter((one) => weightOf(one) > 0)
    .toSorted((a, b) => weightOf(b) - weightOf(a));
  const idle = ready.filter((one) => weightOf(one) === 0);
  const table = (views: readonly UpstreamView[]) =>
    stacked(
      heads,
      views.map((view) => row(view, now)),
    );
  const without =
    unused.length === 0
      ? ""
      : `<h2>Not in use <span class="soft">never called, and no worker has its credential</span></h2>${stacked(
          ["Upstream", "Not set", "Operations"],
          unused.map((view) => [
            upstreamLink(view.name),
            escape(view.access?.missing.join(", ") ?? "no worker reports"),
            String(view.operations.length),
          ]),
        )}`;
  const waiting =
    idle.length === 0
      ? ""
      : `<h2>Never called <span class="soft">by a caller, as far as the workers know</span></h2>${stacked(
          ["Upstream", "Credential", "Circuit breaker", "Last verify"],
          idle.map((view) => [
            upstreamLink(view.name),
            credentialText(view),
            breakerText(view),
            verifyText(view, now),
          ]),
        )}`;
  return framed({
    title: "Upstreams",
    wide: true,
    refresh: refreshSeconds,
    body: `${ready.length === 0 ? '<p class="soft">No worker has reported an upstream yet.</p>' : used.length === 0 ? '<p class="soft">No upstream was called yet.</p>' : table(used)}
<p class="soft">Those with trouble come first, then those called lately. Requests are counted since ${countedSince === undefined ? "now" : moment(countedSince, now)}. <a href="/canaries">Daily calls</a> alarm; <code>gateway verify</code> says which operations work.</p>${waiting}${without}`,
  });
}

import type { ListedBatch, OpenJobs } from "../../db/work-list.ts";
import { accountAddress } from "../accounts/forms.ts";
import { escape, framed, link, note, number, stacked } from "../frame.ts";
import { span } from "../status/troubles.ts";
import { time } from "../timeline/timeline.ts";

const minute = (at: number) => `${time(at).slice(0, 16)}Z`;

export const batchAddress = (id: string) => `/work/batches/${id}`;
export const jobAddress = (id: string) => `/work/jobs/${id}`;
const jobsAddress = (account: string, operation: string) =>
  `/work/jobs?${new URLSearchParams({ account, operation }).toString()}`;

/** Enough to tell batches apart; the page of each has all of it. */
const shortId = (id: string) => (id.length > 18 ? `${id.slice(0, 17)}…` : id);

export function doneText({ total, succeeded, failed, cancelled }: ListedBatch): string {
  const done = succeeded + failed + cancelled;
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
  return `${percent} % <span class="soft">${number(done)} of ${number(total)}</span>`;
}

export function batchEnd({ endedAt, leftMs, state }: ListedBatch): string {
  if (endedAt !== null) return minute(endedAt);
  if (state === "cancelling") return "it is being cancelled";
  return leftMs === null ? "–" : `in about ${span(leftMs)}`;
}

function batches(rows: readonly ListedBatch[]): string {
  if (rows.length === 0) return '<p class="soft">There are none.</p>';
  const lines = rows.map((one) => {
    return [
      link(batchAddress(one.id), shortId(one.id)),
      link(accountAddress(one.account), one.account),
      one.mode,
      one.state,
      doneText(one),
      number(one.queued),
      number(one.running),
      `${one.failed > 0 ? "!" : ""}${number(one.failed)}`,
      number(one.charged),
      minute(one.createdAt),
      batchEnd(one),
    ];
  });
  const heads = [
    "Batch",
    "Account",
    "Mode",
    "State",
    "Done",
    "Waiting",
    "Running",
    "Failed",
    "Credits",
    "Submitted",
    "End",
  ];
  return stacked(heads, lines);
}

function jobs(rows: readonly OpenJobs[]): string {
  if (rows.length === 0) return '<p class="soft">None is unfinished.</p>';
  const lines = rows.map((one) => [
    link(accountAddress(one.account), one.account),
    one.mode,
    link(jobsAddress(one.account, one.operation), one.operation),
    number(one.queued),
    number(one.running),
    span(one.oldestSeconds * 1000),
  ]);
  return stacked(["Account", "Mode", "Operation", "Waiting", "Running", "Oldest"], lines);
}

/** Batches with their progress, and unfinished jobs by account. */
export function workPage(view: {
  batches: readonly ListedBatch[];
  jobs: readonly OpenJobs[];
  account: string;
  problem?: string | undefined;
}): string {
  const { account, problem } = view;
  return framed({
    title: "Batches and jobs",
    wide: true,
    refresh: 15,
    body: `${note(problem)}<form action="/work"><input name="account" value="${escape(account)}" placeholder="Name of an account" aria-label="Name of an account" maxlength="100"><button>Show</button></form>
<h2>Batches <span class="soft">unfinished, then ended last</span></h2>${batches(view.batches)}
<h2>Jobs <span class="soft">unfinished, by account and operation</span></h2>${jobs(view.jobs)}
<p class="soft">A batch, and each job of an operation, has a page that cancels it; so do <code>gateway batches</code> and <code>gateway jobs</code>.</p>`,
  });
}

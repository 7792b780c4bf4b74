import type { ListedBatch, ListedJob } from "../../db/work-list.ts";
import { accountAddress } from "../accounts/forms.ts";
import { escape, framed, link, note, number, stacked } from "../frame.ts";
import { ms, time } from "../timeline/timeline.ts";
import { batchAddress, batchEnd, doneText, jobAddress } from "./page.ts";

const second = (at: number | null) => (at === null ? "–" : `${time(at).slice(0, 19)}Z`);

/** A page of one batch or job, with the form that cancels it. */
interface OneView {
  mayChange: boolean;
  problem?: string | undefined;
  /** The reason of a refused form, which the page keeps. */
  why?: string | undefined;
}

function form(action: string, title: string, warning: string, why = ""): string {
  return `<h2>${title}</h2><form method="post" action="${escape(action)}" class="card"><p class="warm">${warning}</p>
<label>Why<input name="why" required maxlength="300" value="${escape(why)}"></label><button>${title}</button></form>`;
}

function factsCard(facts: readonly (readonly [name: string, value: string])[]): string {
  const list = facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return `<div class="card pad"><dl>${list.join("")}</dl></div>`;
}

const told = (view: OneView) =>
  note(view.problem === undefined ? undefined : `Not done: ${view.problem}.`);

const onlyOperators = (what: string) =>
  `<p class="soft">Only an operator may cancel a ${what}.</p>`;

export function batchPage(one: ListedBatch, view: OneView): string {
  const isOpen = one.state === "running";
  const items = (count: number) => `${number(count)} ${count === 1 ? "item" : "items"}`;
  const warning = `The ${items(one.queued)} that wait are dropped, and the ${items(one.running)} that run are stopped; neither costs anything. The ${number(one.charged)} credits charged so far stay charged. A cancelled batch cannot be retried.`;
  const cancel = view.mayChange
    ? form(batchAddress(one.id), "Cancel the batch", warning, view.why)
    : onlyOperators("batch");
  return framed({
    title: "Batch",
    refresh: 15,
    body: `${told(view)}<p class="id">${escape(one.id)}</p>${factsCard([
      ["Account", `${link(accountAddress(one.account), one.account)} ${one.mode}`],
      ["State", one.state],
      ["Done", doneText(one)],
      ["Waiting", number(one.queued)],
      ["Running", number(one.running)],
      ["Succeeded", number(one.succeeded)],
      ["Failed", number(one.failed)],
      ["Cancelled", number(one.cancelled)],
      ["Credits charged", number(one.charged)],
      ["Submitted", second(one.createdAt)],
      ["End", batchEnd(one)],
    ])}${isOpen ? cancel : ""}
<p><a href="/work">All batches and jobs</a></p>`,
  });
}

export function jobPage(one: ListedJob, view: OneView): string {
  const isOpen = one.state === "queued" || one.state === "running";
  const warning =
    "The job is stopped within about a second and costs nothing. Nothing that was charged is given back: a job that ends first is charged as usual.";
  const cancel = view.mayChange
    ? form(jobAddress(one.id), "Cancel the job", warning, view.why)
    : onlyOperators("job");
  return framed({
    title: "Job",
    refresh: 15,
    body: `${told(view)}<p class="id">${escape(one.id)}</p>${factsCard([
      ["Account", `${link(accountAddress(one.account), one.account)} ${one.mode}`],
      ["Operation", escape(one.operation)],
      ["State", one.state],
      ["Submitted", second(one.createdAt)],
      ["Started", second(one.startedAt)],
      ["Ended", second(one.endedAt)],
    ])}${isOpen ? cancel : ""}
<p>${link(`/calls/${one.id}`, "Its timeline")} <a href="/work">All batches and jobs</a></p>`,
  });
}

/** Unfinished jobs of an account and operation, each a link to the page that cancels it. */
export function jobsPage(
  rows: readonly ListedJob[],
  {
    account,
    operation,
    hasMore,
    now,
  }: { account: string; operation: string; hasMore: boolean; now: number },
): string {
  const lines = rows.map((one) => [
    link(jobAddress(one.id), one.id),
    link(accountAddress(one.account), one.account),
    one.mode,
    escape(one.operation),
    one.state,
    ms(Math.max(0, now - one.createdAt)),
  ]);
  const of = [operation, account].filter(Boolean).join(" of ");
  return framed({
    title: "Unfinished jobs",
    wide: true,
    refresh: 15,
    body: `<p class="soft">${of === "" ? "Of all accounts" : escape(of)}, the oldest first.${hasMore ? ` There are more than these ${number(rows.length)}.` : ""}</p>
${rows.length === 0 ? '<p class="soft">None is unfinished.</p>' : stacked(["Job", "Account", "Mode", "Operation", "State", "Age"], lines)}
<p><a href="/work">All batches and jobs</a></p>`,
  });
}

import type { BatchData } from "../../../contract/batches.ts";
import { setBudget } from "../../../db/budgets.ts";
import { type Asked, type Caller, claim } from "./caller.ts";
import { keyed, serp, statusOf } from "./call-flows.ts";
import { linesOf } from "./batch-flows.ts";
import type { Flow } from "./flow.ts";

/** Calls, jobs and batches that fail or are refused, and endpoints of webhooks. */

const failing = { "svc-test-scenario": "upstream_error" };
const asJob = { prefer: "respond-async" };

/** A failed call costs nothing. */
async function failedCall(caller: Caller): Promise<void> {
  caller.lane.watch();
  const told = await caller.ask({ ...serp, headers: failing });
  await caller.settled();
  const { settles } = await caller.charges();
  const known = told === undefined || [502, 503].includes(told.status);
  claim(known && settles === 0, `${statusOf(told)}, ${settles} settles: ${told?.text}`);
}

async function failedJob(caller: Caller): Promise<void> {
  const asked = { ...serp, headers: { ...asJob, ...failing, ...keyed } };
  caller.lane.watch();
  const told = await caller.ask<{ request_id: string }>(asked);
  const again = await caller.insist<{ request_id: string }>(asked);
  await caller.settled();
  const jobs = await caller.jobs();
  const { settles } = await caller.charges();
  const books = `${statusOf(told)}, then ${again.status}: ${JSON.stringify(jobs)}, ${settles} settles`;
  claim(again.status === 202 && settles === 0, books);
  const own = jobs.filter(({ id }) => id === again.body.data.request_id);
  claim(own.length === 1 && jobs.every(({ state }) => state === "failed"), books);
}

const item = {
  custom_id: "item",
  operation: "shortclip.search",
  input: { q: "food", limit: 3 },
};

/** A batch with an invalid item leaves nothing, and its key is free for another. */
async function refusedBatch(caller: Caller): Promise<void> {
  const submission = (items: unknown[]): Asked => ({
    method: "POST",
    path: "/batches",
    body: { items },
    headers: keyed,
  });
  caller.lane.watch();
  const told = await caller.ask(submission([item, { ...item, custom_id: "bad", input: {} }]));
  claim(told === undefined || [400, 503].includes(told.status), `${told?.text}`);
  const next = await caller.insist<BatchData>(submission([item]));
  claim(next.status === 202, `${statusOf(told)}, then ${next.status}: ${next.text}`);
  await caller.settled();
  const batches = await caller.batches();
  const { settles } = await caller.charges();
  const { id } = next.body.data;
  const books = `${settles} settles, ${JSON.stringify(batches)}`;
  claim(batches.length === 1 && batches[0]?.id === id && settles === 1, books);
  await linesOf(caller, id, 1);
}

/** A budget of one call: what it refuses is not charged, and it never pays for two. */
async function budget(caller: Caller): Promise<void> {
  const { accountId, lane } = caller;
  const first = await caller.insist({ ...serp, headers: { "idempotency-key": "price" } });
  const credits = first.body.billing.credits_charged;
  await setBudget(lane.gateway.db, {
    accountId,
    mode: "test",
    period: "day",
    credits: 2 * credits,
    who: "test",
  });
  lane.watch();
  const told = await caller.ask({ ...serp, headers: keyed });
  const again = await caller.insist({ ...serp, headers: keyed });
  claim(again.status === 200, `${statusOf(told)}, then ${again.status}: ${again.text}`);
  const beyond = await caller.insist({ ...serp, headers: { "idempotency-key": "beyond" } });
  await caller.settled();
  const charges = await caller.charges();
  const books = `${beyond.status} beyond the budget, ${charges.settles} settles`;
  claim(beyond.status === 402 && charges.credits === 2 * credits, books);
}

/** An endpoint of webhooks is made once, gets one other secret, is changed, and tried. */
async function endpoint(caller: Caller): Promise<void> {
  const { receiver, gateway } = caller.lane;
  const path = `/endpoint-of-${caller.accountId}`;
  const body = { url: receiver.url + path, events: ["job.ended"] };
  caller.lane.watch();
  type Made = { id: string; secret: string };
  const keyed = (key: string) => ({ method: "POST", headers: { "idempotency-key": key } }) as const;
  const registered = { ...keyed("register"), path: "/webhooks", body };
  const told = await caller.ask<Made>(registered);
  const again = await caller.insist<Made>(registered);
  const rows = await gateway.db.sql<{ id: string }[]>`
    select id from webhook_endpoints where account_id = ${caller.accountId}`;
  const [row] = rows;
  const books = `${statusOf(told)}, then ${again.status}: ${rows.length} endpoints`;
  claim(rows.length === 1 && row !== undefined, books);
  claim(told?.status !== 201 || told.body.data.id === row?.id, books);
  claim(again.status === 201 && again.body.data.id === row?.id, books);
  const one = `/webhooks/${row?.id}`;
  const rotation = { ...keyed("rotate"), path: `${one}/rotate-secret` };
  const rotated = await caller.ask<Made>(rotation);
  const repeated = await caller.insist<Made>(rotation);
  const secrets = [told, again, rotated, repeated].map((answer) =>
    answer && answer.status < 300 ? answer.body.data.secret : undefined,
  );
  const [first = secrets[1], made, other = secrets[3], kept] = secrets;
  claim(first === made && other === kept && made !== kept, `secrets: ${statusOf(rotated)}`);
  const changed = await caller.insist({ method: "PATCH", path: one, body: { description: "x" } });
  claim(changed.status === 200, changed.text);
  const tried = await caller.insist({ method: "POST", path: `${one}/test` });
  claim(tried.status < 300, tried.text);
  await caller.settled();
  claim(
    receiver.received.some((request) => request.path === path),
    "the test did not arrive",
  );
}

export const refusalFlows: readonly Flow[] = [
  {
    name: "call that fails",
    also: ["api redis multi lpush errors:queue", "api redis script refused:*"],
    run: failedCall,
  },
  { name: "job that fails", run: failedJob },
  { name: "batch that is refused", run: refusedBatch },
  { name: "budget", run: budget },
  { name: "endpoint of webhooks", run: endpoint },
];

import { type Asked, type Caller, type Told, claim } from "./caller.ts";
import { failsFirst } from "./lane.ts";
import type { Flow } from "./flow.ts";

/** Calls, their concurrent retries, and jobs. */

/** Only POST has keys. */
export const serp: Asked = {
  method: "POST",
  path: "/seo/serp",
  body: { query: "coffee", location: "us", language: "en", limit: 2 },
};
export const keyed = { "idempotency-key": "one" };
export const asJob = { prefer: "respond-async" };

export const statusOf = (told: Told | undefined) => told?.status ?? "no answer";

/** A call without a key: 200 is charged as it says, 503 never, and a lost one once or not at all. */
async function call(caller: Caller): Promise<void> {
  caller.lane.watch();
  const told = await caller.ask(serp);
  await caller.settled();
  const { settles, credits } = await caller.charges();
  const charged = `${statusOf(told)}, and ${settles} settles of ${credits}`;
  if (told === undefined) claim(settles <= 1, charged);
  else if (told.status === 200) {
    claim(settles === 1 && credits === told.body.billing.credits_charged, charged);
  } else claim(told.status === 503 && settles === 0, `${charged}: ${told.text}`);
}

/** The answers of one key: a later 200 is every earlier 200, and there is one charge. */
export async function sameAnswer(
  caller: Caller,
  asked: Asked,
  earlier: readonly (Told | undefined)[],
): Promise<void> {
  const again = await caller.insist(asked);
  claim(again.status === 200, `${again.status} at the retry: ${again.text}`);
  const last = await caller.insist(asked);
  claim(last.text === again.text, `two retries differ: ${again.text} ${last.text}`);
  for (const told of earlier) {
    const refused = told === undefined || told.status === 503 || told.status === 429;
    claim(
      refused || (told.status === 200 && told.text === again.text),
      `${statusOf(told)} first, then ${again.text}: ${told?.text}`,
    );
  }
  await caller.settled();
  const { settles, credits } = await caller.charges();
  claim(
    settles === 1 && credits === again.body.billing.credits_charged,
    `one key, ${settles} settles of ${credits}`,
  );
}

export async function keyedCall(caller: Caller): Promise<void> {
  const asked = { ...serp, headers: keyed };
  caller.lane.watch();
  const told = await caller.ask(asked);
  await sameAnswer(caller, asked, [told]);
}

/** Its answer is stored apart from its replay. */
async function largeCall(caller: Caller): Promise<void> {
  const body = { url: caller.lane.upstream.largePage, formats: ["markdown"] };
  const asked: Asked = { method: "POST", path: "/web/fetch", body, headers: keyed };
  caller.lane.watch();
  const told = await caller.ask(asked);
  await sameAnswer(caller, asked, [told]);
}

async function concurrentRetries(caller: Caller): Promise<void> {
  const slowly = { ...keyed, "svc-test-scenario": "slow" };
  const asked = { ...serp, headers: slowly };
  caller.lane.watch();
  const told = await Promise.all([caller.ask(asked), caller.ask(asked)]);
  await sameAnswer(caller, asked, told);
}

export interface JobData {
  request_id: string;
  state: string;
}

/** A job without a key: 202 is carried out and charged once, 503 leaves nothing. */
async function job(caller: Caller): Promise<void> {
  const asked = { ...serp, headers: asJob };
  caller.lane.watch();
  const told = await caller.ask<JobData>(asked);
  await caller.settled();
  await carriedOut(caller, told);
}

/** A job whose caller waits for a second, and then gets 202. */
async function awaitedJob(caller: Caller): Promise<void> {
  const headers = { prefer: "respond-async, wait=1", "svc-test-scenario": "slow" };
  caller.lane.watch();
  const told = await caller.ask<JobData>({ ...serp, headers });
  await caller.settled();
  await carriedOut(caller, told);
}

async function carriedOut(caller: Caller, told: Told<JobData> | undefined): Promise<void> {
  const jobs = await caller.jobs();
  const { settles } = await caller.charges();
  const books = `${statusOf(told)}, ${settles} settles, jobs ${JSON.stringify(jobs)}`;
  if (told === undefined) claim(settles === jobs.length && settles <= 1, books);
  else if (told.status === 202) {
    const { request_id: id } = told.body.data;
    claim(settles === 1 && jobs.length === 1 && jobs[0]?.id === id, books);
    const result = await caller.insist({ path: `/jobs/${id}/result` });
    claim(result.status === 200, `a job's result is ${result.status}: ${result.text}`);
  } else claim(told.status === 503 && settles + jobs.length === 0, `${books}: ${told.text}`);
}

export async function keyedJob(caller: Caller): Promise<void> {
  const asked = { ...serp, headers: { ...asJob, ...keyed } };
  caller.lane.watch();
  const told = await caller.ask<JobData>(asked);
  const again = await caller.insist<JobData>(asked);
  claim(again.status === 202, `${again.status} at the retry: ${again.text}`);
  const { request_id: id } = again.body.data;
  const refused = told === undefined || told.status === 503;
  claim(refused || told.body.data.request_id === id, `${told?.text}, then ${again.text}`);
  await caller.settled();
  await carriedOut(caller, again);
}

/** A cancelled job is charged or cancelled, and the answer says which. */
async function cancelledJob(caller: Caller): Promise<void> {
  const headers = { ...asJob, "svc-test-scenario": "slow" };
  const { body } = await caller.insist<JobData>({ ...serp, headers });
  const asked = { method: "DELETE", path: `/jobs/${body.data.request_id}` } as const;
  caller.lane.watch();
  const told = await caller.ask<JobData>(asked);
  const again = await caller.insist<JobData>(asked);
  await caller.settled();
  const [row] = await caller.jobs();
  const { settles } = await caller.charges();
  const books = `${statusOf(told)}, then ${again.status}: ${row?.state}, ${settles} settles`;
  claim(settles === (row?.state === "succeeded" ? 1 : 0), books);
  for (const { status } of told && told.status !== 503 ? [told, again] : [again])
    claim(status === (row?.state === "cancelled" ? 200 : 409), books);
}

/** The end of a job is reported to the endpoint of its account, which fails at first. */
async function webhook(caller: Caller): Promise<void> {
  const { receiver } = caller.lane;
  const path = `${failsFirst}${caller.accountId}`;
  const body = { url: `${receiver.url}${path}`, events: ["job.ended"] };
  const registered = await caller.insist({ method: "POST", path: "/webhooks", body });
  claim(registered.status === 201, registered.text);
  caller.lane.watch();
  const told = await caller.ask<JobData>({ ...serp, headers: asJob });
  await caller.settled();
  await carriedOut(caller, told);
  const [row] = await caller.jobs();
  const received = receiver.received.filter((request) => request.path === path);
  const reports = `${received.length} requests at the receiver, the job: ${row?.state}`;
  const accepted = received.filter(({ reaction }) => reaction === 204);
  claim(accepted.length >= (row ? 1 : 0), reports);
  claim(new Set(received.map(({ event }) => event)).size <= 1, `${reports}, of several events`);
}

export const callFlows: readonly Flow[] = [
  {
    name: "call",
    also: [
      "api postgres update api_keys",
      "api redis incrby limits:door:*:test",
      "api redis multi hincrby calls:*",
      "api redis pexpire limits:door:*:test",
      "api redis script room",
      "worker redis bullmq moveToActive",
      "worker redis bzpopmin queue:marker",
      "worker redis multi hincrby times:queue:fine:*",
    ],
    run: call,
  },
  { name: "call with a key", run: keyedCall },
  { name: "call with a large answer", mode: "live", run: largeCall },
  { name: "concurrent retries", run: concurrentRetries },
  { name: "job", run: job },
  { name: "job with a key", run: keyedJob },
  { name: "job that is awaited", run: awaitedJob },
  { name: "cancel of a job", also: ["api postgres from jobs"], run: cancelledJob },
  {
    name: "webhook",
    also: ["api postgres take_webhooks", "api redis blmove queue:answers"],
    run: webhook,
  },
];

import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { BatchData } from "../../../contract/batches.ts";
import { type Asked, type Caller, type Told, Untrue, claim } from "./caller.ts";
import type { Flow } from "./flow.ts";

/** Batches: submitted as JSON and NDJSON, cancelled, retried, read while they run. */

const items = Array.from({ length: 3 }, (_, index) => ({
  custom_id: `item-${index}`,
  operation: "shortclip.search",
  input: { q: `food ${index}`, limit: 3 },
}));
const body = { items };
/** Results can be read by then, whatever becomes of a round trip. */
const readMs = 75_000;
/** Credits, less than the items cost. */
const cap = 6;
const keyed = { "idempotency-key": "one" };
/** No worker of these tests takes it. */
const unserved = [
  { custom_id: "unserved", operation: "browser.markdown", input: { url: "https://example.com/" } },
];
const submission = (sent: unknown, headers: Record<string, string> = {}): Asked => ({
  method: "POST",
  path: "/batches",
  body: sent,
  headers,
});

/** The lines of a batch that has ended, which are the same at every look. */
export async function linesOf(caller: Caller, id: string, count = items.length): Promise<string> {
  for (const end = Date.now() + readMs; ; await sleep(200)) {
    try {
      const first = await caller.results(id);
      const second = await caller.results(id);
      claim(JSON.stringify(first) === JSON.stringify(second), "two looks at results differ");
      claim(first.length === count, `${first.length} lines of ${count} items`);
      return JSON.stringify(first);
    } catch (error) {
      claim(!String(error).includes("500: "), `results are ${String(error)}`);
      if (error instanceof Untrue || Date.now() > end) throw error;
    }
  }
}

/** An accepted batch ends with all its items charged once; a refused one costs nothing. */
async function carriedOut(caller: Caller, told: Told<BatchData> | undefined): Promise<void> {
  const batches = await caller.batches();
  const { settles } = await caller.charges();
  const books = `${told?.status ?? "no answer"}, ${settles} settles, ${JSON.stringify(batches)}`;
  const [batch] = batches;
  claim(batches.length <= 1, books);
  if (told === undefined) claim(settles === (batch?.succeeded ?? 0), books);
  else if (told.status === 202) {
    claim(batch?.id === told.body.data.id, books);
    claim(batch?.succeeded === items.length && settles === items.length, books);
    await linesOf(caller, told.body.data.id);
  } else {
    const isGone = batch === undefined || batch.state === "cancelled";
    claim(told.status === 503 && settles === 0 && isGone, `${books}: ${told.text}`);
  }
}

async function batch(caller: Caller): Promise<void> {
  caller.lane.watch();
  const told = await caller.ask<BatchData>(submission(body));
  await caller.settled();
  await carriedOut(caller, told);
}

/** Sends a submission with a key twice: both are accepted by the same answer, and all of it ends. */
export async function acceptedOnce<D>(caller: Caller, asked: Asked): Promise<Told<D>> {
  caller.lane.watch();
  const told = await caller.ask<D>(asked);
  const again = await caller.insist<D>(asked);
  claim(again.status === 202, `${again.status} at the retry: ${again.text}`);
  claim(told?.status !== 202 || told.text === again.text, `${told?.text}, then ${again.text}`);
  await caller.settled();
  return again;
}

export async function keyedBatch(caller: Caller): Promise<void> {
  const asked = submission(body, keyed);
  const again = await acceptedOnce<BatchData>(caller, asked);
  await carriedOut(caller, again);
}

/** Sends a batch line by line; undefined where its connection ended without an answer. */
async function sendLines(caller: Caller): Promise<{ status: number; text: string } | undefined> {
  const sending = request(`${caller.lane.url}/batches?max_credits=${cap}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${caller.key}`,
      "content-type": "application/x-ndjson",
      ...keyed,
    },
    signal: AbortSignal.timeout(readMs),
  });
  const answered = once(sending, "response") as Promise<[IncomingMessage]>;
  answered.catch(() => undefined);
  try {
    for (const item of items) {
      sending.write(`${JSON.stringify(item)}\n`);
      await sleep(50);
    }
    sending.end();
    const [answer] = await answered;
    return { status: answer.statusCode ?? 0, text: await text(answer) };
  } catch {
    return undefined;
  }
}

/** A batch that arrives line by line, and may not spend what all of its items cost. */
async function cappedBatch(caller: Caller): Promise<void> {
  const send = () => sendLines(caller);
  caller.lane.watch();
  const told = await send();
  let again = await send();
  for (const end = Date.now() + readMs; again?.status !== 202; again = await send()) {
    claim(Date.now() < end, `no answer to a retry: ${again?.text}`);
    await sleep(200);
  }
  claim(told?.status !== 202 || told.text === again.text, `${told?.text}, then ${again.text}`);
  await caller.settled();
  const batches = await caller.batches();
  const { credits } = await caller.charges();
  claim(
    batches.length === 1 && credits === cap,
    `${credits} of ${cap}: ${JSON.stringify(batches)}`,
  );
  await linesOf(caller, batches[0]?.id as string);
}

async function cancelledBatch(caller: Caller): Promise<void> {
  const { body: made } = await caller.insist<BatchData>(submission({ items: unserved }));
  const asked = { method: "DELETE", path: `/batches/${made.data.id}` } as const;
  caller.lane.watch();
  const told = await caller.ask<BatchData>(asked);
  const again = await caller.insist<BatchData>(asked);
  claim(again.status === 200, `${again.status} at the second cancel: ${again.text}`);
  claim(told === undefined || [200, 503].includes(told.status), `${told?.text}`);
  await caller.settled();
  const [row] = await caller.batches();
  const { settles } = await caller.charges();
  claim(row?.state === "cancelled" && settles === 0, `${row?.state}, ${settles} settles`);
}

async function retriedBatch(caller: Caller): Promise<void> {
  const { gateway } = caller.lane;
  const failing = { "svc-test-scenario": "upstream_error" };
  const { body: made } = await caller.insist<BatchData>(submission(body, failing));
  await caller.settled();
  const { id } = made.data;
  await caller.results(id);
  await gateway.db.sql`update batches set scenario = null where public_id = ${id}`;
  const asked = { method: "POST", path: `/batches/${id}/retry` } as const;
  caller.lane.watch();
  const told = await caller.ask<BatchData>(asked);
  const again = await caller.insist<BatchData>(asked);
  claim(again.status === 202, `${again.status} at the second retry: ${again.text}`);
  claim(told === undefined || [202, 503].includes(told.status), `${told?.text}`);
  await caller.settled();
  await carriedOut(caller, again);
}

/** The lines that a caller follows while the batch runs are those that are read later. */
async function followedBatch(caller: Caller): Promise<void> {
  const slowly = { "svc-test-scenario": "slow" };
  const { body: made } = await caller.insist<BatchData>(submission(body, slowly));
  const { id } = made.data;
  caller.lane.watch();
  const followed = await fetch(`${caller.lane.url}/batches/${id}/results?follow=true`, {
    headers: { authorization: `Bearer ${caller.key}` },
    signal: AbortSignal.timeout(75_000),
  }).then(
    async (answer) => ({ status: answer.status, text: await answer.text().catch(() => "") }),
    () => undefined,
  );
  await caller.settled();
  await carriedOut(caller, { status: 202, body: made } as Told<BatchData>);
  if (followed?.status !== 200) return;
  const whole = await linesOf(caller, id);
  for (const line of followed.text.split("\n").slice(0, -1).filter(Boolean))
    claim(
      whole.includes(JSON.stringify(JSON.parse(line))),
      `a followed line is no result: ${line}`,
    );
}

export const batchFlows: readonly Flow[] = [
  { name: "batch", also: ["api postgres from batches, from balances, from accounts"], run: batch },
  { name: "batch with a key", run: keyedBatch },
  { name: "batch as lines with a cap", run: cappedBatch },
  { name: "cancel of a batch", run: cancelledBatch },
  { name: "retry of a batch", run: retriedBatch },
  { name: "results that are followed", run: followedBatch },
];

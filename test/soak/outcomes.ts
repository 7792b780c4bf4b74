import type { BatchData } from "../../contract/batches.ts";
import { operations } from "../../contract/index.ts";
import type { JobData } from "../../contract/jobs.ts";
import { type Operation, countRecords } from "../../contract/operation.ts";
import type { Attempt } from "../faults/history.ts";
import type { Envelope } from "../gateway.ts";
import {
  type Background,
  type SubmittedBatch,
  type SubmittedJob,
  type Told,
  search,
} from "./background.ts";
import type { Stage } from "./stage.ts";

/** The ends of accepted jobs and batches, read like their callers do. */

interface Outcomes {
  /** Jobs and batches that ended in another way than their callers were told. */
  found: string[];
  /** One for each call, for the history of money. */
  attempts: Attempt[];
}

/** Results that are read side by side. */
const readers = 4;
const itemOperation = operations.get(search) as Operation;

export async function outcomesOf(stage: Stage, { jobs, batches }: Background): Promise<Outcomes> {
  const outcomes: Outcomes = { found: [], attempts: [] };
  const left = [
    ...jobs.map((job) => () => readJob(stage, job, outcomes)),
    ...batches.map((batch) => () => readBatch(stage, batch, outcomes)),
  ];
  const next = async () => {
    for (let one = left.shift(); one; one = left.shift()) await one();
  };
  await Promise.all(Array.from({ length: readers }, next));
  return outcomes;
}

async function readJob(
  { gateway }: Stage,
  { client, id, key, op, isCancelled }: SubmittedJob,
  { found, attempts }: Outcomes,
): Promise<void> {
  const path = `/jobs/${id}`;
  const { url } = gateway;
  const { status, body } = await gateway.call<Told<JobData>>(client.key, "GET", path, { url });
  const state = status === 200 ? body.data.state : String(status);
  const wanted = isCancelled ? "cancelled" : "succeeded";
  if (state !== wanted) found.push(`job ${id}: ${state}, not ${wanted}: ${JSON.stringify(body)}`);
  const about = { account: client.account, requestId: id, ...(key ? { key } : {}) };
  if (state !== "succeeded") {
    attempts.push({ ...about, status: 409 });
    return;
  }
  const result = await gateway.call<Told<unknown>>(client.key, "GET", `${path}/result`, { url });
  attempts.push({ ...about, status: result.status, ...chargeOf(result.body, op) });
}

async function readBatch(
  { gateway }: Stage,
  { client, id, total, isFailing, isCancelled }: SubmittedBatch,
  { found, attempts }: Outcomes,
): Promise<void> {
  const { account, key } = client;
  const { url } = gateway;
  const { text } = await gateway.call<Told<BatchData>>(key, "GET", `/batches/${id}`, { url });
  const lines = await gateway.results(key, id, "", url);
  const good = lines.filter(({ status }) => status === 200).length;
  const isWhole = lines.length === total && good === (isFailing ? 0 : total);
  if (!isWhole && !isCancelled) found.push(`batch ${id}: ${good} of ${total} items: ${text}`);
  for (const { status, request_id: requestId = "", ...line } of lines)
    attempts.push({ account, status, requestId, ...chargeOf(line, itemOperation) });
}

const chargeOf = ({ billing, data }: Partial<Envelope>, op: Operation): Partial<Attempt> =>
  billing === undefined || data === undefined
    ? {}
    : {
        charged: billing.credits_charged,
        records: billing.records_charged,
        remaining: billing.balance_remaining,
        delivered: countRecords(op, data),
      };

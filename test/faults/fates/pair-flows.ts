import type { BatchData } from "../../../contract/batches.ts";
import { keyedBatch, linesOf } from "./batch-flows.ts";
import { type JobData, asJob, keyed, keyedCall, keyedJob, sameAnswer, serp } from "./call-flows.ts";
import { Caller, claim } from "./caller.ts";
import type { Flow } from "./flow.ts";

/** Two API processes behind one address: of a process that dies, the other takes over. */

/** The API process that carries a job and a batch dies, and the other goes on with both while it answers calls. */
async function takeOver(caller: Caller): Promise<void> {
  const { lane } = caller;
  const url = lane.firstUrl;
  const slowly = { "svc-test-scenario": "slow" };
  const item = { operation: "shortclip.search", input: { q: "food", limit: 3 } };
  const job = await caller.insist<JobData>({ ...serp, headers: { ...asJob, ...slowly }, url });
  const batch = await caller.insist<BatchData>({
    method: "POST",
    path: "/batches",
    body: { items: ["one", "two"].map((name) => ({ custom_id: name, ...item })) },
    headers: slowly,
    url,
  });
  const other = new Caller(lane, await lane.newAccount());
  lane.watch();
  await lane.loseFirst();
  const asked = { ...serp, headers: keyed };
  const told = await other.ask(asked);
  await caller.settled();
  const jobs = await caller.jobs();
  const batches = await caller.batches();
  const { settles } = await caller.charges();
  const books = JSON.stringify({ jobs, batches, settles });
  const [ended] = jobs;
  claim(ended?.state === "succeeded" && ended.id === job.body.data.request_id, books);
  claim(batches[0]?.succeeded === 2 && batches[0].id === batch.body.data.id, books);
  claim(jobs.length === 1 && batches.length === 1 && settles === 3, books);
  await linesOf(caller, batch.body.data.id, 2);
  await sameAnswer(other, asked, [told]);
}

export const pairFlows: readonly Flow[] = [
  { name: "call with a key, two processes", processes: 2, run: keyedCall },
  { name: "job with a key, two processes", processes: 2, run: keyedJob },
  { name: "batch with a key, two processes", processes: 2, run: keyedBatch },
  {
    name: "take-over by another process",
    processes: 2,
    also: [
      "other postgres adopt_jobs",
      "other postgres adopt_batch_items",
      "other postgres delete from job_owners, insert into job_owners",
      "other postgres from batches, from balances, from accounts",
    ],
    run: takeOver,
  },
];

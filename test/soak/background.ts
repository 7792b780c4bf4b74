import { setTimeout as sleep } from "node:timers/promises";
import type { BatchData } from "../../contract/batches.ts";
import type { JobData } from "../../contract/jobs.ts";
import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { outputOf, rpc } from "../api/mcp/agent.ts";
import type { Attempt } from "../faults/history.ts";
import type { Envelope, ErrorEnvelope } from "../gateway.ts";
import type { Kind } from "./kinds.ts";
import type { CallRequest, Client, Seen, Traffic } from "./traffic.ts";

/** Work that no caller waits for, submitted during a soak. */

export interface SubmittedJob {
  client: Client;
  id: string;
  key?: string | undefined;
  op: Operation;
  isCancelled: boolean;
}

export interface SubmittedBatch {
  client: Client;
  id: string;
  total: number;
  /** Its items fail. */
  isFailing: boolean;
  isCancelled: boolean;
  retries: number;
}

export type Told<D> = Envelope<D> & ErrorEnvelope;
type Batch = Omit<SubmittedBatch, "client" | "id" | "isCancelled" | "retries">;

export const search = "shortclip.search";
const inputOf = (count: number) => ({ q: `food ${count}`, limit: 3 });
const itemsOf = (count: number, total: number) =>
  Array.from({ length: total }, (_, index) => ({
    custom_id: `item-${index}`,
    operation: search,
    input: inputOf(count + index),
  }));
const asJob = { Prefer: "respond-async" };
const fails = { "Svc-Test-Scenario": "upstream_error" };
const slowly = { "Svc-Test-Scenario": "slow" };
const tries = 60;
const pauseMs = 1000;

const isFinal = (status: Seen["status"]) =>
  typeof status === "number" && status < 500 && status !== 429;

export class Background {
  /** Submissions without an answer, for the history of money. */
  readonly unanswered: Attempt[] = [];
  readonly jobs: SubmittedJob[] = [];
  readonly batches: SubmittedBatch[] = [];
  readonly #traffic: Traffic;
  readonly #clients: readonly Client[];

  constructor(traffic: Traffic, clients: readonly Client[]) {
    this.#traffic = traffic;
    this.#clients = clients;
  }

  kinds(): Kind[] {
    const kind = (
      name: string,
      weight: number,
      run: (name: string, client: Client, count: number) => Promise<unknown>,
    ): Kind => ({
      name,
      group: "background",
      weight,
      expected: [200, 202],
      run: (_, count) => run(name, this.#clients[count % this.#clients.length] as Client, count),
    });
    return [
      kind("job", 4, (name, client, count) => this.#job(name, client, count)),
      kind("job, keyed", 3, (name, client, count) => this.#keyedJob(name, client, count)),
      {
        ...kind("job, cancelled", 1, async (name, client, count) => {
          const job = await this.#job(name, client, count, slowly);
          if (job) await this.#cancel(name, client, `/jobs/${job.id}`, job);
        }),
        // The job may have ended before.
        expected: [200, 202, 409],
      },
      kind("task", 2, (name, client, count) => this.#task(name, client, count)),
      kind("batch", 2, (name, client, count) =>
        this.#batch(name, client, count, { total: 5, isFailing: false }),
      ),
      kind("batch, lines, keyed", 1, (name, client, count) => this.#lines(name, client, count)),
      kind("batch, cancelled", 0.5, async (name, client, count) => {
        const batch = await this.#batch(name, client, count, { total: 10, isFailing: false });
        if (batch) await this.#cancel(name, client, `/batches/${batch.id}`, batch);
      }),
      kind("batch, retried", 0.5, async (name, client, count) => {
        const batch = await this.#batch(name, client, count, { total: 3, isFailing: true });
        if (!batch) return;
        const path = `/batches/${batch.id}/retry`;
        const idempotencyKey = `retry-${count}`;
        await this.#insist(name, { client, method: "POST", path, idempotencyKey }, () => {
          batch.retries += 1;
        });
      }),
    ];
  }

  async #job(
    name: string,
    client: Client,
    count: number,
    headers: Record<string, string> = {},
  ): Promise<SubmittedJob | undefined> {
    const body = { operation: search, input: inputOf(count) };
    return this.#once(
      name,
      { client, method: "POST", path: "/jobs", body, headers },
      1,
      ({ data }: Told<JobData>) => this.#noteJob(client, data.request_id, search),
    );
  }

  async #keyedJob(name: string, client: Client, count: number): Promise<void> {
    const body = { query: `coffee ${count}`, location: "us", language: "en", limit: 2 };
    const idempotencyKey = `job-${count}`;
    const path = "/seo/serp";
    const ask = { client, method: "POST", path, body, headers: asJob, idempotencyKey } as const;
    await this.#insist(name, ask, ({ data }: Told<JobData>) =>
      this.#noteJob(client, data.request_id, "seo.serp.search", idempotencyKey),
    );
  }

  #noteJob(client: Client, id: string, operation: string, key?: string): SubmittedJob {
    const op = operations.get(operation) as Operation;
    const job = { client, id, key, op, isCancelled: false };
    this.jobs.push(job);
    return job;
  }

  /** A tool call of an agent that becomes a task. */
  async #task(name: string, client: Client, count: number): Promise<void> {
    const params = {
      name: "call_operation",
      arguments: { operation: search, input: inputOf(count), wait_seconds: 0 },
    };
    const seen = await this.#traffic.observe(name, client, async (url) => {
      const { status, result } = await rpc(url, client.key, "tools/call", params, true);
      const { taskId, content } = (result ?? {}) as { taskId?: string; content?: unknown[] };
      const output = content && outputOf({ content }).output;
      const id = taskId ?? output?.job;
      if (id !== undefined) this.#noteJob(client, id, search);
      // A tool reports a refusal inside an answer of status 200.
      return output?.error?.type === "upstream_unavailable" ? 503 : status;
    });
    this.#noteUnknown(seen, client, 1);
  }

  #batch(
    name: string,
    client: Client,
    count: number,
    batch: Batch,
  ): Promise<SubmittedBatch | undefined> {
    const { total, isFailing } = batch;
    return this.#once(
      name,
      {
        client,
        method: "POST",
        path: "/batches",
        body: { items: itemsOf(count, total) },
        ...(isFailing ? { headers: fails } : {}),
      },
      total,
      ({ data }: Told<BatchData>) => this.#noteBatch(client, data.id, batch),
    );
  }

  /** One line of a batch as NDJSON is an object. */
  async #lines(name: string, client: Client, count: number): Promise<void> {
    await this.#insist(
      name,
      {
        client,
        method: "POST",
        path: "/batches",
        body: itemsOf(count, 1)[0],
        headers: { "content-type": "application/x-ndjson" },
        idempotencyKey: `lines-${count}`,
      },
      ({ data }: Told<BatchData>) =>
        this.#noteBatch(client, data.id, { total: 1, isFailing: false }),
    );
  }

  #noteBatch(client: Client, id: string, batch: Batch): SubmittedBatch {
    const noted = { client, id, ...batch, isCancelled: false, retries: 0 };
    this.batches.push(noted);
    return noted;
  }

  /** Cancels until the answer is known, which says whether the work is cancelled. */
  async #cancel(
    name: string,
    client: Client,
    path: string,
    work: { isCancelled: boolean },
  ): Promise<void> {
    await this.#insist(name, { client, method: "DELETE", path }, () => (work.isCancelled = true));
  }

  /** Sends a submission once: a refused one must leave nothing, and one without an answer may run. */
  async #once<D, T>(
    name: string,
    ask: CallRequest,
    calls: number,
    accepted: (body: Told<D>) => T,
  ): Promise<T | undefined> {
    let noted: T | undefined;
    const heard = (body: unknown) => (noted = accepted(body as Told<D>));
    const seen = await this.#traffic.send(name, { ...ask, heard });
    this.#noteUnknown(seen, ask.client as Client, calls);
    return noted;
  }

  /** Repeats a request until it is answered for good. */
  async #insist<D>(
    name: string,
    ask: CallRequest,
    accepted: (body: Told<D>) => unknown,
  ): Promise<void> {
    const heard = (body: unknown) => accepted(body as Told<D>);
    for (let left = tries; left > 0; left -= 1) {
      const { status } = await this.#traffic.send(name, { ...ask, heard });
      if (isFinal(status)) return;
      await sleep(pauseMs);
    }
    this.#traffic.unresolved.add(ask.idempotencyKey ?? ask.path);
  }

  #noteUnknown({ status, refused }: Seen, { account }: Client, calls: number): void {
    if (status !== "unknown" || refused) return;
    for (let count = 0; count < calls; count += 1)
      this.unanswered.push({ account, status: "unknown" });
  }
}

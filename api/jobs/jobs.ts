import { randomUUID } from "node:crypto";
import type { Operation, Pool } from "../../contract/operation.ts";
import type { CallStore } from "../../db/calls.ts";
import type { Database } from "../../db/client.ts";
import { type AdoptedJob, type CancelledJob, JobStore } from "../../db/jobs.ts";
import type { Caller } from "../auth.ts";
import type { Call, Request, Response, Services } from "../call.ts";
import { type Claimed, claim } from "../claim.ts";
import { join } from "../execute.ts";
import { replayed } from "../settle.ts";
import { retryStore } from "../stores.ts";
import { parseCall } from "../parse-call.ts";
import type { RunningJob } from "./owner.ts";
import { startJob } from "./start-job.ts";
import { EndWaiters } from "./end-waiters.ts";
import { stored } from "./stored.ts";
import { takeOver } from "./take-over.ts";
import { UncarriedJobs } from "./uncarried-jobs.ts";

export type Accepted =
  /** `createdAt`: of a new job, Unix time in milliseconds. */
  | { kind: "job"; requestId: string; repeated: false; balance: number; createdAt: number }
  /** An earlier request with the same key has submitted this job. */
  | { kind: "job"; requestId: string; repeated: true; balance: number }
  /** The key belongs to a synchronous call with this answer. */
  | { kind: "answer"; response: Response };

export interface JobsOptions {
  db: Database;
  services: Services;
  operations: readonly Operation[];
  /** How long a job may wait in its queue, in milliseconds. */
  queueMs: number;
}

/** An internal key that no caller can send: header values hold no control characters. */
const internalKey = (name: string): string => `\u0001${name}`;

export const defaultQueueMs = 15 * 60_000;

const tickMs = 1000;
/** Jobs taken over by one statement. */
const adoptedAtOnce = 100;

/**
 * Runs calls without a waiting caller. A process runs the jobs that it accepted; any other process takes over
 * those that it leaves behind.
 */
export class Jobs {
  readonly owner: string = randomUUID();
  readonly store: JobStore;
  readonly services: Services;
  readonly ends: EndWaiters;
  /** Jobs that this process runs, by request id. */
  readonly carried = new Map<string, RunningJob>();
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #queueMs: number;
  #timer: NodeJS.Timeout | undefined;
  #ticking: Promise<void> | undefined;
  #stopped = false;
  readonly #uncarried: UncarriedJobs;

  constructor({ db, services, operations, queueMs }: JobsOptions) {
    this.store = new JobStore(db);
    this.services = services;
    this.#operations = new Map(operations.map((op) => [op.id, op]));
    this.#queueMs = queueMs;
    this.ends = new EndWaiters(this.store, (id) => this.carried.has(id));
    this.#uncarried = new UncarriedJobs(this);
  }

  operation(id: string): Operation | undefined {
    return this.#operations.get(id);
  }

  poolOf(operation: string): Pool | undefined {
    return this.#operations.get(operation)?.pool;
  }

  get calls(): CallStore {
    return this.services.calls;
  }

  /** True once this process has let go of its jobs. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Registers this process; must precede the first job, or others would take that over at once. */
  async start(): Promise<void> {
    await this.store.own(this.owner);
    this.#timer = setInterval(() => {
      this.#ticking ??= this.#tick()
        .catch((error: unknown) =>
          this.services.log("warn", "jobs not looked after", { error: String(error) }),
        )
        .finally(() => (this.#ticking = undefined));
    }, tickMs);
  }

  /** Leaves unfinished jobs to other processes, or to the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.ends.close();
    await this.#ticking;
    for (const { stop } of this.carried.values()) stop.abort();
    await this.store.disown(this.owner).catch(() => undefined);
  }

  /**
   * Accepts a call: validates it, applies the account's limits and reserves credits as for a waiting caller;
   * throws that caller's error. Once this returns the call is carried out, even if this process dies.
   */
  async accept(op: Operation, request: Request): Promise<Accepted> {
    const { services } = this;
    const key = request.idempotencyKey ?? internalKey(request.requestId);
    const trace = request.timeline?.trace?.below() ?? request.trace;
    const keyed: Request = { ...request, idempotencyKey: key, trace };
    request.timeline?.enter("validate");
    const now = services.dispatcher.storeTime(request.arrivedAt);
    const plain = parseCall(op, keyed, services.cursorSecret, now);
    const call: Call = {
      ...plain,
      deadline: plain.deadline + this.#queueMs,
      runMs: op.deadlineMs(plain.input),
      background: {
        owner: this.owner,
        call: stored(keyed, key),
        version: request.version,
        fields: request.fields?.join(","),
        isNew: request.idempotencyKey === undefined,
      },
    };
    const claimed = await this.#uncarried
      .assigning(() => this.#begin(call))
      .finally(() => {
        if (keyed.limits) request.limits = keyed.limits;
      });
    if (claimed.kind !== "held") return this.#earlier(plain, claimed);
    const { requestId } = request;
    const { balance, createdAt = Date.now() } = claimed;
    return { kind: "job", requestId, repeated: false, balance, createdAt };
  }

  /** Starts a call unless an earlier one answers it. */
  async #begin(call: Call): Promise<Claimed> {
    const { request } = call;
    const claimed = await claim(call, this.services);
    if (claimed.kind !== "held") return claimed;
    // The call log ends with the request, and the answer is not written to its connection.
    delete request.timeline;
    delete request.admitBytes;
    await startJob(this, call, request.requestId, Math.min(call.most, claimed.amount));
    return claimed;
  }

  /** The key names another job, or a call whose caller waited for it. */
  async #earlier(plain: Call, claimed: Exclude<Claimed, { kind: "held" }>): Promise<Accepted> {
    const { requestId } = claimed.replay;
    const { accountId, mode } = plain.request.caller;
    if (claimed.kind === "running") await retryStore(() => this.store.confirm(requestId));
    const job = await retryStore(() => this.store.find(requestId, accountId, mode));
    if (job) return { kind: "job", requestId, repeated: true, balance: job.available };
    const response =
      claimed.kind === "final"
        ? replayed(claimed.replay)
        : await join(plain, claimed.replay, this.services);
    return { kind: "answer", response };
  }

  /** Cancels jobs of a caller in whichever process they run; unknown ids are absent from the result. */
  async cancel(
    ids: readonly string[],
    { accountId, mode }: Pick<Caller, "accountId" | "mode">,
  ): Promise<CancelledJob[]> {
    const found = await retryStore(() => this.store.cancel(ids, accountId, mode));
    for (const { requestId, operation, state } of found) {
      const op = this.#operations.get(operation);
      // A repeated statement reports a job that the first one has cancelled.
      if (state !== "cancelled" || !op) continue;
      this.carried.get(requestId)?.stop.abort();
      void this.services.dispatcher.cancelSurely(requestId, op.pool);
      this.ends.ended(requestId);
    }
    return found;
  }

  async #tick(): Promise<void> {
    await this.store.own(this.owner);
    await this.#stopCancelled();
    await this.#noteStarted();
    let adopted: AdoptedJob[];
    do {
      if (this.#stopped) return;
      adopted = await this.store.adopt(this.owner, adoptedAtOnce);
      this.#takeOverAll(adopted);
    } while (adopted.length === adoptedAtOnce);
    this.#takeOverAll(await this.#uncarried.look());
  }

  #takeOverAll(jobs: readonly AdoptedJob[]): void {
    for (const job of jobs) {
      // This process has the job already if it seemed gone for a while only.
      if (this.carried.has(job.requestId)) continue;
      void this.#uncarried.takingOver(job.requestId, () => takeOver(this, job));
    }
  }

  /** Stops jobs that another process or an operator has cancelled. */
  async #stopCancelled(): Promise<void> {
    for (const requestId of await this.store.cancelledOf(this.owner)) {
      const carried = this.carried.get(requestId);
      if (!carried || carried.stop.signal.aborted) continue;
      carried.stop.abort();
      void this.services.dispatcher.cancelSurely(requestId, carried.pool);
    }
  }

  /**
   * Records which jobs have started, for lists of jobs; a shorter job goes from queued to its end. One query
   * per pool finds them, however many wait.
   */
  async #noteStarted(): Promise<void> {
    const { dispatcher } = this.services;
    const waiting = [...this.carried].filter(([, { running }]) => !running);
    const taken = new Set<string>();
    for (const pool of new Set(waiting.map(([, carried]) => carried.pool)))
      for (const jobId of await dispatcher.takenOf(pool)) taken.add(jobId);
    const looked = await Promise.all(
      waiting
        .filter(([requestId]) => taken.has(requestId))
        .map(async ([requestId, carried]) => {
          const at = await dispatcher.startOf(requestId, carried.pool);
          return at === undefined ? [] : [{ requestId, at, carried }];
        }),
    );
    const started = looked.flat();
    await this.store.started(started);
    for (const { carried } of started) carried.running = true;
  }
}

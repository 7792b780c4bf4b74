import { setTimeout as sleep } from "node:timers/promises";
import { chooseOfEach } from "../../contract/field-selection.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { CrawlTask } from "../../runtime/crawl.ts";
import type { JobOutcome } from "../../runtime/queue.ts";
import type { Pool } from "../../contract/operation.ts";
import type { Scenario } from "../../contract/scenario.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { ItemEnd, ItemStore, StartedItem } from "../../db/batch-items.ts";
import type { OpenBatch } from "../../db/batches.ts";
import type { Call, Services } from "../call.ts";
import { openBody } from "../envelope.ts";
import { jobOf } from "../execute.ts";
import { playAtEdge } from "../scenario.ts";
import { chargeOf, errorOf, pageOf } from "../settle.ts";
import { unavailable } from "../stores.ts";
import type { CallTimeline } from "../timeline.ts";
import { downgradedOpen } from "../version-changes.ts";
import { runJob } from "../queue/run-job.ts";
import type { Waited } from "../queue/waiters.ts";
import { store } from "./bodies.ts";
import { endOf, failed, insufficient } from "./item-ends.ts";
import type { BatchOperations } from "./item.ts";

/**
 * An item is retried as a new call when its work was lost, was not answered in time, or its upstream is
 * unavailable. Pauses in milliseconds before each retry but the first; after the last retry the item fails.
 */
const pausesMs = [2000, 8000, 30_000, 120_000] as const;
/** An item whose operation is stopped is put back when less than this is left of its time. */
/** A site has thousands of pages, of which some always fail: a crawl tries each a few seconds long. */
const crawlPausesMs = pausesMs.slice(0, 2);
const leastRunMs = 10_000;
const lookEveryMs = 500;
/** Behind every waiting caller of either mode: BullMQ's last priority. */
const lastOfAll = 2 ** 21 - 1;
const cancelsOfItem = { deadline: "once", gone: "surely" } as const;

export interface ItemCallParts {
  services: Pick<Services, "dispatcher" | "cursorSecret" | "log" | "controls" | "credentials">;
  operations: BatchOperations;
  items: ItemStore;
}

interface Options {
  adopted: boolean;
  stopped: AbortSignal;
  timeline: CallTimeline;
  /** Receives the time that a worker took, in milliseconds. */
  ran(pool: Pool, ms: number): void;
}

/**
 * Makes the call of one item: parses it, sends its job and returns its end. The item runner, which calls this
 * function, stores the end.
 */
export function runItemCall(
  item: StartedItem,
  batch: OpenBatch,
  parts: ItemCallParts,
  options: Options,
): Promise<ItemEnd> {
  return new ItemCall(item, batch, parts, options).toItsEnd();
}

class ItemCall {
  readonly #item: StartedItem;
  readonly #batch: OpenBatch;
  readonly #parts: ItemCallParts;
  readonly #options: Options;
  readonly #startedAt = Date.now();
  /** False while Redis has not accepted the job. */
  #isQueued = false;

  constructor(item: StartedItem, batch: OpenBatch, parts: ItemCallParts, options: Options) {
    this.#item = item;
    this.#batch = batch;
    this.#parts = parts;
    this.#options = options;
  }

  async toItsEnd(): Promise<ItemEnd> {
    const item = this.#item;
    const { services, items } = this.#parts;
    const { timeline, stopped } = this.#options;
    if (item.kind === "lost") return this.#again(unavailable("The work was lost"));
    let call: Call;
    try {
      call = this.#understood();
    } catch (error) {
      if (error instanceof GatewayError) return this.#failed(error);
      throw error;
    }
    const shut = await shutUntil(call, services, stopped);
    if (shut) return this.#later(shut, false);
    timeline.enter("wait");
    const waited = await this.#work(call);
    timeline.waited(waited);
    timeline.enter("settle");
    if (waited.kind !== "outcome" || !waited.outcome.ok) return this.#unsuccessful(call, waited);
    const { outcome, data } = waited;
    this.#noteRun(call, outcome);
    const { requestId } = item;
    const { found } = outcome;
    if (found?.drop !== undefined) return this.#since({ ...endOf(item), found });
    const shown = chosen(data, this.#batch.fields);
    const open = openBody(requestId, shown, pageOf(call, outcome, services));
    const older = this.#parts.operations.olderVersions.get(this.#batch.version);
    const body = downgradedOpen(call.op, open, older);
    return this.#since({
      ...endOf(item),
      credits: chargeOf(call.op, outcome),
      records: outcome.records,
      truncated: outcome.truncated,
      ...(found === undefined ? {} : { found }),
      ...(await store(items, item.batchId, requestId, body)),
    });
  }

  /** Parses the item into a call; throws the error of an equal HTTP call, or when its credits were refused. */
  #understood(): Call {
    const item = this.#item;
    const batch = this.#batch;
    const { services, operations } = this.#parts;
    const caller = {
      keyId: batch.keyId,
      accountId: batch.accountId,
      accountName: batch.accountName,
      mode: batch.mode,
      ratePerSecond: 0,
      maxInFlight: 0,
    };
    const scenario = (batch.scenario ?? undefined) as Scenario | undefined;
    const call = operations.callOf(
      item.operation,
      item.requestId,
      JSON.parse(item.input) as Record<string, unknown>,
      { caller, version: batch.version, scenario, arrivedAt: batch.createdAt },
      services.cursorSecret,
      services.dispatcher.storeTime(batch.createdAt),
    );
    call.deadline = item.deadline;
    call.request.timeline = this.#options.timeline;
    if (scenario) playAtEdge(scenario, call.op);
    if (item.kind === "refused") throw insufficient(batch, item, call);
    return call;
  }

  /** Adds the job under the item's own id, which has no effect if another process has added it. */
  #work(call: Call): Promise<Waited> {
    const { requestId, amount } = this.#item;
    const { adopted, stopped } = this.#options;
    return runJob(this.#parts.services, {
      jobId: requestId,
      pool: call.op.pool,
      job: {
        ...jobOf(call, requestId, Math.min(call.most, amount), this.#parts.services),
        crawl: this.#crawl(),
      },
      deadline: call.deadline,
      gone: stopped,
      priority: lastOfAll,
      eager: adopted,
      again: adopted,
      patient: true,
      cancels: cancelsOfItem,
      onQueued: async (addedAt) => {
        this.#isQueued = addedAt !== undefined;
      },
    });
  }

  #crawl(): CrawlTask | undefined {
    const { crawl } = this.#item;
    const { crawl: rules } = this.#batch;
    return crawl && rules !== null
      ? { ...crawl, rules: JSON.parse(rules) as CrawlTask["rules"] }
      : undefined;
  }

  #unsuccessful(call: Call, waited: Waited): ItemEnd {
    // A cancelled batch ends the item; otherwise it is put back.
    if (waited.kind === "gone") return this.#again(unavailable("The batch was stopped"));
    const error = errorOf(waited);
    if (waited.kind === "deadline" && !this.#isQueued)
      return { ...this.#again(error), isUncounted: true };
    if (waited.kind !== "outcome") return this.#later(error, waited.kind === "deadline");
    this.#noteRun(call, waited.outcome);
    // A retry would meet the same scenario again.
    const isForced = call.request.scenario !== undefined;
    const isPassing = error.type === "upstream_unavailable" && !isForced;
    return isPassing ? this.#later(error, true) : this.#failed(error);
  }

  #noteRun({ op }: Call, { work: ran }: JobOutcome): void {
    if (ran) this.#options.ran(op.pool, ran.ran);
  }

  /** Retries while tries are left, so that an upstream that is down for minutes costs no item. */
  #later(error: GatewayError, paused: boolean): ItemEnd {
    const pauses = this.#item.crawl ? crawlPausesMs : pausesMs;
    const pause = pauses[this.#item.tries];
    if (pause === undefined) return this.#failed(error);
    return this.#again(error, paused ? Math.max(pause, (error.retryAfter ?? 0) * 1000) : 0);
  }

  #again(error: GatewayError, pauseMs = 0): ItemEnd {
    this.#options.timeline.failed(error);
    const { status, type: errorType } = error;
    return this.#since({ ...endOf(this.#item), outcome: "again", status, errorType, pauseMs });
  }

  #failed(error: GatewayError): ItemEnd {
    this.#options.timeline.failed(error);
    return this.#since(failed(this.#item, error));
  }

  #since(end: ItemEnd): ItemEnd {
    return { ...end, durationMs: Date.now() - this.#startedAt };
  }
}

/** Reduces records to the members that the batch selects. */
function chosen(data: Buffer, fields: string | null): Buffer {
  if (fields === null) return data;
  const whole = JSON.parse(data.toString()) as unknown;
  return Buffer.from(JSON.stringify(chooseOfEach(whole, fields.split(","))));
}

/**
 * Waits while an operator has stopped or capped the operation; returns the refusal if that lasts longer than
 * the call's time.
 */
async function shutUntil(
  { op, request, deadline }: Call,
  { controls }: ItemCallParts["services"],
  stopped: AbortSignal,
): Promise<GatewayError | undefined> {
  if (!controls) return undefined;
  for (;;) {
    try {
      await controls.checkCaller(request.caller);
      await controls.checkWork(op);
      return undefined;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (stopped.aborted || monotonicNow() + leastRunMs > deadline) return error;
      await sleep(lookEveryMs);
    }
  }
}

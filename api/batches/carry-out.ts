import { setTimeout as sleep } from "node:timers/promises";
import { chooseOfEach } from "../../contract/choose.ts";
import { GatewayError } from "../../contract/errors.ts";
import { type Pool, creditsFor } from "../../contract/operation.ts";
import type { Scenario } from "../../contract/scenario.ts";
import { steadyNow } from "../../contract/steady.ts";
import type { ItemEnd, ItemStore, StartedItem } from "../../db/batch-items.ts";
import type { OpenBatch } from "../../db/batches.ts";
import type { Call, Services } from "../call.ts";
import { errorBody, openBody } from "../envelope.ts";
import { jobOf } from "../execute.ts";
import { playAtEdge } from "../scenario.ts";
import { errorOf, pageOf } from "../settle.ts";
import { unavailable } from "../stores.ts";
import type { Story } from "../story.ts";
import { runJob } from "../queue/run-job.ts";
import type { Waited } from "../queue/waiters.ts";
import { store } from "./bodies.ts";
import type { BatchOperations } from "./item.ts";

/**
 * An item whose work was lost, or had no answer in time, or whose upstream is out of order, is tried again
 * as a new call. Pauses in milliseconds before each but the first of these tries; after the last it fails.
 */
const pausesMs = [2000, 8000, 30_000, 120_000] as const;
/** An item whose operation is shut is put back when less than this is left of its time. */
const leastRunMs = 10_000;
const lookEveryMs = 500;
/** Behind every caller who waits, whatever his mode: BullMQ's last priority. */
const lastOfAll = 2 ** 21 - 1;
const cancelsOfItem = { refused: "once", deadline: "once", gone: "surely" } as const;

export interface CarryOut {
  services: Pick<Services, "dispatcher" | "cursorSecret" | "log" | "controls">;
  operations: BatchOperations;
  items: ItemStore;
}

/** Carries one item out and says how it ends; that is written by whoever asked. */
export async function carryOut(
  item: StartedItem,
  batch: OpenBatch,
  { services, operations, items }: CarryOut,
  options: {
    adopted: boolean;
    stopped: AbortSignal;
    story: Story;
    /** Told how long a worker took for it, in milliseconds. */
    ran(pool: Pool, ms: number): void;
  },
): Promise<ItemEnd> {
  const { story } = options;
  const startedAt = Date.now();
  const { batchId, requestId } = item;
  const since = (end: ItemEnd): ItemEnd => ({ ...end, durationMs: Date.now() - startedAt });
  const again = (error: GatewayError, pauseMs = 0) => {
    story.failed(error);
    const { status, type: errorType } = error;
    return since({ ...endOf(item), outcome: "again", status, errorType, pauseMs });
  };
  const fail = (error: GatewayError) => {
    story.failed(error);
    return since(failed(item, error));
  };
  /** While it has tries left; so an upstream that is out of order for minutes costs no item. */
  const later = (error: GatewayError, paused: boolean) => {
    const usual = pausesMs[item.tries];
    if (usual === undefined) return fail(error);
    return again(error, paused ? Math.max(usual, (error.retryAfter ?? 0) * 1000) : 0);
  };

  if (item.kind === "lost") return again(unavailable("The work was lost"));
  let call: Call;
  try {
    const caller = {
      keyId: batch.keyId,
      accountId: batch.accountId,
      accountName: batch.accountName,
      mode: batch.mode,
      ratePerSecond: 0,
      maxInFlight: 0,
    };
    const scenario = (batch.scenario ?? undefined) as Scenario | undefined;
    call = operations.understand(
      item.operation,
      requestId,
      JSON.parse(item.input) as Record<string, unknown>,
      { caller, version: batch.version, scenario, arrivedAt: batch.createdAt },
      services.cursorSecret,
      services.dispatcher.storeTime(batch.createdAt),
    );
    call.deadline = item.deadline;
    call.request.story = story;
    if (scenario) playAtEdge(scenario, call.op);
    if (item.kind === "refused") throw insufficient(batch, item, call);
  } catch (error) {
    if (error instanceof GatewayError) return fail(error);
    throw error;
  }

  const shut = await shutUntil(call, services, options.stopped);
  if (shut) return later(shut, false);
  story.enter("wait");
  const waited = await work(call, item, services, options);
  story.waited(waited);
  story.enter("settle");
  // Where the batch was cancelled the item ends with it; else it is put back.
  if (waited.kind === "gone") return again(unavailable("The batch was stopped"));
  if (waited.kind !== "outcome") return later(errorOf(waited), waited.kind === "deadline");
  const { outcome, data } = waited;
  if (outcome.work) options.ran(call.op.pool, outcome.work.ran);
  if (!outcome.ok) {
    const error = errorOf(waited);
    // What a scenario forces would be no other later.
    const isForced = call.request.scenario !== undefined;
    return error.type === "upstream_unavailable" && !isForced ? later(error, true) : fail(error);
  }
  return since({
    ...endOf(item),
    credits: creditsFor(call.op, outcome.records),
    records: outcome.records,
    truncated: outcome.truncated,
    ...(await store(
      items,
      batchId,
      requestId,
      openBody(requestId, chosen(data, batch.fields), pageOf(call, outcome, services)),
    )),
  });
}

/** The members of each record that the batch is asked for. */
function chosen(data: Buffer, fields: string | null): Buffer {
  if (fields === null) return data;
  const whole = JSON.parse(data.toString()) as unknown;
  return Buffer.from(JSON.stringify(chooseOfEach(whole, fields.split(","))));
}

/** Where nothing else is said, a success of which nothing is known yet. */
const endOf = ({ batchId, number, requestId }: StartedItem): ItemEnd => ({
  batchId,
  number,
  requestId,
  outcome: "settle",
  status: 200,
  credits: 0,
  records: 0,
  truncated: false,
  durationMs: 0,
  body: Buffer.alloc(0),
  parts: 0,
  kept: 0,
});

/** A 404 is settled at no charge, like that of any call. */
export function failed(item: StartedItem, error: GatewayError): ItemEnd {
  const body = errorBody(error, item.requestId);
  return {
    ...endOf(item),
    outcome: error.type === "not_found" ? "settle" : "fail",
    status: error.status,
    errorType: error.type,
    body,
    kept: body.length,
  };
}

function insufficient(batch: OpenBatch, item: StartedItem, { op }: Call): GatewayError {
  const needed = Math.max(op.minimum, 1);
  const covered = item.available >= needed;
  const message = !covered
    ? "The balance does not cover this call"
    : batch.maxCredits === null
      ? "A budget of the account or the key does not cover this call; /account tells of them"
      : "max_credits of the batch, or a budget, does not cover this call";
  return new GatewayError("insufficient_credits", message, {
    billing: { balance_remaining: item.available, credits_required: needed },
  });
}

/**
 * What an operator has stopped or capped waits here until it may go on; where that is not in the time of
 * the call, says why.
 */
async function shutUntil(
  { op, request, deadline }: Call,
  { controls }: CarryOut["services"],
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
      if (stopped.aborted || steadyNow() + leastRunMs > deadline) return error;
      await sleep(lookEveryMs);
    }
  }
}

/** The job is added under the item's own id, which is nothing where another process has done so. */
async function work(
  call: Call,
  { requestId, amount }: StartedItem,
  services: CarryOut["services"],
  { adopted, stopped }: { adopted: boolean; stopped: AbortSignal },
): Promise<Waited> {
  try {
    return await runJob(services, {
      jobId: requestId,
      pool: call.op.pool,
      job: jobOf(call, Math.min(call.most, amount)),
      deadline: call.deadline,
      gone: stopped,
      priority: lastOfAll,
      eager: adopted,
      again: adopted,
      cancels: cancelsOfItem,
    });
  } catch {
    return { kind: "lost" };
  }
}

import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "../../contract/errors.ts";
import type { Pool } from "../../contract/operation.ts";
import type { EndedItem, ItemEnd, ItemStore, StartedItem } from "../../db/batch-items.ts";
import { DatabaseError } from "../../db/errors.ts";
import { retryUntil } from "../../runtime/retry.ts";
import type { Services } from "../call.ts";
import { CallTimeline } from "../timeline.ts";
import { runItemCall } from "./item-call.ts";
import { type BatchState, fromTheFirst, noteRun } from "./batch-state.ts";
import { failed } from "./item-ends.ts";
import type { BatchOperations } from "./item.ts";
import type { StatusCache } from "./status-cache.ts";
import { itemsTraced } from "./traces.ts";
import type { ChangeWaiters } from "./change-waiters.ts";

/** Pause after a store that did not answer, in milliseconds. */
export const pauseMs = 500;
const refusedPauseMs = 30_000;
/** Tries of an item that meets a bug, and of its end. */
const mostTries = 3;

export interface ItemRunnerOptions {
  services: Pick<
    Services,
    "dispatcher" | "cursorSecret" | "log" | "metrics" | "controls" | "callLogs" | "tracing"
  >;
  operations: BatchOperations;
  items: ItemStore;
  statusCache: StatusCache;
  watchers: ChangeWaiters;
}

/** Runs one item from its start to its result line: makes its call (`item-call.ts`), stores and reports its end. */
export class ItemRunner {
  readonly #options: ItemRunnerOptions;
  readonly #stopped: AbortSignal;

  /** Once `stopped`, items that a store does not accept are left to other processes or the next start. */
  constructor(options: ItemRunnerOptions, stopped: AbortSignal) {
    this.#options = options;
    this.#stopped = stopped;
  }

  /** Rejects only while this process stops: another one takes the item over. */
  async run(item: StartedItem, state: BatchState, adopted: boolean): Promise<void> {
    const { services, statusCache, watchers } = this.#options;
    const { tracing } = services;
    const trace = item.number < itemsTraced ? await state.trace : undefined;
    const timeline = new CallTimeline(() => ({
      operation: item.operation,
      account: state.batch.accountId,
    }));
    timeline.carried(item.amount);
    if (tracing && trace) timeline.traced((at) => tracing.handedIn(trace, at));
    const made = await this.#runUntilEnded(item, state, { adopted, timeline });
    const { end, ended } = await this.#end(item, made);
    if (ended.batch_ended) statusCache.changed(item.batchId);
    this.#addCallLog(item, state, { end, ended, timeline });
    if (ended.kind !== "again") services.dispatcher.forget(item.requestId);
    services.metrics.count("gateway_batch_items_total", { outcome: outcomeOf(ended, end) });
    if (ended.credits) {
      const { mode } = state.batch;
      services.metrics.count("gateway_credits_charged_total", { mode }, ended.credits);
    }
    state.waits.clear();
    // A crawl may have found further items.
    if (ended.kind === "again" || item.crawl) state.dry.clear();
    if (ended.kind === "again") fromTheFirst(state);
    watchers.changed(item.batchId);
  }

  /** Adds the call log of each attempt, under its own request id. */
  #addCallLog(
    { requestId, operation }: StartedItem,
    { batch }: BatchState,
    { end, ended, timeline }: { end: ItemEnd; ended: EndedItem; timeline: CallTimeline },
  ): void {
    const op = this.#options.operations.find(operation);
    const { status, records, truncated } = end;
    if (ended.credits !== null) timeline.charged(ended.credits, records, truncated);
    const { keyId, accountId, mode } = batch;
    const caller = { keyId, accountId, mode };
    const method = op?.method ?? "POST";
    this.#options.services.callLogs?.add(
      requestId,
      timeline.end({ status, method, operation, pool: op?.pool, caller }),
    );
  }

  /** Retries after faults of the gateway: the item's job is joined, or its result found. */
  async #runUntilEnded(
    item: StartedItem,
    state: BatchState,
    { adopted, timeline }: { adopted: boolean; timeline: CallTimeline },
  ): Promise<ItemEnd> {
    for (let tries = 1; ; tries += 1) {
      const options = {
        adopted: adopted || tries > 1,
        stopped: state.stopped.signal,
        timeline,
        ran: (pool: Pool, ms: number) => noteRun(state, pool, ms),
      };
      try {
        return await runItemCall(item, state.batch, this.#options, options);
      } catch (error) {
        const isBug = !(error instanceof DatabaseError);
        this.#options.services.log(isBug ? "error" : "warn", "item not carried out", {
          request_id: item.requestId,
          error: String(error),
        });
        if (this.#stopped.aborted) throw error;
        if (isBug && tries >= mostTries) return failedByFault(item);
        await sleep(pauseMs);
      }
    }
  }

  /**
   * Retries until the database has the end: no other process has this item. An end that the database refuses
   * becomes a failure by a fault of the gateway; returns the end that it has.
   */
  async #end(item: StartedItem, made: ItemEnd): Promise<{ end: ItemEnd; ended: EndedItem }> {
    const { items, services } = this.#options;
    let end = made;
    let faults = 0;
    const ended = await retryUntil(
      async () => {
        // The database refuses the failure too: only an operator can help.
        if (faults > mostTries) await sleep(refusedPauseMs, undefined, { ref: false });
        const ended = await items.end(end);
        // The hold expired, so nothing can be charged: make the call again.
        return ended.kind === "expired" ? items.end({ ...end, outcome: "again" }) : ended;
      },
      {
        pauseMs,
        isOver: (error) => {
          if (this.#stopped.aborted) return true;
          const isBug = !(error instanceof DatabaseError);
          const about = { request_id: end.requestId, error: String(error) };
          services.log(isBug ? "error" : "warn", "item not ended", about);
          if (isBug) faults += 1;
          if (faults >= mostTries) end = failedByFault(item);
          return false;
        },
      },
    );
    return { end, ended };
  }
}

const failedByFault = (item: StartedItem): ItemEnd =>
  failed(item, new GatewayError("internal_error", "Internal error"));

function outcomeOf(ended: EndedItem, end: ItemEnd): string {
  if (ended.kind !== "ended") return ended.kind;
  return end.status === 200 ? "succeeded" : "failed";
}

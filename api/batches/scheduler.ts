import { setTimeout as sleep } from "node:timers/promises";
import { type Pool, pools } from "../../contract/operation.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { StartedItem } from "../../db/batch-items.ts";
import type { BatchStore, OpenBatch } from "../../db/batches.ts";
import { forEachYielding } from "../../runtime/yielding.ts";
import type { Services } from "../call.ts";
import { startLeft } from "./refusals.ts";
import { ItemRunner, type ItemRunnerOptions, pauseMs } from "./item-runner.ts";
import { type BatchState, isIdle, newBatchState, nextOf, renew } from "./batch-state.ts";
import { traceOf } from "./traces.ts";
import { Uncarried } from "../uncarried.ts";
import { Window } from "./window.ts";

/** Pause between polls for batches that other processes received, cancelled or left. */
const lookEveryMs = 500;
/** Most items of one statement. */
const mostAtOnce = 256;
/** Items are started together: when this share of the window is free, or after so long. */
const refillShare = 4;
const refillMs = 10;
const stopWithinMs = 5000;

export interface SchedulerOptions extends ItemRunnerOptions {
  services: ItemRunnerOptions["services"] & Pick<Services, "doubts">;
  /** The id of this process in `job_owners`; its items are taken over when it is gone. */
  owner: string;
  batches: BatchStore;
}

/**
 * Scheduler of batch items: moves them to the pools' queues, a few at a time. Each process keeps its share of a
 * pool's slots in flight. The account with items and the fewest in flight comes next, and likewise its batches.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #stopped = new AbortController();
  readonly #runner: ItemRunner;
  readonly #window: Window;
  readonly #states = new Map<number, BatchState>();
  readonly #inFlight = new Map<Pool, number>(pools.map((pool) => [pool, 0]));
  readonly #filling = new Set<Pool>();
  readonly #soon = new Set<Pool>();
  /** Request ids of the items that this process carries out. */
  readonly #carried = new Set<string>();
  readonly #uncarried = new Uncarried();
  #timer: NodeJS.Timeout | undefined;
  #processes = 1;
  #served = 0;
  #looking = false;
  #lookAgain = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#runner = new ItemRunner(options, this.#stopped.signal);
    this.#window = new Window(options.services.dispatcher);
  }

  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.look(), lookEveryMs);
    await this.look();
  }

  /** Lets running items end for a moment; the rest is left to other processes, or to the next start. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    clearInterval(this.#timer);
    const end = monotonicNow() + stopWithinMs;
    while ([...this.#inFlight.values()].some((count) => count > 0) && monotonicNow() < end)
      await sleep(50);
  }

  /** Finds batches to run, to stop and to take over. */
  async look(): Promise<void> {
    this.#lookAgain = this.#looking;
    if (this.#looking || this.#stopped.signal.aborted) return;
    this.#looking = true;
    this.#window.look();
    try {
      const { batches, items, statusCache } = this.#options;
      const glanced = statusCache.glance();
      const open = await batches.open();
      glanced(open);
      const present = new Set(open.map(({ id }) => id));
      for (const batch of open) this.#take(batch);
      for (const batch of open) if (batch.isLeft) void startLeft(batch, this.#options);
      for (const [id, state] of this.#states) {
        if (present.has(id)) continue;
        // Another process has ended, cancelled or removed it.
        state.stopped.abort();
        if (isIdle(state)) this.#states.delete(id);
        statusCache.forget(id);
        this.#options.watchers.changed(id);
      }
      // Without batches there is nothing more to query.
      if (open.length === 0) return;
      this.#processes = await items.processes();
      this.#takeOver(await items.adopt(this.#options.owner, mostAtOnce));
      this.#takeOver(await this.#lookUncarried());
      for (const pool of pools) this.#fill(pool);
    } catch (error) {
      this.#options.services.log("warn", "batches not looked at", { error: String(error) });
    } finally {
      this.#looking = false;
    }
    if (this.#lookAgain) await this.look();
  }

  /** Items of this process that it does not carry out: the answer of their start or take-over was lost. */
  async #lookUncarried(): Promise<StartedItem[]> {
    const found = await this.#options.items.uncarried(this.#options.owner, [...this.#carried]);
    const left = found.filter(({ requestId }) => !this.#carried.has(requestId));
    const confirmed = this.#uncarried.confirmed(left.map(({ requestId }) => requestId));
    return left.filter(({ requestId }) => confirmed.has(requestId));
  }

  /** Items of a disabled account wait until it is enabled. */
  #takeOver(found: readonly StartedItem[]): void {
    for (const item of found) {
      const state = this.#states.get(item.batchId);
      const pool = this.#options.operations.find(item.operation)?.pool ?? "social";
      if (state && !this.#carried.has(item.requestId)) this.#run(item, state, pool, true);
    }
  }

  #take(batch: OpenBatch): void {
    const known = this.#states.get(batch.id);
    if (known) renew(known, batch);
    else
      this.#states.set(batch.id, newBatchState(batch, traceOf(this.#options.services, batch.id)));
  }

  /** The window of a pool in this process, and how many of its slots are free. */
  #windowOf(pool: Pool): { window: number; free: number } {
    const window = this.#window.size(pool, this.#states.values(), this.#processes);
    return { window, free: window - (this.#inFlight.get(pool) as number) };
  }

  /** Refills the pool after an item has ended: one statement starts all that are free by then. */
  #refill(pool: Pool): void {
    const { window, free } = this.#windowOf(pool);
    if (free * refillShare >= window) return this.#fill(pool);
    if (this.#soon.has(pool)) return;
    this.#soon.add(pool);
    setTimeout(() => {
      this.#soon.delete(pool);
      this.#fill(pool);
    }, refillMs);
  }

  #fill(pool: Pool): void {
    if (this.#filling.has(pool) || this.#stopped.signal.aborted) return;
    this.#filling.add(pool);
    void this.#startItems(pool)
      .catch(async (error: unknown) => {
        this.#options.services.log("warn", "items not started", { pool, error: String(error) });
        await sleep(pauseMs);
      })
      .finally(() => this.#filling.delete(pool));
  }

  async #startItems(pool: Pool): Promise<void> {
    const { items, services } = this.#options;
    // While an operator has stopped the pool, its items wait in the database.
    if (services.controls?.stops(pool)) return;
    for (;;) {
      const { free } = this.#windowOf(pool);
      const { next, accounts } = nextOf(this.#states.values(), pool);
      if (free <= 0 || !next || this.#stopped.signal.aborted) return;
      const atMost = Math.min(mostAtOnce, Math.ceil(free / accounts));
      next.lastServed = ++this.#served;
      const last = next.started;
      const behind = last.get(pool) ?? -1;
      const started = await this.#uncarried.assigning(async () => {
        const { owner } = this.#options;
        const answer = await items.start(next.batch.id, pool, atMost, owner, behind);
        await forEachYielding(answer.items, (item) => this.#run(item, next, pool, false));
        return answer;
      });
      last.set(pool, started.items.at(-1)?.number ?? behind);
      if (started.waits) next.waits.add(pool);
      else if (started.items.length < atMost) {
        // Items before the last one may have been put back.
        if (behind >= 0) last.delete(pool);
        else next.dry.add(pool);
      }
    }
  }

  #move(state: BatchState, pool: Pool, by: number): void {
    this.#inFlight.set(pool, (this.#inFlight.get(pool) as number) + by);
    state.inFlight.set(pool, (state.inFlight.get(pool) ?? 0) + by);
  }

  #run(item: StartedItem, state: BatchState, pool: Pool, adopted: boolean): void {
    this.#move(state, pool, 1);
    this.#carried.add(item.requestId);
    void this.#runner
      .run(item, state, adopted)
      // Only while this process stops: another one takes the item over.
      .catch(() => undefined)
      .finally(() => {
        this.#carried.delete(item.requestId);
        this.#move(state, pool, -1);
        // A file of a crawled site names pages, which may be rendered in another pool.
        const filled =
          item.crawl?.kind === 1 ? pools.filter((one) => state.batch.pools.includes(one)) : [pool];
        for (const each of filled) this.#refill(each);
      });
  }
}

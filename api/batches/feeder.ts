import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "../../contract/errors.ts";
import { type Pool, pools } from "../../contract/operation.ts";
import { steadyNow } from "../../contract/steady.ts";
import type { EndedItem, ItemEnd, ItemStore, StartedItem } from "../../db/batch-items.ts";
import type { TraceContext } from "../../contract/trace.ts";
import type { BatchStore, OpenBatch } from "../../db/batches.ts";
import { DatabaseError } from "../../db/errors.ts";
import { inTurns } from "../../db/in-turns.ts";
import { ownerName } from "../auth.ts";
import type { Services } from "../call.ts";
import { carryOut, failed } from "./carry-out.ts";
import { Story } from "../story.ts";
import type { BatchOperations } from "./item.ts";
import type { Looks } from "./looks.ts";
import { itemsTraced, traceOf } from "./traces.ts";
import type { Watchers } from "./watchers.ts";

/** Looks for batches that others took in, cancelled or left. */
const lookEveryMs = 500;
/** Most items of one statement. */
const mostAtOnce = 256;
/** After a store that did not answer. */
const pauseMs = 500;
/** One slot in so many stays free, so that a caller who waits need not wait for an item to end. */
const freeShare = 4;
/**
 * Where items take no longer than this on average, nobody waits long for a slot: so many times the slots are
 * kept filled, so that a worker finds the next one in its queue when one has ended. Half as many while this
 * process is busy for more than a share of its time: it is then the processor that items and callers wait for.
 * The latest of a batch count most, one in so many; of a batch of which none has ended that is not known.
 */
const briefMs = 50;
const briefTimes = 4;
const busyTimes = 2;
const busyShare = 0.25;
const latestShare = 8;
/** Items are started together: when this share of the window is free, or after so long. */
const refillShare = 4;
const refillMs = 10;
const stopWithinMs = 5000;
/** Of an item that meets a bug. */
const mostTries = 3;

export interface FeederOptions {
  /** This process in `job_owners`: what it has is taken over when it is gone. */
  owner: string;
  services: Pick<
    Services,
    "dispatcher" | "cursorSecret" | "log" | "metrics" | "controls" | "stories" | "tracing"
  >;
  operations: BatchOperations;
  batches: BatchStore;
  items: ItemStore;
  looks: Looks;
  watchers: Watchers;
}

/** A batch as this process carries it out. */
interface Fed {
  batch: OpenBatch;
  trace: Promise<TraceContext | undefined>;
  /** Items of a pool that this process carries out. */
  inFlight: Map<Pool, number>;
  /** Mean time that its items took in a pool, in milliseconds. */
  ran: Map<Pool, number>;
  /** Pools that had no item left when last asked. */
  dry: Set<Pool>;
  /** Pools whose next item waits for credits that others hold. */
  waits: Set<Pool>;
  stopped: AbortController;
  lastServed: number;
}

/**
 * Brings the items of batches to the pools' queues, a few at a time: each process has so many in flight
 * as are its share of a pool's slots. Of the accounts that have items the one with the fewest in flight
 * comes next, and so of its batches.
 */
export class Feeder {
  readonly #options: FeederOptions;
  readonly #fed = new Map<number, Fed>();
  readonly #inFlight = new Map<Pool, number>(pools.map((pool) => [pool, 0]));
  readonly #filling = new Set<Pool>();
  readonly #soon = new Set<Pool>();
  #timer: NodeJS.Timeout | undefined;
  #processes = 1;
  #served = 0;
  #stopped = false;
  #looking = false;
  #lookAgain = false;
  #worked = performance.eventLoopUtilization();
  #isBusy = false;

  constructor(options: FeederOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.look(), lookEveryMs);
    await this.look();
  }

  /** Lets what runs end for a moment; the rest is left to other processes, or to the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    const end = steadyNow() + stopWithinMs;
    while ([...this.#inFlight.values()].some((count) => count > 0) && steadyNow() < end)
      await sleep(50);
  }

  /** Takes up what there is to carry out, to stop and to take over. */
  async look(): Promise<void> {
    this.#lookAgain = this.#looking;
    if (this.#looking || this.#stopped) return;
    this.#looking = true;
    this.#isBusy = performance.eventLoopUtilization(this.#worked).utilization > busyShare;
    this.#worked = performance.eventLoopUtilization();
    try {
      const { batches, items, looks } = this.#options;
      const glanced = looks.glance();
      const open = await batches.open();
      glanced(open);
      const present = new Set(open.map(({ id }) => id));
      for (const batch of open) this.#take(batch);
      for (const [id, fed] of this.#fed) {
        if (present.has(id)) continue;
        // Ended, cancelled or removed by another process.
        fed.stopped.abort();
        if (sum(fed.inFlight) === 0) this.#fed.delete(id);
        looks.forget(id);
        this.#options.watchers.changed(id);
      }
      // With nothing to carry out there is nothing more to ask.
      if (open.length === 0) return;
      this.#processes = await items.processes();
      const adopted = await items.adopt(this.#options.owner, mostAtOnce);
      for (const item of adopted) {
        const fed = this.#fed.get(item.batchId);
        const pool = this.#options.operations.find(item.operation)?.pool ?? "social";
        if (fed) this.#run(item, fed, pool, true);
      }
      for (const pool of pools) this.#fill(pool);
    } catch (error) {
      this.#options.services.log("warn", "batches not looked at", { error: String(error) });
    } finally {
      this.#looking = false;
    }
    if (this.#lookAgain) await this.look();
  }

  #take(batch: OpenBatch): void {
    const known = this.#fed.get(batch.id);
    if (!known) {
      this.#fed.set(batch.id, {
        batch,
        trace: traceOf(this.#options.services, batch.id),
        inFlight: new Map(),
        ran: new Map(),
        dry: new Set(),
        waits: new Set(),
        stopped: new AbortController(),
        lastServed: 0,
      });
      return;
    }
    known.batch = batch;
    known.waits.clear();
    if (batch.queued > 0) known.dry.clear();
    if (batch.state === "cancelling") known.stopped.abort();
    // It ended and was begun again.
    else if (known.stopped.signal.aborted) known.stopped = new AbortController();
  }

  /** So many items of a pool this process may have in flight. */
  #window(pool: Pool): number {
    const { dispatcher } = this.#options.services;
    const { workers, slots } = dispatcher.stateOf(pool);
    if (workers === 0 || dispatcher.nearlyFull) return 0;
    const forAll = this.#isBrief(pool)
      ? slots * (this.#isBusy ? busyTimes : briefTimes)
      : slots - Math.max(1, Math.floor(slots / freeShare));
    return Math.max(1, Math.ceil(forAll / this.#processes));
  }

  /** Of every batch that has items in flight there, or is to have some. */
  #isBrief(pool: Pool): boolean {
    for (const fed of this.#fed.values()) {
      if (!fed.inFlight.get(pool) && !hasNext(fed, pool)) continue;
      if ((fed.ran.get(pool) ?? Infinity) > briefMs) return false;
    }
    return true;
  }

  /** After an item has ended: one statement starts those that are free by then. */
  #refill(pool: Pool): void {
    const window = this.#window(pool);
    const room = window - (this.#inFlight.get(pool) as number);
    if (room * refillShare >= window) return this.#fill(pool);
    if (this.#soon.has(pool)) return;
    this.#soon.add(pool);
    setTimeout(() => {
      this.#soon.delete(pool);
      this.#fill(pool);
    }, refillMs);
  }

  #fill(pool: Pool): void {
    if (this.#filling.has(pool) || this.#stopped) return;
    this.#filling.add(pool);
    void this.#feed(pool)
      .catch(async (error: unknown) => {
        this.#options.services.log("warn", "items not started", { pool, error: String(error) });
        await sleep(pauseMs);
      })
      .finally(() => this.#filling.delete(pool));
  }

  async #feed(pool: Pool): Promise<void> {
    const { items, services } = this.#options;
    // While an operator has stopped the pool its items wait where they are.
    if (services.controls?.stops(pool)) return;
    for (;;) {
      const room = this.#window(pool) - (this.#inFlight.get(pool) as number);
      const { next, accounts } = this.#next(pool);
      if (room <= 0 || !next || this.#stopped) return;
      const atMost = Math.min(mostAtOnce, Math.ceil(room / accounts));
      next.lastServed = ++this.#served;
      const started = await items.start(next.batch.id, pool, atMost, this.#options.owner);
      if (started.waits) next.waits.add(pool);
      else if (started.items.length < atMost) next.dry.add(pool);
      await inTurns(started.items, (item) => this.#run(item, next, pool, false));
    }
  }

  #next(pool: Pool): { next: Fed | undefined; accounts: number } {
    const candidates = [...this.#fed.values()].filter((fed) => hasNext(fed, pool));
    const ofAccount = new Map<string, number>();
    const account = ({ batch }: Fed) => ownerName(batch);
    for (const fed of candidates) ofAccount.set(account(fed), 0);
    for (const fed of this.#fed.values()) {
      const name = account(fed);
      const counted = ofAccount.get(name);
      if (counted !== undefined) ofAccount.set(name, counted + (fed.inFlight.get(pool) ?? 0));
    }
    const order = (a: Fed, b: Fed) =>
      (ofAccount.get(account(a)) as number) - (ofAccount.get(account(b)) as number) ||
      (a.inFlight.get(pool) ?? 0) - (b.inFlight.get(pool) ?? 0) ||
      a.lastServed - b.lastServed;
    return { next: candidates.sort(order)[0], accounts: Math.max(1, ofAccount.size) };
  }

  #move(fed: Fed, pool: Pool, by: number): void {
    this.#inFlight.set(pool, (this.#inFlight.get(pool) as number) + by);
    fed.inFlight.set(pool, (fed.inFlight.get(pool) ?? 0) + by);
  }

  #run(item: StartedItem, fed: Fed, pool: Pool, adopted: boolean): void {
    this.#move(fed, pool, 1);
    void this.#carry(item, fed, adopted)
      // Only while this process stops: another one takes the item over.
      .catch(() => undefined)
      .finally(() => {
        this.#move(fed, pool, -1);
        this.#refill(pool);
      });
  }

  async #carry(item: StartedItem, fed: Fed, adopted: boolean): Promise<void> {
    const { services, looks, watchers } = this.#options;
    const { tracing } = services;
    const trace = item.number < itemsTraced ? await fed.trace : undefined;
    const story = new Story();
    story.carried(item.amount);
    if (tracing && trace) story.traced((at) => tracing.handedIn(trace, at));
    const end = await this.#carried(item, fed, { adopted, story });
    const told = await this.#end(end);
    if (told.batch_ended) looks.changed(item.batchId);
    this.#tell(item, fed, { end, told, story });
    if (told.kind !== "again") services.dispatcher.forget(item.requestId);
    services.metrics.count("gateway_batch_items_total", { outcome: outcomeOf(told, end) });
    if (told.credits) {
      const { mode } = fed.batch;
      services.metrics.count("gateway_credits_charged_total", { mode }, told.credits);
    }
    fed.waits.clear();
    if (told.kind === "again") fed.dry.clear();
    watchers.changed(item.batchId);
  }

  /** The story of each attempt, under its own request id. */
  #tell(
    { requestId, operation }: StartedItem,
    { batch }: Fed,
    { end, told, story }: { end: ItemEnd; told: EndedItem; story: Story },
  ): void {
    const op = this.#options.operations.find(operation);
    const { status, records, truncated } = end;
    if (told.credits !== null) story.charged(told.credits, records, truncated);
    const { keyId, accountId, mode } = batch;
    const caller = { keyId, accountId, mode };
    const method = op?.method ?? "POST";
    this.#options.services.stories?.add(
      requestId,
      story.end({ status, method, operation, pool: op?.pool, caller }),
    );
  }

  /** What went wrong on our side is done again: the job is joined, or its result found. */
  async #carried(
    item: StartedItem,
    fed: Fed,
    { adopted, story }: { adopted: boolean; story: Story },
  ): Promise<ItemEnd> {
    for (let tries = 1; ; tries += 1) {
      const options = {
        adopted: adopted || tries > 1,
        stopped: fed.stopped.signal,
        story,
        ran: (pool: Pool, ms: number) => noteRun(fed, pool, ms),
      };
      try {
        return await carryOut(item, fed.batch, this.#options, options);
      } catch (error) {
        const isBug = !(error instanceof DatabaseError);
        this.#options.services.log(isBug ? "error" : "warn", "item not carried out", {
          request_id: item.requestId,
          error: String(error),
        });
        if (this.#stopped) throw error;
        if (isBug && tries >= mostTries)
          return failed(item, new GatewayError("internal_error", "Internal error"));
        await sleep(pauseMs);
      }
    }
  }

  /** Until the database has it: an item that this process has is nobody else's. */
  async #end(end: ItemEnd): Promise<EndedItem> {
    for (;;) {
      try {
        const told = await this.#options.items.end(end);
        if (told.kind !== "expired") return told;
        // Its hold is gone: nothing can be charged, and the call is made again.
        return await this.#options.items.end({ ...end, outcome: "again" });
      } catch (error) {
        if (this.#stopped) throw error;
        this.#options.services.log("warn", "item not ended", {
          request_id: end.requestId,
          error: String(error),
        });
        await sleep(pauseMs);
      }
    }
  }
}

const hasNext = ({ batch, dry, waits }: Fed, pool: Pool) =>
  batch.state === "running" && batch.pools.includes(pool) && !dry.has(pool) && !waits.has(pool);

function noteRun({ ran }: Fed, pool: Pool, ms: number): void {
  const mean = ran.get(pool) ?? ms;
  ran.set(pool, mean + (ms - mean) / latestShare);
}

const sum = (counts: ReadonlyMap<Pool, number>) =>
  [...counts.values()].reduce((total, count) => total + count, 0);

function outcomeOf(told: EndedItem, end: ItemEnd): string {
  if (told.kind !== "ended") return told.kind;
  return end.status === 200 ? "succeeded" : "failed";
}

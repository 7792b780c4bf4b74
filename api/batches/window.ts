import { type EventLoopUtilization, performance } from "node:perf_hooks";
import type { Pool } from "../../contract/operation.ts";
import type { Services } from "../call.ts";
import { type BatchState, hasNext } from "./batch-state.ts";

/** One slot in so many stays free, so that a waiting caller need not wait for an item to end. */
const freeShare = 4;
/**
 * If items take no longer than this on average, no caller waits long for a slot: then a multiple of the slots
 * is kept in flight, so that a worker finds the next item in its queue when one ends. The multiple is half as
 * large while this process is busy for more than a share of its time, because items and callers then wait for
 * the processor. For a batch without an ended item the run time is unknown.
 */
const briefMs = 50;
const briefTimes = 4;
const busyTimes = 2;
const busyShare = 0.25;
/** Shorter measurements do not show how busy a process is, in milliseconds. */
const leastMs = 100;

type Queues = Pick<Services["dispatcher"], "stateOf" | "nearlyFull" | "isConnected">;

/** Concurrency limit of batch items: how many of a pool this process may have in flight. */
export class Window {
  readonly #dispatcher: Queues;
  readonly #worked: typeof performance.eventLoopUtilization;
  #lastLook: EventLoopUtilization;
  #isBusy = false;

  constructor(dispatcher: Queues, worked = performance.eventLoopUtilization.bind(performance)) {
    this.#dispatcher = dispatcher;
    this.#worked = worked;
    this.#lastLook = worked();
  }

  /** Measures whether this process was busy since the previous call. */
  look(): void {
    const { active, idle, utilization } = this.#worked(this.#lastLook);
    if (active + idle < leastMs) return;
    this.#isBusy = utilization > busyShare;
    this.#lastLook = this.#worked();
  }

  /** This process's share of the items that all processes may have in flight. */
  size(pool: Pool, all: Iterable<BatchState>, processes: number): number {
    const { workers, slots, holdItemsBack } = this.#dispatcher.stateOf(pool);
    const { nearlyFull, isConnected } = this.#dispatcher;
    if (workers === 0 || nearlyFull || !isConnected) return 0;
    const open = slots * (1 - holdItemsBack / workers);
    const most = isBrief(pool, all)
      ? open * (this.#isBusy ? busyTimes : briefTimes)
      : open - Math.max(1, Math.floor(open / freeShare));
    // One item at a time uses one processor at most, wherever its parts run.
    const forAll = Math.max(0, most) + holdItemsBack;
    return Math.max(1, Math.ceil(forAll / processes));
  }
}

/** Whether every batch with items in flight there, or to start there, has brief items. */
function isBrief(pool: Pool, all: Iterable<BatchState>): boolean {
  for (const fed of all) {
    if (!fed.inFlight.get(pool) && !hasNext(fed, pool)) continue;
    if ((fed.ran.get(pool) ?? Infinity) > briefMs) return false;
  }
  return true;
}

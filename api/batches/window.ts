import { type EventLoopUtilization, performance } from "node:perf_hooks";
import type { Pool } from "../../contract/operation.ts";
import type { Services } from "../call.ts";
import { type Fed, hasNext } from "./fed.ts";

/** One slot in so many stays free, so that a caller who waits need not wait for an item to end. */
const freeShare = 4;
/**
 * Where items take no longer than this on average, nobody waits long for a slot: so many times the slots are
 * kept filled, so that a worker finds the next one in its queue when one has ended. Half as many while this
 * process is busy for more than a share of its time: it is then the processor that items and callers wait for.
 * Of a batch of which no item has ended it is not known how long they take.
 */
const briefMs = 50;
const briefTimes = 4;
const busyTimes = 2;
const busyShare = 0.25;
/** Less time than this says nothing of how busy a process is. */
const leastMs = 100;

/** How many items of a pool this process may have in flight. */
export class Window {
  readonly #dispatcher: Pick<Services["dispatcher"], "stateOf" | "nearlyFull">;
  readonly #worked: typeof performance.eventLoopUtilization;
  #lastLook: EventLoopUtilization;
  #isBusy = false;

  constructor(
    dispatcher: Pick<Services["dispatcher"], "stateOf" | "nearlyFull">,
    worked = performance.eventLoopUtilization.bind(performance),
  ) {
    this.#dispatcher = dispatcher;
    this.#worked = worked;
    this.#lastLook = worked();
  }

  /** Whether this process was busy since the look before. */
  look(): void {
    const { active, idle, utilization } = this.#worked(this.#lastLook);
    if (active + idle < leastMs) return;
    this.#isBusy = utilization > busyShare;
    this.#lastLook = this.#worked();
  }

  /** Its share, of so many processes, of what all of them may have in flight. */
  size(pool: Pool, all: Iterable<Fed>, processes: number): number {
    const { workers, slots } = this.#dispatcher.stateOf(pool);
    if (workers === 0 || this.#dispatcher.nearlyFull) return 0;
    const forAll = isBrief(pool, all)
      ? slots * (this.#isBusy ? busyTimes : briefTimes)
      : slots - Math.max(1, Math.floor(slots / freeShare));
    return Math.max(1, Math.ceil(forAll / processes));
  }
}

/** Of every batch that has items in flight there, or is to have some. */
function isBrief(pool: Pool, all: Iterable<Fed>): boolean {
  for (const fed of all) {
    if (!fed.inFlight.get(pool) && !hasNext(fed, pool)) continue;
    if ((fed.ran.get(pool) ?? Infinity) > briefMs) return false;
  }
  return true;
}

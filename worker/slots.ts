/** A longer time is no cost of taking a job: its pool was paused, or the job had been put back. */
const longestTakingMs = 1_000;

/** A job's time in its slot, on the worker's monotonic clock. */
export interface Hold {
  /** Start of the job's claim on its slot: its arrival, or the end of the slot's previous job. */
  since: number;
  /** Milliseconds from having both a job and a free slot until the worker had the job; undefined where unknown. */
  takingMs: number | undefined;
}

/** The slots of one worker: separates waiting for a slot from the cost of taking a job. */
export class Slots {
  /** When each free slot was freed, the latest on top: a waiting job gets that one. */
  readonly #freed: number[];
  /** Slots to withdraw once their jobs end. */
  #surplus = 0;
  /** Time since which a slot has been free. */
  #freeSince: number;

  constructor(count: number, now: number) {
    this.#freed = Array.from({ length: count }, () => -Infinity);
    this.#freeSince = now;
  }

  /** Adds slots, which are free from now on, or withdraws some, free ones first. */
  resize(by: number, now: number): void {
    for (let added = 0; added < by; added += 1) this.free(now);
    const idle = Math.min(this.#freed.length, Math.max(0, -by));
    this.#freed.splice(0, idle);
    if (idle > 0 && this.#freed.length === 0) this.#freeSince = Infinity;
    this.#surplus += Math.max(0, -by) - idle;
  }

  take(queuedMs: number, now: number): Hold {
    const came = now - queuedMs;
    const freed = this.#freed.pop() ?? now;
    const since = came > this.#freeSince ? came : freed;
    if (this.#freed.length === 0) this.#freeSince = Infinity;
    const takingMs = now - since;
    return takingMs <= longestTakingMs ? { since, takingMs } : { since: now, takingMs: undefined };
  }

  free(now: number): void {
    if (this.#surplus > 0) {
      this.#surplus -= 1;
      return;
    }
    if (this.#freed.length === 0) this.#freeSince = now;
    this.#freed.push(now);
  }
}

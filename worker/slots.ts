/** Taking a job that needs longer was none: its pool was paused, or it had been put back. */
const longestTakingMs = 1_000;

/** A job's time in its slot, on the worker's steady clock. */
export interface Hold {
  /** Since when nobody else could have its slot: since it came, or since the job before it ended. */
  since: number;
  /** From when there was a job and a free slot until the worker had it; undefined where that is not known. */
  takingMs: number | undefined;
}

/** The slots of one worker: tells waiting for a slot from what taking a job costs. */
export class Slots {
  /** When each free slot was freed; the last one on top, as that is the one a waiting job gets. */
  readonly #freed: number[];
  /** There has been a free slot since then. */
  #freeSince: number;

  constructor(count: number, now: number) {
    this.#freed = Array.from({ length: count }, () => -Infinity);
    this.#freeSince = now;
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
    if (this.#freed.length === 0) this.#freeSince = now;
    this.#freed.push(now);
  }
}

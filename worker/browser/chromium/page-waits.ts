/** The pages of one look. */
export interface PageLook {
  /** Jobs that run. */
  jobs: number;
  /** Pages whose main thread runs or waits for a processor. */
  wanting: number;
  /** Pages that are stopped until their next time slice. */
  stopped: number;
  /** Milliseconds since the previous look. */
  sinceMs: number;
}

/**
 * Adds up the time in which pages wait for a processor. Looks catch pages of any length without bias; which part of
 * a page's demand is a wait follows from its thread's own times. A page counts once, whatever it starts.
 */
export class PageWaits {
  #jobMs = 0;
  #wantingMs = 0;
  #stoppedMs = 0;
  #ranMs = 0;
  #waitedMs = 0;
  #wanting = 0;

  /** Pages that wanted a processor at the last look. */
  get wanting(): number {
    return this.#wanting;
  }

  note({ jobs, wanting, stopped, sinceMs }: PageLook): void {
    this.#wanting = wanting + stopped;
    this.#jobMs += jobs * sinceMs;
    this.#wantingMs += wanting * sinceMs;
    this.#stoppedMs += stopped * sinceMs;
  }

  /** Adds what the main thread of a page has run and waited since it was last seen. */
  addThread(ranMs: number, waitedMs: number): void {
    this.#ranMs += Math.max(0, ranMs);
    this.#waitedMs += Math.max(0, waitedMs);
  }

  /**
   * Share of the jobs' time since the last call in which they waited for a processor. `unknown` is the part of
   * demand that waits where the system does not count the times of threads.
   */
  take(unknown: number): number {
    const thread = this.#ranMs + this.#waitedMs;
    const part = thread > 0 ? this.#waitedMs / thread : unknown;
    const waitedMs = this.#wantingMs * part + this.#stoppedMs;
    const share = this.#jobMs > 0 ? Math.min(1, waitedMs / this.#jobMs) : 0;
    this.#jobMs = this.#wantingMs = this.#stoppedMs = this.#ranMs = this.#waitedMs = 0;
    return share;
  }
}

/** A slower answer says too little. */
const mostTripMs = 1000;
/** A difference below this is a matter of measuring, and harms no deadline. */
const leastMs = 1000;

/**
 * The database's clock beside this process's steady one (contract/steady.ts). Deadlines are written in its time: those that cross as time
 * left would begin anew in a database that was frozen before it came to them.
 */
export class DatabaseClock {
  #aheadMs = 0;
  #skewMs = 0;

  /** `clockMs` was its time between two moments here, of which the later one is now. */
  saw(clockMs: number, from: number, to: number): void {
    if (to - from > mostTripMs) return;
    const midway = (to - from) / 2;
    this.#aheadMs = clockMs + midway - to;
    this.#skewMs = Date.now() - midway - clockMs;
  }

  /** How far this machine's clock is ahead of the database's, in milliseconds. */
  get skewMs(): number {
    return this.#skewMs;
  }

  /** A moment of this process's steady clock at the database, to the millisecond as far as it is known. */
  exactly(at: number): number {
    return at + this.#aheadMs;
  }

  /** The same for deadlines, which stay as they are where the clocks agree. */
  there(at: number): number {
    return at + this.#agreedMs();
  }

  /** A deadline of the database on this process's clock. */
  here(at: number): number {
    return at - this.#agreedMs();
  }

  #agreedMs(): number {
    return Math.abs(this.#aheadMs) < leastMs ? 0 : Math.round(this.#aheadMs);
  }
}

import type { Pool } from "../contract/operation.ts";

/** How many requests of each pool wait for upstreams' limits, as a mean over time. */
export class LimitWaits {
  readonly #now: () => number;
  readonly #pools = new Map<
    Pool,
    { waiting: number; waitedMs: number; at: number; since: number }
  >();

  /** With a monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Begins a wait; the returned function ends it. */
  begin(pool: Pool): () => void {
    this.#change(pool, 1);
    return () => void this.#change(pool, -1);
  }

  /** Mean number of waiting requests since the last call. */
  take(pool: Pool): number {
    const known = this.#change(pool, 0);
    const ms = known.at - known.since;
    const mean = ms > 0 ? known.waitedMs / ms : known.waiting;
    known.waitedMs = 0;
    known.since = known.at;
    return mean;
  }

  #change(pool: Pool, by: number) {
    const now = this.#now();
    const known = this.#pools.get(pool) ?? { waiting: 0, waitedMs: 0, at: now, since: now };
    this.#pools.set(pool, known);
    known.waitedMs += known.waiting * (now - known.at);
    known.at = now;
    known.waiting += by;
    return known;
  }
}

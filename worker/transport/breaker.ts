const windowSeconds = 10;
const leastCalls = 20;
const openShare = 0.5;
const restMs = 10_000;
const restSpread = 0.2;

export type BreakerState = "closed" | "open" | "probing";

/** Permission to send one request; the holder calls exactly one of the two functions afterwards. */
export interface Admission {
  /** The attempt ended; `unavailable` when the upstream was at fault. */
  ended(unavailable: boolean): void;
  /** The attempt was abandoned on our side, and says nothing about the upstream. */
  dropped(): void;
}

/**
 * Circuit breaker of an upstream: opens at 50 % unavailability of 20 or more attempts in 10 s, stays
 * open for 10 s +/- 20 %, then lets one probe through at a time.
 */
export class Breaker {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #onChange: (state: BreakerState) => void;
  readonly #seconds = new Map<number, { total: number; unavailable: number }>();
  #state: BreakerState = "closed";
  #restsUntil = 0;
  /** Attempts admitted before the last change of state no longer count. */
  #generation = 0;

  constructor(options: {
    now: () => number;
    random: () => number;
    onChange?: (state: BreakerState) => void;
  }) {
    this.#now = options.now;
    this.#random = options.random;
    this.#onChange = options.onChange ?? (() => {});
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Milliseconds until a retry makes sense, or undefined when an attempt is allowed now. */
  refusal(): number | undefined {
    if (this.#state === "closed") return undefined;
    if (this.#state === "probing") return 1000;
    const left = this.#restsUntil - this.#now();
    return left > 0 ? left : undefined;
  }

  /** Undefined when no attempt is allowed now. */
  admit(): Admission | undefined {
    if (this.refusal() !== undefined) return undefined;
    if (this.#state === "open") {
      this.#become("probing");
      return this.#probe();
    }
    const generation = this.#generation;
    return {
      ended: (unavailable) => {
        if (generation === this.#generation) this.#count(unavailable);
      },
      dropped: () => {},
    };
  }

  #probe(): Admission {
    return {
      ended: (unavailable) => {
        if (unavailable) this.#rest();
        else {
          this.#seconds.clear();
          this.#become("closed");
        }
      },
      dropped: () => {
        this.#restsUntil = this.#now();
        this.#become("open");
      },
    };
  }

  #count(unavailable: boolean): void {
    const second = Math.floor(this.#now() / 1000);
    for (const old of this.#seconds.keys()) {
      if (old <= second - windowSeconds) this.#seconds.delete(old);
    }
    const counts = this.#seconds.get(second) ?? { total: 0, unavailable: 0 };
    counts.total += 1;
    if (unavailable) counts.unavailable += 1;
    this.#seconds.set(second, counts);
    if (!unavailable) return;

    let total = 0;
    let failed = 0;
    for (const each of this.#seconds.values()) {
      total += each.total;
      failed += each.unavailable;
    }
    if (total >= leastCalls && failed >= total * openShare) this.#rest();
  }

  #rest(): void {
    const spread = 1 + restSpread * (2 * this.#random() - 1);
    this.#restsUntil = this.#now() + restMs * spread;
    this.#become("open");
  }

  #become(state: BreakerState): void {
    this.#state = state;
    this.#generation += 1;
    this.#onChange(state);
  }
}

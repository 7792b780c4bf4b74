/** Failures in a row after which an upstream rests for an operation. */
const leastFailures = 3;
const restMs = 10_000;
const restSpread = 0.2;

interface State {
  failures: number;
  /** Nobody asks before this time; undefined while it does not rest. */
  until: number | undefined;
}

/**
 * Remembers for which operations an upstream fails, where another one can answer them. The circuit breaker opens
 * for many attempts of all operations together, and does not see answers that only the mapping refuses.
 */
export class OperationRests {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #states = new Map<string, State>();

  constructor(now: () => number, random: () => number) {
    this.#now = now;
    this.#random = random;
  }

  /** Whether a call may ask. After a rest one call at a time may, as a probe. */
  admits(operation: string): boolean {
    const state = this.#states.get(operation);
    if (state?.until === undefined) return true;
    if (this.#now() < state.until) return false;
    state.until = this.#restEnd();
    return true;
  }

  note(operation: string, answered: boolean): void {
    if (answered) {
      this.#states.delete(operation);
      return;
    }
    const state = this.#states.get(operation) ?? { failures: 0, until: undefined };
    state.failures += 1;
    if (state.failures >= leastFailures) state.until = this.#restEnd();
    this.#states.set(operation, state);
  }

  #restEnd(): number {
    return this.#now() + restMs * (1 + restSpread * (2 * this.#random() - 1));
  }
}

import type { ErrorType } from "../../contract/errors.ts";

/** Failures in a row after which an upstream rests. */
const leastFailures = 3;
const restMs = 10_000;
const restSpread = 0.2;

interface State {
  failures: number;
  /** Nobody asks before this time; undefined while it does not rest. */
  until: number | undefined;
}

/** Stands for all operations of the upstream. */
const all = "";

/**
 * Remembers where an upstream fails, for operations that another one can answer. The circuit breaker opens only
 * under load, and does not see answers that only the mapping refuses.
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
    const resting = [all, operation].flatMap((name) => {
      const state = this.#states.get(name);
      return state?.until === undefined ? [] : [{ state, until: state.until }];
    });
    if (resting.some(({ until }) => this.#now() < until)) return false;
    for (const { state } of resting) state.until = this.#restEnd();
    return true;
  }

  answered(operation: string): void {
    this.#states.delete(all);
    this.#states.delete(operation);
  }

  /** An upstream that is unavailable is so for every operation; another failure concerns this one. */
  failed(operation: string, type: ErrorType): void {
    const name = type === "upstream_unavailable" ? all : operation;
    const state = this.#states.get(name) ?? { failures: 0, until: undefined };
    state.failures += 1;
    if (state.failures >= leastFailures) state.until = this.#restEnd();
    this.#states.set(name, state);
  }

  #restEnd(): number {
    return this.#now() + restMs * (1 + restSpread * (2 * this.#random() - 1));
  }
}

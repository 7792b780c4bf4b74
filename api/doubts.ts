import { setTimeout as sleep } from "node:timers/promises";
import type { Services } from "./call.ts";

const leastPauseMs = 250;
const mostPauseMs = 5000;
/** A process that stops asks for this long at most. */
const stopWithinMs = 2000;

/** Steps that a store may have carried out although no answer came: asked about until that is known. */
export class Doubts {
  readonly #log: Services["log"];
  readonly #open = new Set<Promise<unknown>>();
  #stopped = false;

  constructor(log: Services["log"]) {
    this.#log = log;
  }

  /**
   * Asks until there is an answer, for as long as this process lives; undefined where it stopped before.
   * The question is one that may be repeated. An undefined answer says no more than none.
   */
  async settle<T>(
    ask: () => Promise<T | undefined>,
    about: Record<string, unknown>,
  ): Promise<T | undefined> {
    const settled = this.#ask(ask, about);
    this.#open.add(settled);
    return settled.finally(() => this.#open.delete(settled));
  }

  async stop(): Promise<void> {
    const limit = AbortSignal.timeout(stopWithinMs);
    while (this.#open.size > 0 && !limit.aborted) await sleep(50);
    this.#stopped = true;
  }

  async #ask<T>(
    ask: () => Promise<T | undefined>,
    about: Record<string, unknown>,
  ): Promise<T | undefined> {
    let isTold = false;
    for (let pauseMs = leastPauseMs; !this.#stopped; pauseMs = Math.min(mostPauseMs, pauseMs * 2)) {
      try {
        const answer = await ask();
        if (answer !== undefined) return answer;
      } catch (error) {
        if (!isTold) this.#log("warn", "outcome not known yet", { ...about, error: String(error) });
        isTold = true;
      }
      await sleep(pauseMs, undefined, { ref: false });
    }
    return undefined;
  }
}

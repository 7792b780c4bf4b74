import { setTimeout as sleep } from "node:timers/promises";
import { retryUntilStopped } from "../runtime/retry.ts";
import type { Services } from "./call.ts";

const leastPauseMs = 250;
const mostPauseMs = 5000;
/** A process that stops asks for this long at most. */
const stopWithinMs = 2000;
const notKnown = new Error("an answer that says nothing");

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
  async retryUntilKnown<T>(
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

  #ask<T>(
    ask: () => Promise<T | undefined>,
    about: Record<string, unknown>,
  ): Promise<T | undefined> {
    let isTold = false;
    return retryUntilStopped(
      async () => {
        const answer = await ask();
        if (answer === undefined) throw notKnown;
        return answer;
      },
      {
        isStopped: () => this.#stopped,
        pauseMs: leastPauseMs,
        mostPauseMs,
        ref: false,
        onFailure: (error) => {
          if (isTold || error === notKnown) return;
          this.#log("warn", "outcome not known yet", { ...about, error: String(error) });
          isTold = true;
        },
      },
    );
  }
}

import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "../db/retry.ts";
import { monotonicNow } from "../runtime/monotonic.ts";
import { retryUntilStopped } from "../runtime/retry.ts";
import { bestEffort } from "./stores.ts";

/** A caller waits at most this long for an outcome, in milliseconds. */
export const decidedWithinMs = 10_000;

/** The clocks of this process and of the database may differ by this much, in milliseconds. */
const clocksMs = 1000;
const leastPauseMs = 250;
const mostPauseMs = 5000;
/** A stopping process waits at most this long for open steps, in milliseconds. */
const stopWithinMs = 2000;
const notKnown = new Error("an answer that says nothing");

type About = Readonly<Record<string, string>>;
type Log = (level: "warn", message: string, fields: Record<string, unknown>) => void;

/** Steps that a store may have carried out without an answer: retries a query until the outcome is known. */
export class Doubts {
  readonly #log: Log;
  readonly #open = new Map<Promise<unknown>, About>();
  #stopped = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Repeats a query with growing pauses until it returns an outcome; undefined when this process stops before.
   * The query must be repeatable; an undefined answer counts as none.
   */
  async retryUntilKnown<T>(
    query: () => Promise<T | undefined>,
    about: About,
  ): Promise<T | undefined> {
    const settled = this.#retry(query, about);
    this.#open.set(settled, about);
    return settled.finally(() => this.#open.delete(settled));
  }

  /**
   * Undoes the effect of a statement without an answer, which may still come until `notAfter`. `undo` returns true
   * once nothing is left to undo.
   */
  async undo(undo: () => Promise<boolean>, notAfter: number, about: About): Promise<void> {
    await this.retryUntilKnown(async () => {
      const sentAt = monotonicNow();
      return (await undo()) || sentAt > notAfter + clocksMs ? "done" : undefined;
    }, about);
  }

  /**
   * Sends a statement for a waiting caller and repeats it while its outcome is unknown, for 10 s; undefined then.
   * Throws every error but an outage. The statement must have one effect, however often it is sent.
   */
  async outcome<T>(statement: () => Promise<T>, about: About): Promise<{ value: T } | undefined> {
    const until = monotonicNow() + decidedWithinMs;
    const send = () =>
      statement().then(
        (value) => ({ value }),
        (error: unknown) => {
          if (isUnavailable(error)) throw error;
          return { error };
        },
      );
    // A refused caller may make another change meanwhile, so nothing is repeated from then on.
    const again = async () => (monotonicNow() < until ? send() : "refused");
    const found = await send().catch(() =>
      bestEffort(this.retryUntilKnown(again, about), decidedWithinMs),
    );
    if (found === undefined || found === "refused") return undefined;
    if ("error" in found) throw found.error;
    return found;
  }

  /** Whether the outcome of a call, by its request id, or of a batch is not known yet. */
  has(id: string): boolean {
    return [...this.#open.values()].some(
      (about) => about["request_id"] === id || about["batch_id"] === id,
    );
  }

  async stop(): Promise<void> {
    const limit = AbortSignal.timeout(stopWithinMs);
    while (this.#open.size > 0 && !limit.aborted) await sleep(50);
    this.#stopped = true;
  }

  #retry<T>(query: () => Promise<T | undefined>, about: About): Promise<T | undefined> {
    let isReported = false;
    return retryUntilStopped(
      async () => {
        const answer = await query();
        if (answer === undefined) throw notKnown;
        return answer;
      },
      {
        isStopped: () => this.#stopped,
        pauseMs: leastPauseMs,
        mostPauseMs,
        ref: false,
        onFailure: (error) => {
          if (isReported || error === notKnown) return;
          this.#log("warn", "outcome not known yet", { ...about, error: String(error) });
          isReported = true;
        },
      },
    );
  }
}

import type { JobStore } from "../../db/jobs.ts";
import type { Response } from "../call.ts";
import { WaiterRegistry } from "../queue/waiter-registry.ts";

const lookEveryMs = 250;

/** `response` is set when this process ended the job. */
export interface Ended {
  response?: Response | undefined;
}

/** Requests that wait for the end of jobs, in whichever process the jobs run. */
export class EndWaiters {
  readonly #store: JobStore;
  readonly #isHere: (requestId: string) => boolean;
  readonly #waiting = new WaiterRegistry<string, Ended | undefined>();
  #timer: NodeJS.Timeout | undefined;

  /** `isHere` returns whether this process runs the job. */
  constructor(store: JobStore, isHere: (requestId: string) => boolean) {
    this.#store = store;
    this.#isHere = isHere;
  }

  /** Resolves with the end of the job, or undefined after this time, in milliseconds. */
  async wait(requestId: string, withinMs: number, gone: AbortSignal): Promise<Ended | undefined> {
    this.#timer ??= setInterval(() => void this.#look(), lookEveryMs);
    const ended = await this.#waiting.wait(requestId, undefined, {
      withinMs,
      expired: (waiter) => waiter.end(undefined),
      gone,
      left: undefined,
    });
    if (this.#waiting.size === 0) this.close();
    return ended;
  }

  /** Wakes the requests that wait for this job. */
  ended(requestId: string, response?: Response): void {
    this.#waiting.end(requestId, { response });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Polls for jobs that other processes end; the next poll repeats a failed one. */
  async #look(): Promise<void> {
    const elsewhere = [...this.#waiting.keys()].filter((id) => !this.#isHere(id));
    if (elsewhere.length === 0) return;
    const ids = await this.#store.ended(elsewhere).catch(() => []);
    for (const id of ids) this.ended(id);
  }
}

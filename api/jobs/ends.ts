import type { JobStore } from "../../db/jobs.ts";
import type { Response } from "../call.ts";

const lookEveryMs = 250;

/** Its answer is there where the job was ended by this process. */
export interface Ended {
  response?: Response | undefined;
}

/** Requests that wait for the end of jobs, whichever process carries them out. */
export class Ends {
  readonly #store: JobStore;
  readonly #isHere: (requestId: string) => boolean;
  readonly #waiting = new Map<string, Set<(ended: Ended) => void>>();
  #timer: NodeJS.Timeout | undefined;

  /** `isHere` tells jobs that this process carries out. */
  constructor(store: JobStore, isHere: (requestId: string) => boolean) {
    this.#store = store;
    this.#isHere = isHere;
  }

  /** The end of the job, where it comes within this time, in milliseconds. */
  async wait(requestId: string, withinMs: number, gone: AbortSignal): Promise<Ended | undefined> {
    const { promise, resolve } = Promise.withResolvers<Ended | undefined>();
    const ended = (end: Ended) => resolve(end);
    const left = () => resolve(undefined);
    const timer = setTimeout(left, withinMs);
    if (gone.aborted) left();
    gone.addEventListener("abort", left, { once: true });
    const others = this.#waiting.get(requestId) ?? new Set();
    this.#waiting.set(requestId, others.add(ended));
    this.#timer ??= setInterval(() => void this.#look(), lookEveryMs);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      gone.removeEventListener("abort", left);
      others.delete(ended);
      if (others.size === 0 && this.#waiting.get(requestId) === others)
        this.#waiting.delete(requestId);
      if (this.#waiting.size === 0) this.close();
    }
  }

  /** Told of a job that has ended. */
  ended(requestId: string, response?: Response): void {
    for (const resolve of this.#waiting.get(requestId) ?? []) resolve({ response });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Other processes end jobs as well. A database that is away is asked again. */
  async #look(): Promise<void> {
    const elsewhere = [...this.#waiting.keys()].filter((id) => !this.#isHere(id));
    if (elsewhere.length === 0) return;
    const ids = await this.#store.ended(elsewhere).catch(() => []);
    for (const id of ids) this.ended(id);
  }
}

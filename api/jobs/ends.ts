import type { JobStore } from "../../db/jobs.ts";

const lookEveryMs = 250;

/** Requests that wait for the end of jobs, whichever process carries them out. */
export class Ends {
  readonly #store: JobStore;
  readonly #waiting = new Map<string, Set<() => void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: JobStore) {
    this.#store = store;
  }

  /** True when the job has ended within this time, in milliseconds. */
  async wait(requestId: string, withinMs: number, gone: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const ended = () => resolve(true);
    const left = () => resolve(false);
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

  /** Told of a job that has ended here. */
  ended(requestId: string): void {
    for (const resolve of this.#waiting.get(requestId) ?? []) resolve();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Other processes end jobs as well. A database that is away is asked again. */
  async #look(): Promise<void> {
    const ids = await this.#store.ended([...this.#waiting.keys()]).catch(() => []);
    for (const id of ids) this.ended(id);
  }
}

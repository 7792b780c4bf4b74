import type { JobStore } from "../../db/jobs.ts";
import type { Response } from "../call.ts";
import { WaiterRegistry } from "../queue/waiter-registry.ts";

const lookEveryMs = 250;

/** Its answer is there where the job was ended by this process. */
export interface Ended {
  response?: Response | undefined;
}

/** Requests that wait for the end of jobs, whichever process carries them out. */
export class Ends {
  readonly #store: JobStore;
  readonly #isHere: (requestId: string) => boolean;
  readonly #waiting = new WaiterRegistry<string, Ended | undefined>();
  #timer: NodeJS.Timeout | undefined;

  /** `isHere` tells jobs that this process carries out. */
  constructor(store: JobStore, isHere: (requestId: string) => boolean) {
    this.#store = store;
    this.#isHere = isHere;
  }

  /** The end of the job, where it comes within this time, in milliseconds. */
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

  /** Told of a job that has ended. */
  ended(requestId: string, response?: Response): void {
    this.#waiting.end(requestId, { response });
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

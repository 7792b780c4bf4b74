import type { Job, Worker } from "bullmq";
import { queueOptions } from "./queue-options.ts";

/**
 * Renews the locks (leases) of running jobs. BullMQ's own renewal uses the machine's clock: if that is set
 * back by a minute, it renews nothing for a minute, and another worker starts the same jobs again.
 */
export class Locks {
  readonly #tokens = new Map<string, string>();

  /** Renews until the worker is closed. */
  renewFor(worker: Pick<Worker, "extendJobLocks" | "once">, onError: (error: Error) => void): void {
    const renew = () => {
      if (this.#tokens.size === 0) return;
      const [ids, tokens] = [[...this.#tokens.keys()], [...this.#tokens.values()]];
      worker.extendJobLocks(ids, tokens, queueOptions.lockDuration).catch(onError);
    };
    const renewal = setInterval(renew, queueOptions.lockDuration / 3).unref();
    worker.once("closed", () => clearInterval(renewal));
  }

  async during<T>(
    { id }: Pick<Job, "id">,
    token: string | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    if (id === undefined || token === undefined) return work();
    this.#tokens.set(id, token);
    try {
      return await work();
    } finally {
      this.#tokens.delete(id);
    }
  }
}

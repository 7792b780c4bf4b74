import type { Redis } from "ioredis";
import { queuePrefix } from "../../contract/job.ts";
import type { Dispatcher } from "../queue/dispatch.ts";

/** Published with the batch's number whenever lines were added to its results, or it changed its state. */
const channel = `${queuePrefix}:batches`;
/** Others hear of a batch at most this often, in milliseconds. */
const toldEveryMs = 25;

/** Who follows results is woken when there are more; looking now and then makes it certain. */
export class Watchers {
  readonly #redis: Redis;
  readonly #waiting = new Map<number, Set<() => void>>();
  readonly #telling = new Set<number>();

  constructor({ redis, listen }: Pick<Dispatcher, "redis" | "listen">) {
    this.#redis = redis;
    listen(channel, (message) => this.#wake(Number(message)));
  }

  /** Wakes those of this process now, and those of the others. */
  changed(batchId: number): void {
    this.#wake(batchId);
    if (this.#telling.has(batchId)) return;
    this.#telling.add(batchId);
    setTimeout(() => {
      this.#telling.delete(batchId);
      void this.#redis.publish(channel, String(batchId)).catch(() => undefined);
    }, toldEveryMs);
  }

  /** Resolves when something changed, or after so long. */
  async wait(batchId: number, atMostMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(batchId) ?? new Set();
      this.#waiting.set(batchId, waiting);
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(batchId) === waiting)
          this.#waiting.delete(batchId);
        resolve();
      };
      const timer = setTimeout(wake, atMostMs);
      waiting.add(wake);
    });
  }

  #wake(batchId: number): void {
    // Each takes itself out of the set, which a walk over it allows.
    for (const wake of this.#waiting.get(batchId) ?? []) wake();
  }
}

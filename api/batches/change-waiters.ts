import type { Redis } from "ioredis";
import { queuePrefix } from "../../runtime/redis/keys.ts";
import type { Dispatcher } from "../queue/dispatch.ts";
import { WaiterRegistry } from "../queue/waiter-registry.ts";

/** Published with the batch's number when its results have grown or its state has changed. */
const channel = `${queuePrefix}:batches`;
/** Other processes are notified of a batch at most this often, in milliseconds. */
const toldEveryMs = 25;

/** Wakes followers when a batch has new results; regular polling makes it certain. */
export class ChangeWaiters {
  readonly #redis: Redis;
  readonly #waiting = new WaiterRegistry<number, void>();
  readonly #telling = new Set<number>();

  constructor({ redis, listen }: Pick<Dispatcher, "redis" | "listen">) {
    this.#redis = redis;
    listen(channel, (message) => this.#waiting.end(Number(message)));
  }

  /** Wakes followers in this process at once, and those of the others. */
  changed(batchId: number): void {
    this.#waiting.end(batchId);
    if (this.#telling.has(batchId)) return;
    this.#telling.add(batchId);
    setTimeout(() => {
      this.#telling.delete(batchId);
      void this.#redis.publish(channel, String(batchId)).catch(() => undefined);
    }, toldEveryMs);
  }

  /** Resolves when the batch has changed, or after this time. */
  wait(batchId: number, atMostMs: number): Promise<void> {
    return this.#waiting.wait(batchId, undefined, {
      withinMs: atMostMs,
      expired: (waiter) => waiter.end(),
      left: undefined,
    });
  }
}

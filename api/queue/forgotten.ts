import type { Redis, Result } from "ioredis";
import { encodeOutcome, resultKey } from "../../contract/job.ts";
import { forgetScript, roomBytesKey, roomKey } from "../../contract/room.ts";
import { retryUntil } from "../../runtime/retry.ts";

/** They are told together: each time anybody asks Redis for something costs as much as forgetting several. */
const gatherMs = 100;
const mostAtOnce = 500;
const mostTries = 10;
/** A worker that was late, or frozen for a while, stores nothing of what was given up before. */
const forgottenForMs = 120_000;
/** Stands where a delivered result was; who finds it is answered by what its key remembers. */
const delivered = encodeOutcome(
  {
    ok: false,
    type: "upstream_unavailable",
    status: 503,
    message: "The answer was delivered to another call",
    retry_after: 1,
  },
  undefined,
);

declare module "ioredis" {
  interface RedisCommander<Context> {
    forgetResults(
      keyCount: number,
      ...keysAndArguments: (string | Buffer)[]
    ): Result<null, Context>;
  }
}

/** Results that nobody needs any more, on their way out of Redis. */
export class Forgotten {
  readonly #redis: Redis;
  #ids: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(redis: Redis) {
    this.#redis = redis;
    redis.defineCommand("forgetResults", { lua: forgetScript });
  }

  add(jobId: string): void {
    this.#ids.push(jobId);
    if (this.#ids.length >= mostAtOnce) void this.#tell();
    else this.#timer ??= setTimeout(() => void this.#tell(), gatherMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#tell();
  }

  /** Tried again for a while where Redis is away. */
  async #tell(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = this.#ids;
    this.#ids = [];
    if (ids.length === 0) return;
    const keys = [roomKey, roomBytesKey, ...ids.map(resultKey)];
    const forget = () =>
      this.#redis.forgetResults(keys.length, ...keys, delivered, String(forgottenForMs), ...ids);
    await retryUntil(forget, {
      pauseMs: 1000,
      ref: false,
      isOver: (_error, attempt) => this.#closed || attempt === mostTries,
    }).catch(() => undefined);
  }
}

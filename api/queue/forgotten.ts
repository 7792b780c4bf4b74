import { setTimeout as sleep } from "node:timers/promises";
import type { Redis, Result } from "ioredis";
import { encodeOutcome, resultKey } from "../../contract/job.ts";
import { forgetScript, roomBytesKey, roomKey } from "../../contract/room.ts";

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
  #closed = false;

  constructor(redis: Redis) {
    this.#redis = redis;
    redis.defineCommand("forgetResults", { lua: forgetScript });
  }

  add(jobId: string): void {
    this.#ids.push(jobId);
    // Those that are settled together are forgotten together.
    if (this.#ids.length === 1) setImmediate(() => void this.#tell());
  }

  close(): void {
    this.#closed = true;
  }

  /** Tried again for a while where Redis is away. */
  async #tell(): Promise<void> {
    const ids = this.#ids;
    this.#ids = [];
    const keys = [roomKey, roomBytesKey, ...ids.map(resultKey)];
    for (let tries = 10; tries > 0 && !this.#closed; tries -= 1) {
      const told = await this.#redis
        .forgetResults(keys.length, ...keys, delivered, String(forgottenForMs), ...ids)
        .then(
          () => true,
          () => false,
        );
      if (told) return;
      await sleep(1000, undefined, { ref: false });
    }
  }
}

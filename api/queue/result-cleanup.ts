import type { Redis, Result } from "ioredis";
import { encodeOutcome } from "../../runtime/queue.ts";
import { resultKey } from "../../runtime/redis/keys.ts";
import {
  deleteResultsScript,
  resultSpaceBytesKey,
  resultSpaceKey,
} from "../../runtime/redis/result-space.ts";
import { retryUntil } from "../../runtime/retry.ts";

/** Removals are collected: a round trip to Redis costs as much as removing several results. */
const gatherMs = 100;
const mostAtOnce = 500;
const mostTries = 10;
/** A late or frozen worker stores no result of a job that was given up within this time. */
const forgottenForMs = 120_000;
/** Replaces the result of an ended call; a reader gets the stored answer of its key, if there is one. */
const delivered = encodeOutcome(
  {
    ok: false,
    type: "upstream_unavailable",
    status: 503,
    message: "The call has ended without an answer; send it again",
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

/** Result cleanup: removes results from Redis that no caller needs any more. */
export class ResultCleanup {
  readonly #redis: Redis;
  #ids: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(redis: Redis) {
    this.#redis = redis;
    redis.defineCommand("forgetResults", { lua: deleteResultsScript });
  }

  add(jobId: string): void {
    this.#ids.push(jobId);
    if (this.#ids.length >= mostAtOnce) void this.#forget();
    else this.#timer ??= setTimeout(() => void this.#forget(), gatherMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#forget();
  }

  /** Removes what was collected; retries for a while when Redis is away. */
  async #forget(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = this.#ids;
    this.#ids = [];
    if (ids.length === 0) return;
    const keys = [resultSpaceKey, resultSpaceBytesKey, ...ids.map(resultKey)];
    const forget = () =>
      this.#redis.forgetResults(keys.length, ...keys, delivered, String(forgottenForMs), ...ids);
    await retryUntil(forget, {
      pauseMs: 1000,
      ref: false,
      isOver: (_error, attempt) => this.#closed || attempt === mostTries,
    }).catch(() => undefined);
  }
}

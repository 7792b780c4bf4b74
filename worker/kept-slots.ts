import type { Worker } from "bullmq";
import type { Redis, Result } from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import type { AccountTurns } from "../runtime/account-turns.ts";
import type { Pool } from "../contract/operation.ts";
import { queueOf, queuePrefix } from "../runtime/redis/keys.ts";

declare module "ioredis" {
  interface RedisCommander<Context> {
    bringForward(...keysAndArguments: (string | number)[]): Result<number, Context>;
  }
}

const lookEveryMs = 100;
/** Jobs that one look reads; the API puts an account's first call ahead of the others. */
const depth = 100;

/**
 * Makes the first waiting job of an account that is not barred the next one of the queue. Keys: the queue's waiting
 * and prioritized jobs, its settings. Arguments: prefix of its jobs, most jobs to read, the barred accounts. Jobs
 * begin with their account, so no input is parsed.
 */
const bringForwardScript = `
if redis.call('HEXISTS', KEYS[3], 'paused') == 1 then return 0 end
local barred = {}
for i = 3, #ARGV do barred[ARGV[i]] = true end
local function mayRun(job)
  local data = redis.call('HGET', ARGV[1] .. job, 'data')
  local account = data and string.match(data, '^{"account":"(%w+)"')
  return account and not barred[account]
end
local waiting = redis.call('LRANGE', KEYS[1], -ARGV[2], -1)
for i = #waiting, 1, -1 do
  if mayRun(waiting[i]) then
    redis.call('LREM', KEYS[1], -1, waiting[i])
    redis.call('RPUSH', KEYS[1], waiting[i])
    return 1
  end
end
for _, job in ipairs(redis.call('ZRANGE', KEYS[2], 0, ARGV[2] - 1)) do
  if mayRun(job) then
    redis.call('ZREM', KEYS[2], job)
    redis.call('RPUSH', KEYS[1], job)
    return 1
  end
end
return 0`;

interface Parts {
  pool: Pool;
  worker: Pick<Worker, "id" | "getNextJob" | "processJob">;
  redis: Redis;
  turns: AccountTurns;
  /** Jobs that the worker's loop runs at most now. BullMQ hands them out in their order, whosever they are. */
  slots: () => number;
  /** Jobs that run now, in the loop and here. */
  running: () => number;
  onError: (error: Error) => void;
}

const prefix = "kept:";

/**
 * Takes jobs of accounts below their share of a pool's turns while all slots of the worker are held by others. So a
 * slot is at once there for an account without one, however long the pages of the others last.
 */
export class KeptSlots {
  readonly #parts: Parts;
  readonly #running = new Set<Promise<unknown>>();
  readonly #timer: NodeJS.Timeout;
  #taken = 0;
  #looking = false;
  #stopped = false;
  #quiet = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.redis.defineCommand("bringForward", { numberOfKeys: 3, lua: bringForwardScript });
    this.#timer = setInterval(() => void this.#look(), lookEveryMs);
  }

  /** Whether a job was taken here, outside the worker's own slots. */
  static took(token: string | undefined): boolean {
    return token?.startsWith(prefix) === true;
  }

  /** While it is quiet it takes no jobs. */
  quiet(isQuiet: boolean): void {
    this.#quiet = isQuiet;
  }

  /** Takes no further jobs, and waits at most so long for the running ones. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await Promise.race([
      Promise.allSettled(this.#running),
      sleep(graceMs, undefined, { ref: false }),
    ]);
  }

  async #look(): Promise<void> {
    const { running, slots, onError } = this.#parts;
    const isFull = running() - this.#running.size >= slots();
    if (this.#looking || this.#stopped || this.#quiet || !isFull) return;
    this.#looking = true;
    try {
      while (await this.#takeOne());
    } catch (error) {
      onError(error as Error);
    } finally {
      this.#looking = false;
    }
  }

  async #takeOne(): Promise<boolean> {
    const { pool, redis, turns, worker } = this.#parts;
    const { slots, barred } = turns.free();
    // A job that was taken a moment ago may not have begun its turn.
    if (this.#stopped || this.#quiet || slots === 0 || this.#running.size >= turns.slots)
      return false;
    const queue = `${queuePrefix}:${queueOf(pool)}:`;
    const keys = [`${queue}wait`, `${queue}prioritized`, `${queue}meta`] as const;
    if ((await redis.bringForward(...keys, queue, depth, ...barred)) === 0) return false;
    const token = `${prefix}${worker.id}:${++this.#taken}`;
    const job = await worker.getNextJob(token, { block: false });
    if (!job) return false;
    const run = worker.processJob(job, token, () => false).catch(this.#parts.onError);
    this.#running.add(run);
    void run.finally(() => {
      this.#running.delete(run);
      void this.#look();
    });
    return true;
  }
}

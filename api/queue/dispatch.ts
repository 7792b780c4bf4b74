import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import type { Redis, Result } from "ioredis";
import { type JobData } from "../../runtime/queue.ts";
import { cancelChannel, queueOf, queuePrefix } from "../../runtime/redis/keys.ts";
import type { Metrics } from "../../runtime/metrics.ts";
import { StoreClock } from "../../runtime/store-clock.ts";
import {
  keepAlive,
  nextReady,
  openRedis,
  persistentOptions,
} from "../../runtime/redis/connection.ts";
import { retryUntil } from "../../runtime/retry.ts";
import { type Pool, pools } from "../../contract/operation.ts";
import { pipelineWrites } from "../../runtime/redis/pipelining.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { Arrivals } from "./arrivals.ts";
import { CallLimiter } from "../admission/call-limiter.ts";
import { ResultCleanup } from "./result-cleanup.ts";
import { type PoolState, PoolStates } from "./pool-states.ts";
import { queueOptions } from "./queue-options.ts";
import { Waiters } from "./waiters.ts";

/** A refused add is retried under the same job id for this long, in milliseconds. */
const addPatienceMs = 2000;
const addPauseMs = 100;

declare module "ioredis" {
  interface RedisCommander<Context> {
    lookAtStanding(...keysAndArguments: string[]): Result<[string | 0, number], Context>;
  }
}

/** When a worker started a job, in Unix milliseconds, or its position in the queue before that. */
export interface Standing {
  startedAt?: number;
  position?: number;
}

/** Keys: the job, the queue's prioritized and waiting jobs. Argument: the job's id. */
const standingScript = `
local started = redis.call('HGET', KEYS[1], 'processedOn')
if started then return {started, 0} end
local rank = redis.call('ZRANK', KEYS[2], ARGV[1])
if rank then return {0, redis.call('LLEN', KEYS[3]) + rank + 1} end
local at = redis.call('LPOS', KEYS[3], ARGV[1], 'RANK', -1)
return {0, at and redis.call('LLEN', KEYS[3]) - at or 0}`;

/** Sends jobs to their pool's queue and waits for their outcomes. */
export class Dispatcher {
  /** For commands that must fail fast: without these options an add hangs while Redis is away. */
  readonly redis: Redis;
  readonly waiters: Waiters;
  readonly limiter: CallLimiter;
  readonly #subscriber: Redis;
  readonly #onError: (error: Error) => void;
  #queues: ReadonlyMap<Pool, Queue<JobData>> = new Map();
  readonly #reply = `${queuePrefix}:reply:${randomUUID()}`;
  readonly #states: PoolStates;
  readonly #forgotten: ResultCleanup;
  readonly #arrivals: Arrivals;
  readonly #clock: StoreClock;

  constructor(
    redisUrl: string,
    metrics: Metrics,
    onError: (error: Error) => void,
    clock = new StoreClock(),
    onObjection: (objection: string) => void = () => {},
  ) {
    this.#clock = clock;
    this.redis = openRedis(redisUrl, {
      // Without a queue a refused command cannot wait for the next server.
      ...persistentOptions(false),
      maxRetriesPerRequest: 1,
      enableOfflineQueue: false,
      commandTimeout: 2000,
      connectTimeout: 2000,
      connectionName: "api",
    });
    this.#subscriber = openRedis(redisUrl, {
      ...persistentOptions(true),
      maxRetriesPerRequest: null,
      connectionName: "api:reply",
    });
    pipelineWrites(this.redis, { awaitsAnswer: true });
    for (const connection of [this.redis, this.#subscriber]) {
      connection.on("error", onError);
      keepAlive(connection);
    }
    this.#onError = onError;
    this.#arrivals = new Arrivals(metrics);
    this.redis.defineCommand("lookAtStanding", { numberOfKeys: 3, lua: standingScript });
    this.limiter = new CallLimiter(this.redis);
    this.waiters = new Waiters(this.redis, this.#subscriber, metrics);
    this.#forgotten = new ResultCleanup(this.redis);
    this.#states = new PoolStates(this.redis, clock, onObjection);
  }

  /** Waits for Redis, however long it is away. */
  async start(): Promise<void> {
    // Without an offline queue, earlier commands would be refused.
    if (this.redis.status !== "ready") await nextReady(this.redis);
    this.#queues = new Map(
      pools.map((pool) => {
        const queue = new Queue<JobData>(queueOf(pool), {
          connection: this.redis,
          ...queueOptions,
        });
        queue.on("error", this.#onError);
        return [pool, queue];
      }),
    );
    await this.#clock.measure(this.redis).catch(() => undefined);
    await this.#subscriber.subscribe(this.#reply);
    await this.#states.look();
  }

  /** Subscribes to a channel; messages are lost while Redis is away. */
  readonly listen = (channel: string, onMessage: (message: string) => void): void => {
    this.#subscriber.on("message", (from: string, message: string) => {
      if (from === channel) onMessage(message);
    });
    // The client subscribes again after a reconnection.
    void this.#subscriber.subscribe(channel).catch(this.#onError);
  };

  /**
   * Adds a job; adding the same id twice is one job. Returns the time by Redis's clock. Throws when Redis
   * refuses for two seconds.
   */
  add(
    jobId: string,
    pool: Pool,
    job: Omit<JobData, "reply">,
    /** Position among the waiting jobs, the least first; without one the job is next. */
    priority = 0,
  ): Promise<number> {
    this.#arrivals.note(pool);
    return this.addAgain(jobId, pool, job, priority);
  }

  /** Adds a job that was most likely added before, so it is not counted as an arrival. */
  async addAgain(
    jobId: string,
    pool: Pool,
    job: Omit<JobData, "reply">,
    priority = 0,
  ): Promise<number> {
    const until = monotonicNow() + addPatienceMs;
    const queue = this.#queues.get(pool) as Queue<JobData>;
    const add = async () => {
      const timestamp = this.#clock.now();
      const data = { ...job, deadline: job.deadline + this.#clock.aheadMs, reply: this.#reply };
      await queue.add(job.operation, data, { jobId, priority, timestamp });
      this.waiters.added(jobId);
      return timestamp;
    };
    return retryUntil(add, {
      pauseMs: addPauseMs,
      isOver: () => monotonicNow() + addPauseMs >= until,
    });
  }

  /** Removes a waiting job from its queue and notifies the worker of a running one. */
  async cancel(jobId: string, pool: Pool): Promise<void> {
    const queue = this.#queues.get(pool) as Queue<JobData>;
    // A running job is locked and cannot be removed; its worker listens on the channel.
    const removed = await queue.remove(jobId).catch(() => 0);
    if (removed === 0) await this.redis.publish(cancelChannel(pool), jobId).catch(() => 0);
  }

  /** Cancels a job that is no longer charged; retries for a second, as a worker may be reconnecting. */
  async cancelSurely(jobId: string, pool: Pool): Promise<void> {
    for (let tries = 5; tries > 0; tries -= 1) {
      await this.cancel(jobId, pool);
      await sleep(200);
      if ((await this.startOf(jobId, pool).catch(() => 0)) === undefined) return;
    }
  }

  /** Whether and when a job started, or its position, by one query. */
  async standingOf(jobId: string, pool: Pool): Promise<Standing> {
    const queue = `${queuePrefix}:${queueOf(pool)}:`;
    const [startedAt, position] = await this.redis.lookAtStanding(
      `${queue}${jobId}`,
      `${queue}prioritized`,
      `${queue}wait`,
      jobId,
    );
    if (startedAt) return { startedAt: Number(startedAt) };
    return position ? { position } : {};
  }

  /** When a worker started the job, in Unix milliseconds; undefined while it waits or when it is gone. */
  async startOf(jobId: string, pool: Pool): Promise<number | undefined> {
    const at = await this.redis.hget(`${queuePrefix}:${queueOf(pool)}:${jobId}`, "processedOn");
    return at === null ? undefined : Number(at);
  }

  /** Jobs of a pool that workers have started and not ended. */
  async takenOf(pool: Pool): Promise<string[]> {
    return this.redis.lrange(`${queuePrefix}:${queueOf(pool)}:active`, 0, -1);
  }

  /** Removes a job that ended without a result, so that its id can be added again; no effect while it runs. */
  async remove(jobId: string, pool: Pool): Promise<void> {
    await (this.#queues.get(pool) as Queue<JobData>).remove(jobId).catch(() => 0);
  }

  async isPaused(pool: Pool): Promise<boolean> {
    return (await this.#queues.get(pool)?.isPaused()) === true;
  }

  /** Pauses or resumes a pool; running jobs go on. */
  async pause(pool: Pool, paused: boolean): Promise<void> {
    const queue = this.#queues.get(pool);
    await (paused ? queue?.pause() : queue?.resume());
  }

  /** False while Redis is away: a job would not get into its queue. */
  get isConnected(): boolean {
    return this.redis.status === "ready";
  }

  /** Redis is so full that running calls may need the rest; new ones are refused. */
  get nearlyFull(): boolean {
    return this.#states.nearlyFull;
  }

  /** One sentence while Redis has a setting that may lose work; once its memory is nearly full, calls are refused. */
  get objection(): string | undefined {
    return this.#states.objection;
  }

  /** How far this machine's clock is ahead of the clock of Redis, in milliseconds. */
  get skewMs(): number {
    return this.#clock.skewMs;
  }

  /** Converts a time of this process to the clock of Redis, which all processes share. */
  storeTime(at: number): number {
    return at + this.#clock.aheadMs;
  }

  /** Now, on the clock of Redis. */
  storeNow(): number {
    return this.#clock.now();
  }

  /**
   * Removes the result of a job that was delivered or can no longer be; a mark says so to late readers and
   * workers.
   */
  forget(jobId: string): void {
    this.#forgotten.add(jobId);
  }

  /** Last known figures of a pool; assumed ones while no worker has reported for a minute. */
  stateOf(pool: Pool): PoolState {
    return this.#states.of(pool);
  }

  /** As `stateOf`, but a pool without a known worker is looked at again. */
  knownStateOf(pool: Pool): Promise<PoolState> {
    return this.#states.known(pool);
  }

  async close(): Promise<void> {
    await this.#forgotten.close();
    this.#states.close();
    this.waiters.close();
    await this.limiter.close();
    await Promise.all(
      [...this.#queues.values()].map((queue) => queue.close().catch(() => undefined)),
    );
    this.#subscriber.disconnect();
    this.redis.disconnect();
  }
}

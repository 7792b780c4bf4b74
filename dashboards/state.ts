import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { infoOf } from "../runtime/redis/connection.ts";
import { heartbeatFreshMs, type Heartbeat } from "../runtime/queue.ts";
import { heartbeatKey } from "../runtime/redis/keys.ts";
import type { webhookQueue } from "../runtime/webhook-queue.ts";
import { pools, type Pool } from "../contract/operation.ts";
import { policyObjection, redisFactsOf, redisWarning } from "../runtime/redis/requirements.ts";

export const jobStates = [
  "waiting",
  "prioritized",
  "active",
  "delayed",
  "completed",
  "failed",
] as const;
export type JobState = (typeof jobStates)[number];

/** The queue of webhooks has workers and a state as the pools have. */
export type QueueName = Pool | typeof webhookQueue;

/** The current state of one queue and the workers with a fresh heartbeat. */
export interface QueueState<Name extends QueueName = QueueName> {
  pool: Name;
  jobs: Record<JobState, number>;
  /** Seconds that the oldest waiting job has waited; 0 when none waits. */
  oldestWaitingSeconds: number;
  /** Worker processes that take jobs. */
  workers: number;
  slots: number;
  running: number;
  /** Of all workers, quiet ones too. */
  beats: Heartbeat[];
}

export type PoolState = QueueState<Pool>;

export interface RedisState {
  /** Processor time that the Redis process has used so far, in seconds. */
  processorSeconds: number;
  usedBytes: number;
  /** 0 means no limit. */
  limitBytes: number;
  keys: number;
  clients: number;
  appendOnly: boolean;
  /** Redis drops nothing when its memory is full. */
  noEviction: boolean;
  /** The settings of Redis that put queued work at risk. */
  warnings: string[];
}

export type Queues = ReadonlyMap<Pool, Queue>;

function freshHeartbeats(hash: Record<string, string>, now: number): Heartbeat[] {
  return Object.values(hash).flatMap((text) => {
    try {
      const beat = JSON.parse(text) as Heartbeat;
      return now - beat.at <= heartbeatFreshMs ? [beat] : [];
    } catch {
      return [];
    }
  });
}

/** Seconds since the oldest waiting job was added; workers take jobs from the end of `wait`. */
async function oldestWaiting(redis: Redis, queue: Queue, now: number): Promise<number> {
  const [plain, prioritized] = await Promise.all([
    redis.lindex(queue.toKey("wait"), -1),
    redis.zrange(queue.toKey("prioritized"), "0", "0"),
  ]);
  const ids = [plain, ...prioritized].filter((id) => id !== null);
  const added = await Promise.all(ids.map((id) => redis.hget(queue.toKey(id), "timestamp")));
  const ages = added.filter((text) => text !== null).map((text) => (now - Number(text)) / 1000);
  return Math.max(0, ...ages.filter((age) => Number.isFinite(age)));
}

export async function readPool<Name extends QueueName>(
  redis: Redis,
  queue: Queue,
  pool: Name,
  now: number,
): Promise<QueueState<Name>> {
  const [counts, oldestWaitingSeconds, beats] = await Promise.all([
    queue.getJobCounts(...jobStates),
    oldestWaiting(redis, queue, now),
    redis.hgetall(heartbeatKey(pool)),
  ]);
  const fresh = freshHeartbeats(beats, now);
  const taking = fresh.filter(({ quiet }) => !quiet);
  const jobs = Object.fromEntries(jobStates.map((state) => [state, counts[state] ?? 0]));
  return {
    pool,
    jobs: jobs as Record<JobState, number>,
    oldestWaitingSeconds,
    workers: taking.length,
    slots: taking.reduce((sum, beat) => sum + beat.slots, 0),
    running: fresh.reduce((sum, beat) => sum + beat.running, 0),
    beats: fresh,
  };
}

/** Rejects when Redis does not answer. */
export function readPools(redis: Redis, queues: Queues, now: number): Promise<PoolState[]> {
  return Promise.all(pools.map((pool) => readPool(redis, queues.get(pool) as Queue, pool, now)));
}

export async function readRedis(redis: Redis): Promise<RedisState> {
  const [info, keys] = await Promise.all([infoOf(redis), redis.dbsize()]);
  const facts = redisFactsOf(info);
  const objection = policyObjection(facts.policy);
  const figure = (name: string) =>
    Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(info)?.[1] ?? 0);
  return {
    processorSeconds: figure("used_cpu_user") + figure("used_cpu_sys"),
    usedBytes: figure("used_memory"),
    limitBytes: figure("maxmemory"),
    keys,
    clients: figure("connected_clients"),
    appendOnly: facts.appendOnly,
    noEviction: objection === undefined,
    warnings: [objection, redisWarning(facts)].filter((text) => text !== undefined),
  };
}

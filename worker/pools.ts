import { DelayedError, Worker } from "bullmq";
import * as ioredis from "ioredis";
import { setTimeout as sleep } from "node:timers/promises";
import { type JobData, cancelChannel, queueOf, upstreamControlsChannel } from "../contract/job.ts";
import { StoreClock } from "../contract/clock.ts";
import { keepWatch, lasting, openRedis } from "../contract/connection.ts";
import { gatherWrites } from "../contract/gather-writes.ts";
import { steadyNow } from "../contract/steady.ts";
import type { Call } from "./connector.ts";
import { createHandOver } from "./hand-over.ts";
import { processName, startHeartbeat } from "./heartbeat.ts";
import { Locks } from "./locks.ts";
import type { Machine } from "./machine.ts";
import { queueOptions } from "./queue-options.ts";
import { Times } from "./times.ts";
import { type Reference, Work, type WorkSettings } from "./work.ts";

/** A job that this release does not understand is offered to the others again after this long. */
const putBackMs = 200;

interface PoolSettings extends WorkSettings {
  slots: number;
  redisUrl: string;
  /** False for a job that only a worker of a later release can carry out. */
  understands(job: JobData): boolean;
  log: Call["log"];
  /** All pools of a process share one of each. */
  clock?: StoreClock;
  machine?: Machine;
  /** Called when operators have decided something about upstreams. */
  decided?(): void;
}

export interface RunningPool {
  /** Stops taking jobs, waits for the running ones at most `graceMs`, then lets go. */
  close(graceMs: number): Promise<void>;
}

/** How long Redis may take to hear that the last jobs have ended; it may have gone for good. */
const lastWordsMs = 3000;

/** Works one pool's queue until closed. */
export async function startPool(settings: PoolSettings): Promise<RunningPool> {
  const { pool, slots, log } = settings;
  const { redis, subscriber, queue } = connect(settings);
  const { clock = new StoreClock() } = settings;
  // Before the first job; where Redis is away, with the first heartbeat.
  await clock.measure(redis).catch(() => undefined);
  const times = new Times(redis, pool, clock);
  const handOver = createHandOver(redis, pool, log);
  const work = new Work(settings, { redis, clock, times, handOver, slots });
  const locks = new Locks();
  const worker = new Worker<JobData, Reference>(
    queueOf(pool),
    // BullMQ passes the signal only to a function of three parameters.
    async (job, token, signal) => {
      if (!settings.understands(job.data) && clock.now() < job.data.deadline) {
        await job.moveToDelayed(clock.now() + putBackMs, token);
        throw new DelayedError();
      }
      return locks.during(job, token, () =>
        work.carryOut(job, signal ?? new AbortController().signal),
      );
    },
    {
      connection: queue,
      // The job's `processedBy`: who had it last, also when that one is gone.
      name: processName,
      concurrency: slots,
      ...queueOptions,
    },
  );
  const queueFailed = (error: Error) => log("warn", "queue", { pool, error: error.message });
  worker.on("error", queueFailed);
  locks.renewFor(worker, queueFailed);
  worker.on("stalled", (jobId) =>
    log("warn", "job taken over from a lost worker", { pool, request_id: jobId }),
  );

  subscriber.on("message", (channel, jobId) => {
    if (channel === upstreamControlsChannel) settings.decided?.();
    else if (worker.cancelJob(jobId, "cancelled"))
      log("info", "job cancelled", { pool, request_id: jobId });
  });
  await subscriber.subscribe(cancelChannel(pool), upstreamControlsChannel);
  await worker.waitUntilReady();
  const heartbeat = await startHeartbeat({
    redis,
    clock,
    of: pool,
    workerId: worker.id,
    read: () => ({
      slots,
      running: work.running,
      mean_run_ms: Math.round(work.meanRunMs),
      ...settings.machine?.read(),
    }),
  });

  return {
    async close(graceMs) {
      await heartbeat.stop();
      await stop(worker, work, graceMs);
      await Promise.race([times.close(), sleep(500, undefined, { ref: false })]);
      for (const connection of [subscriber, queue, redis]) connection.disconnect();
    },
  };
}

/** A pool's connections to Redis; waiting for a job takes one more, BullMQ's own. */
function connect({ pool, redisUrl, log }: PoolSettings) {
  const open = (name: string, more: object = {}) =>
    openRedis(ioredis, redisUrl, {
      ...lasting(true),
      maxRetriesPerRequest: null,
      connectionName: `worker:${pool}${name}`,
      ...more,
    });
  const redis = open("", { commandTimeout: 2000 });
  const subscriber = open(":cancel");
  // A job taken over a connection that is cut meanwhile waits until it is stalled.
  const queue = open(":queue", { retryStrategy: () => 500 });
  for (const connection of [redis, subscriber, queue]) {
    connection.on("error", (error) => log("warn", "redis", { pool, error: error.message }));
    keepWatch(connection);
  }
  for (const connection of [redis, queue]) gatherWrites(connection, { awaitsAnswer: false });
  return { redis, subscriber, queue };
}

/** Takes no new job from here on. BullMQ waits for running ones, and for Redis, without a limit. */
async function stop(worker: Worker, work: Work, graceMs: number): Promise<void> {
  let closed = false;
  const closing = worker
    .close()
    .catch(() => undefined)
    .then(() => (closed = true));
  const end = steadyNow() + graceMs;
  let idleSince = steadyNow();
  while (!closed && steadyNow() < end && steadyNow() - idleSince < lastWordsMs) {
    await Promise.race([closing, sleep(100, undefined, { ref: false })]);
    if (work.running > 0) idleSince = steadyNow();
  }
}

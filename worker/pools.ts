import { DelayedError, Worker, type Job } from "bullmq";
import * as ioredis from "ioredis";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Heartbeat,
  type JobData,
  cancelChannel,
  encodeOutcome,
  heartbeatEveryMs,
  heartbeatFreshMs,
  heartbeatKey,
  hintLimitBytes,
  queueOf,
  resultKey,
  upstreamControlsChannel,
} from "../contract/job.ts";
import type { Metrics } from "../contract/metrics.ts";
import { StoreClock } from "../contract/clock.ts";
import { keepWatch, lasting, openRedis } from "../contract/connection.ts";
import type { Pool } from "../contract/operation.ts";
import { steadyNow } from "../contract/steady.ts";
import type { WorkStory } from "../contract/story.ts";
import type { Tracing } from "../contract/trace.ts";
import type { Call } from "./connector.ts";
import { gatherWrites } from "./gather-writes.ts";
import { Locks } from "./locks.ts";
import type { Machine } from "./machine.ts";
import { createOutcomeStore } from "./outcomes.ts";
import { queueOptions } from "./queue-options.ts";
import { createRoom } from "./room.ts";
import { Dropped, type Ran } from "./run.ts";
import type { Taken } from "./story.ts";
import { Times } from "./times.ts";

/** A hold outlives its deadline by this much, and so does the result. */
const resultGraceMs = 60_000;
const storeRetryMs = 200;
/** This long before the deadline a caller whose answer has had no room is told so. */
const refusalMs = 1500;
/** A larger input leaves Redis with the end of its job. */
const inputKeptBytes = 16 * 1024;
/** A job that this release does not understand is offered to the others again after this long. */
const putBackMs = 200;
/** A worker that was killed leaves its heartbeat behind; another takes it away after this long. */
const lostAfterMs = 5 * heartbeatFreshMs;

const workerName = `${hostname()}-${process.pid}`;

interface PoolSettings {
  pool: Pool;
  slots: number;
  redisUrl: string;
  /** False for a job that only a worker of a later release can carry out. */
  understands(job: JobData): boolean;
  /** Carries the job out and returns its stored form. */
  process(jobId: string, job: JobData, signal: AbortSignal, taken: Taken): Promise<Ran>;
  metrics: Metrics;
  log: Call["log"];
  /** All pools of a process share one of each. */
  clock?: StoreClock;
  machine?: Machine;
  tracing?: Tracing | undefined;
  /** Called when operators have decided something about upstreams. */
  decided?(): void;
}

const noRoom = (): Buffer =>
  encodeOutcome(
    {
      ok: false,
      type: "upstream_unavailable",
      status: 503,
      message: "There is no room for so large an answer at the moment",
      retry_after: 5,
    },
    undefined,
  );

const tooLate = (work: WorkStory | undefined): Buffer =>
  encodeOutcome(
    {
      ok: false,
      type: "upstream_unavailable",
      status: 504,
      message: "No answer before the deadline of the call",
      retry_after: 5,
      ...(work ? { work } : {}),
    },
    undefined,
  );

/** What a finished BullMQ job keeps; BullMQ copies it into its event stream, so it stays small. */
type Reference = { bytes: number } | { dropped: string; work?: WorkStory };

export interface RunningPool {
  /** Stops taking jobs, waits for the running ones at most `graceMs`, then lets go. */
  close(graceMs: number): Promise<void>;
}

/** How long Redis may take to hear that the last jobs have ended; it may have gone for good. */
const lastWordsMs = 3000;

/** Works one pool's queue until closed. */
export async function startPool(settings: PoolSettings): Promise<RunningPool> {
  const { pool, slots, metrics, log } = settings;
  const redis = openRedis(ioredis, settings.redisUrl, {
    ...lasting(true),
    maxRetriesPerRequest: null,
    commandTimeout: 2000,
    connectionName: `worker:${pool}`,
  });
  const storeOutcome = createOutcomeStore(redis);
  const takeRoom = createRoom(redis);
  const subscriber = openRedis(ioredis, settings.redisUrl, {
    ...lasting(true),
    maxRetriesPerRequest: null,
    connectionName: `worker:${pool}:cancel`,
  });
  /** The queue's own; waiting for a job has one more like it. */
  const queue = openRedis(ioredis, settings.redisUrl, {
    ...lasting(true),
    maxRetriesPerRequest: null,
    // A job taken over a connection that is cut meanwhile waits until it is stalled.
    retryStrategy: () => 500,
    connectionName: `worker:${pool}:queue`,
  });
  for (const connection of [redis, subscriber, queue]) {
    connection.on("error", (error) => log("warn", "redis", { pool, error: error.message }));
    keepWatch(connection);
  }
  for (const connection of [redis, queue]) gatherWrites(connection);

  const { clock = new StoreClock() } = settings;
  // Before the first job; where Redis is away, with the first heartbeat.
  await clock.measure(redis).catch(() => undefined);
  const times = new Times(redis, pool, clock);
  let running = 0;
  let meanRunMs = 0;
  const locks = new Locks();
  const worker = new Worker<JobData, Reference>(
    queueOf(pool),
    // BullMQ passes the signal only to a function of three parameters.
    async (job, token, signal) => {
      if (!settings.understands(job.data) && clock.now() < job.data.deadline) {
        await job.moveToDelayed(clock.now() + putBackMs, token);
        throw new DelayedError();
      }
      return locks.during(job, token, () => work(job, signal ?? new AbortController().signal));
    },
    {
      connection: queue,
      // The job's `processedBy`: who had it last, also when that one is gone.
      name: workerName,
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

  async function work(job: Job<JobData>, signal: AbortSignal): Promise<Reference> {
    const jobId = job.id as string;
    const startedAt = steadyNow();
    const queued = clock.now() - job.timestamp;
    metrics.observe("gateway_job_wait_seconds", { pool }, queued / 1000);
    running += 1;
    const { operation } = job.data;
    const attempt = job.attemptsStarted;
    const about = { jobId, pool, operation, attempt, queued: Math.max(0, queued), at: Date.now() };
    const trace = job.data.trace && settings.tracing?.work(job.data.trace, about);
    let ended = "crashed";
    try {
      // Taken over from a worker that was lost between its outcome and the end of its job.
      if (attempt > 1 && (await redis.exists(resultKey(jobId))) === 1) {
        ended = "answered";
        metrics.count("gateway_jobs_total", { pool, outcome: ended });
        return { dropped: "answered" };
      }
      const data = { ...job.data, deadline: job.data.deadline - clock.aheadMs };
      const taken = { worker: workerName, attempt, queued, trace };
      const { outcome, stored } = await inItsTime(jobId, data, signal, taken);
      trace?.stage("store");
      const kept = await store(jobId, data, stored);
      ended = kept === stored ? outcome : "upstream_unavailable";
      metrics.count("gateway_jobs_total", { pool, outcome: ended });
      // BullMQ keeps finished jobs for a while; a list of a thousand targets need not wait with them.
      const { input } = job.data;
      if (JSON.stringify(input).length > inputKeptBytes)
        await job.updateData({ ...job.data, input: {} }).catch(() => undefined);
      return { bytes: kept.length };
    } catch (error) {
      const dropped = error instanceof Dropped;
      if (dropped) ended = error.reason;
      metrics.count("gateway_jobs_total", { pool, outcome: ended });
      if (dropped) {
        const { reason, work } = error;
        return work ? { dropped: reason, work } : { dropped: reason };
      }
      throw error;
    } finally {
      running -= 1;
      trace?.end(ended);
      const seconds = (steadyNow() - startedAt) / 1000;
      meanRunMs = meanRunMs === 0 ? seconds * 1000 : meanRunMs * 0.9 + seconds * 100;
      metrics.observe("gateway_job_run_seconds", { pool }, seconds);
      times.note(operation, queued, seconds * 1000);
      metrics.count("gateway_operation_runs_total", { pool, operation });
      metrics.count("gateway_operation_run_seconds_total", { pool, operation }, seconds);
      metrics.count(
        "gateway_operation_run_seconds_squared_total",
        { pool, operation },
        seconds ** 2,
      );
    }
  }

  /** Work that has a time of its own fails at its end, while whoever waits goes on waiting. */
  async function inItsTime(
    jobId: string,
    job: JobData,
    signal: AbortSignal,
    taken: Taken,
  ): Promise<Ran> {
    const runEnd = steadyNow() + (job.run_ms ?? Infinity);
    if (runEnd >= job.deadline) return settings.process(jobId, job, signal, taken);
    try {
      return await settings.process(jobId, { ...job, deadline: runEnd }, signal, taken);
    } catch (error) {
      if (!(error instanceof Dropped) || error.reason !== "expired") throw error;
      return { outcome: "upstream_unavailable", stored: tooLate(error.work) };
    }
  }

  /** The outcome first, then the hint. A job is never completed while its outcome is not stored. */
  async function store(jobId: string, job: JobData, finished: Buffer): Promise<Buffer> {
    let stored = finished;
    for (let told = false; ; told = true) {
      const left = job.deadline - steadyNow();
      const lifeMs = Math.max(1, left) + resultGraceMs;
      try {
        const { tenant } = job;
        const needsRoom = stored.length > hintLimitBytes;
        if (!needsRoom || (await takeRoom({ jobId, bytes: stored.length, pool, tenant, lifeMs }))) {
          await storeOutcome({ jobId, channel: job.reply, lifeMs, stored });
          return stored;
        }
        if (left < refusalMs) stored = noRoom();
        else if (!told) log("warn", "no room for an outcome yet", { request_id: jobId });
      } catch (error) {
        if (left <= 0) throw error;
        log("warn", "outcome not stored yet", {
          request_id: jobId,
          error: (error as Error).message,
        });
      }
      await sleep(storeRetryMs);
    }
  }

  subscriber.on("message", (channel, jobId) => {
    if (channel === upstreamControlsChannel) settings.decided?.();
    else if (worker.cancelJob(jobId, "cancelled"))
      log("info", "job cancelled", { pool, request_id: jobId });
  });
  await subscriber.subscribe(cancelChannel(pool), upstreamControlsChannel);
  await worker.waitUntilReady();

  // The host name lets a container find the heartbeat of its own worker.
  const id = `${workerName}-${worker.id}`;
  const beat = async () => {
    await clock.measure(redis);
    const heartbeat: Heartbeat = {
      at: clock.now(),
      slots,
      running,
      mean_run_ms: Math.round(meanRunMs),
      ...settings.machine?.read(),
    };
    await redis.hset(heartbeatKey(pool), id, JSON.stringify(heartbeat));
    const beats = Object.entries(await redis.hgetall(heartbeatKey(pool)));
    const lost = beats.filter(
      ([, json]) => heartbeat.at - (JSON.parse(json) as Heartbeat).at > lostAfterMs,
    );
    if (lost.length > 0) await redis.hdel(heartbeatKey(pool), ...lost.map(([worker]) => worker));
  };
  // Redis being away is reported by those who need it.
  await beat().catch(() => undefined);
  const timer = setInterval(() => void beat().catch(() => undefined), heartbeatEveryMs);

  return {
    async close(graceMs) {
      clearInterval(timer);
      await redis.hdel(heartbeatKey(pool), id).catch(() => undefined);
      // It asks for no new job from here on, but waits for running ones and for Redis without a limit.
      let closed = false;
      const closing = worker
        .close()
        .catch(() => undefined)
        .then(() => (closed = true));
      const end = steadyNow() + graceMs;
      let idleSince = steadyNow();
      while (!closed && steadyNow() < end && steadyNow() - idleSince < lastWordsMs) {
        await Promise.race([closing, sleep(100, undefined, { ref: false })]);
        if (running > 0) idleSince = steadyNow();
      }
      await Promise.race([times.close(), sleep(500, undefined, { ref: false })]);
      for (const connection of [subscriber, queue, redis]) connection.disconnect();
    },
  };
}

import { DelayedError, WaitingError, Worker } from "bullmq";
import { setTimeout as sleep } from "node:timers/promises";
import { type JobData } from "../runtime/queue.ts";
import { cancelChannel, queueOf, upstreamControlsChannel } from "../runtime/redis/keys.ts";
import type { AccountTurns } from "../runtime/account-turns.ts";
import { StoreClock } from "../runtime/store-clock.ts";
import { keepAlive, persistentOptions, openRedis } from "../runtime/redis/connection.ts";
import { monotonicNow } from "../runtime/monotonic.ts";
import { pipelineWrites } from "../runtime/redis/pipelining.ts";
import { closeQueue } from "./close-queue.ts";
import type { Call } from "./connector.ts";
import { createHandOver } from "./deliver-outcome.ts";
import { processName, startHeartbeat } from "./heartbeat.ts";
import { KeptSlots } from "./kept-slots.ts";
import { Locks } from "./locks.ts";
import type { Machine } from "./machine.ts";
import type { Follower, MachineSlots } from "./machine-slots.ts";
import { queueOptions } from "./queue-options.ts";
import { Times } from "./times.ts";
import { type Reference, Work, type WorkSettings } from "./work.ts";

/** Delay after which a job that this release cannot run is offered to other workers again. */
const putBackMs = 200;
/** Slots that have changed by this share are reported at once: the API lets as many calls wait as suits them. */
const reportedChange = 0.1;

interface PoolSettings extends WorkSettings {
  /** Slots, at the start where they follow the machine. */
  slots: number;
  /** Lets the slots follow the machine; fixed when absent. */
  follow?:
    | { machine: MachineSlots; pages?: Pages | undefined; takeWaitingForLimits(): number }
    | undefined;
  redisUrl: string;
  /** False for a job that only a worker of a later release can run. */
  understands(job: JobData): boolean;
  log: Call["log"];
  /** One clock and one machine reading serve all pools of a process. */
  clock?: StoreClock;
  machine?: Machine;
  /** Turns in which jobs run, where accounts can hold slots for long. */
  turns?: AccountTurns | undefined;
  /** Called when an operator's decision about an upstream changed. */
  decided?(): void;
}

/** Pages on which the jobs of a pool run. */
interface Pages {
  takeWindow: NonNullable<Follower["takeWindow"]>;
  resize(slots: number): void;
}

export interface RunningPool {
  /** Takes no jobs while it is quiet, and finishes those that it has. */
  quiet(isQuiet: boolean): void;
  /** Stops taking jobs, waits at most `graceMs` for the running ones, then disconnects. */
  close(graceMs: number): Promise<void>;
}

/** Runs one pool's queue until closed. */
export async function startPool(settings: PoolSettings): Promise<RunningPool> {
  const { pool, slots, log } = settings;
  const { redis, subscriber, queue } = connect(settings);
  const { clock = new StoreClock() } = settings;
  // Measured before the first job; if Redis is unreachable, with the first heartbeat.
  await clock.measure(redis).catch(() => undefined);
  const times = new Times(redis, pool, clock);
  const handOver = createHandOver(redis, pool, log);
  const work = new Work(settings, { redis, clock, times, handOver, slots });
  const locks = new Locks();
  let isQuiet = false;
  const worker = new Worker<JobData, Reference>(
    queueOf(pool),
    // BullMQ passes the signal only to a function with three parameters.
    async (job, token, signal) => {
      // BullMQ hands out one more job where it was waiting for one when it was paused.
      if (isQuiet && !KeptSlots.took(token)) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      if (!settings.understands(job.data) && clock.now() < job.data.deadline) {
        await job.moveToDelayed(clock.now() + putBackMs, token);
        throw new DelayedError();
      }
      return locks.during(job, token, () =>
        work.carryOut(job, signal ?? new AbortController().signal, !KeptSlots.took(token)),
      );
    },
    {
      connection: queue,
      // Becomes the job's `processedBy`, which names the last worker even after that is lost.
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

  const { turns } = settings;
  const kept =
    turns &&
    new KeptSlots({
      pool,
      worker,
      redis,
      turns,
      slots: () => worker.concurrency,
      running: () => work.running,
      onError: queueFailed,
    });
  let followed: ReturnType<typeof follow>;

  subscriber.on("message", (channel, jobId) => {
    if (channel === upstreamControlsChannel) settings.decided?.();
    else if (worker.cancelJob(jobId, "cancelled"))
      log("info", "job cancelled", { pool, request_id: jobId });
  });
  await subscriber.subscribe(cancelChannel(pool), upstreamControlsChannel);
  await worker.waitUntilReady();
  const holdsItemsBack = () => followed !== undefined && followed.isSlowed && work.hasCallers;
  const heartbeat = await startHeartbeat({
    redis,
    clock,
    of: pool,
    workerId: worker.id,
    read: () => ({
      slots: worker.concurrency,
      slots_bound: followed?.bound ?? (settings.follow ? "demand" : "setting"),
      running: Math.min(worker.concurrency, work.running),
      mean_run_ms: Math.round(work.meanRunMs),
      ...(isQuiet ? { quiet: true as const } : {}),
      ...(holdsItemsBack() ? { holds_items_back: true as const } : {}),
      ...settings.machine?.read(),
    }),
  });
  let reported = slots;
  let reportedBack = false;
  followed = follow(settings, worker, work, () => {
    const now = worker.concurrency;
    const isBack = holdsItemsBack();
    if (isBack === reportedBack && Math.abs(now - reported) < reportedChange * reported) return;
    reported = now;
    reportedBack = isBack;
    heartbeat.now();
  });

  return {
    quiet(becomesQuiet) {
      isQuiet = becomesQuiet;
      kept?.quiet(isQuiet);
      void (isQuiet ? worker.pause(true) : worker.resume());
      heartbeat.now();
      log("info", isQuiet ? "takes no more jobs" : "takes jobs again", { pool });
    },
    async close(graceMs) {
      const end = monotonicNow() + graceMs;
      followed?.stop();
      await heartbeat.stop();
      if (kept) {
        // BullMQ waits only for the jobs of its own loop.
        await worker.pause(true);
        await kept.stop(graceMs);
      }
      await closeQueue(worker, () => work.running, Math.max(0, end - monotonicNow()));
      await Promise.race([times.close(), sleep(500, undefined, { ref: false })]);
      for (const connection of [subscriber, queue, redis]) connection.disconnect();
    },
  };
}

/** Lets a pool's slots follow the machine, where its settings say so. */
function follow(
  { slots, follow: by }: PoolSettings,
  worker: Worker,
  work: Work,
  onLook: () => void,
) {
  return by?.machine.follow({
    start: slots,
    takeMostRunning: () => work.takeMostRunning(),
    takeWaitingForLimits: () => by.takeWaitingForLimits(),
    takeWindow: by.pages && ((pressure) => (by.pages as Pages).takeWindow(pressure)),
    resize(now) {
      const more = now - worker.concurrency;
      // Jobs beyond a lower number go on; BullMQ takes none until fewer are left.
      worker.concurrency = now;
      work.resize(more);
      by.pages?.resize(now);
      if (more > 0) wake(worker);
    },
    looked: onLook,
  });
}

/** A full worker's loop waits for the end of a job. BullMQ wakes the loop of a worker that was paused like this. */
function wake(worker: Worker): void {
  worker["mainLoopQueue"]?.add(Promise.resolve());
}

/** A pool's connections to Redis; BullMQ opens one more, which blocks for jobs. */
function connect({ pool, redisUrl, log }: PoolSettings) {
  const open = (name: string, more: object = {}) =>
    openRedis(redisUrl, {
      ...persistentOptions(true),
      maxRetriesPerRequest: null,
      connectionName: `worker:${pool}${name}`,
      ...more,
    });
  const redis = open("", { commandTimeout: 2000 });
  const subscriber = open(":cancel");
  // A job taken on a connection that breaks in between waits for the stalled check.
  const queue = open(":queue", { retryStrategy: () => 500 });
  for (const connection of [redis, subscriber, queue]) {
    connection.on("error", (error) => log("warn", "redis", { pool, error: error.message }));
    keepAlive(connection);
  }
  for (const connection of [redis, queue]) pipelineWrites(connection, { awaitsAnswer: false });
  return { redis, subscriber, queue };
}

import { WaitingError, Worker, type Job } from "bullmq";
import { AccountTurns } from "../../runtime/account-turns.ts";
import { StoreClock } from "../../runtime/store-clock.ts";
import { keepAlive, persistentOptions, openRedis } from "../../runtime/redis/connection.ts";
import type { Metrics } from "../../runtime/metrics.ts";
import {
  type WebhookAnswer,
  type WebhookJob,
  webhookAnswersKey,
  webhookQueue,
  webhooksInFlight,
} from "../../runtime/webhook-queue.ts";
import { closeQueue, finalWritesMs } from "../close-queue.ts";
import type { Call } from "../connector.ts";
import type { EgressPolicy } from "../../runtime/egress/rules.ts";
import { startHeartbeat } from "../heartbeat.ts";
import { Locks } from "../locks.ts";
import { queueOptions } from "../queue-options.ts";
import { deliver } from "./deliver.ts";
import { ReceiverTurns } from "./receiver-turns.ts";
import { type Receiver, SlowReceivers } from "./slow-receivers.ts";

interface WebhookPoolSettings {
  slots: number;
  /** Timeout of the receiver. */
  attemptMs: number;
  redisUrl: string;
  policy: EgressPolicy;
  metrics: Metrics;
  log: Call["log"];
  clock: StoreClock;
}

/** Return value of a BullMQ job. */
type Reference = { status?: number | undefined; fault?: string | undefined };

/** Makes delivery attempts until closed. It needs no secret, since requests are already signed. */
export async function startWebhooks(
  settings: WebhookPoolSettings,
): Promise<{ quiet(isQuiet: boolean): void; close(): Promise<void> }> {
  const { slots, attemptMs, policy, metrics, log, clock } = settings;
  const open = (name: string, more: object = {}) =>
    openRedis(settings.redisUrl, {
      ...persistentOptions(true),
      maxRetriesPerRequest: null,
      connectionName: `worker:webhooks${name}`,
      ...more,
    });
  const redis = open("", { commandTimeout: 2000 });
  const queue = open(":queue", { retryStrategy: () => 500 });
  for (const connection of [redis, queue]) {
    connection.on("error", (error) => log("warn", "redis", { error: error.message }));
    keepAlive(connection);
  }
  await clock.measure(redis).catch(() => undefined);

  const locks = new Locks();
  let isQuiet = false;
  const worker = new Worker<WebhookJob, Reference>(
    webhookQueue,
    async (job, token) => {
      // BullMQ hands out one more job where it was waiting for one when it was paused.
      if (isQuiet) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      return locks.during(job, token, () => attempt(job));
    },
    // Attempts wait here for their turn: in the queue a slow account's would be ahead of another's.
    { connection: queue, concurrency: webhooksInFlight, ...queueOptions },
  );
  const queueFailed = (error: Error) => log("warn", "queue", { error: error.message });
  worker.on("error", queueFailed);
  locks.renewFor(worker, queueFailed);

  const slowSlots = Math.floor(slots / 4);
  const turns = new AccountTurns({
    name: "webhook deliveries",
    slots: slots - slowSlots,
    kept: 1,
  });
  const slowTurns = new AccountTurns({
    name: "webhook deliveries to slow receivers",
    slots: Math.max(1, slowSlots),
    kept: 1,
  });
  const slowReceivers = new SlowReceivers();
  const receiverTurns = new ReceiverTurns();
  let running = 0;
  let taken = 0;

  async function attempt({ data }: Job<WebhookJob>): Promise<Reference> {
    const account = data.account ?? "";
    const receiver = { account, host: new URL(data.url).host };
    // A later attempt replaces this one.
    const late = AbortSignal.timeout(Math.max(0, data.deadline - clock.now()));
    const group = slowReceivers.has(receiver) ? slowTurns : turns;
    taken += 1;
    try {
      const turn = await group.take(account, late).catch(() => undefined);
      if (!turn) return { fault: "late" };
      running += 1;
      try {
        return await send(data, receiver, late);
      } finally {
        running -= 1;
        turn.end();
      }
    } finally {
      taken -= 1;
    }
  }

  async function send(data: WebhookJob, receiver: Receiver, late: AbortSignal): Promise<Reference> {
    const left = data.deadline - clock.now();
    if (left <= 0) return { fault: "late" };
    const turnAt = (address: string) => receiverTurns.take(address, receiver.account, late);
    const result = await deliver(data, policy, Math.min(left, attemptMs), turnAt, late).catch(
      (error: unknown) => {
        if (late.aborted) return undefined;
        throw error;
      },
    );
    if (!result) return { fault: "late" };
    slowReceivers.note(receiver, result.ms);
    const { status, fault } = result;
    const outcome = fault ?? `${String(status)[0]}xx`;
    metrics.count("gateway_webhook_attempts_total", { outcome });
    const answer: WebhookAnswer = { delivery: data.delivery, attempt: data.attempt, ...result };
    await redis.rpush(webhookAnswersKey, JSON.stringify(answer));
    return { status, fault };
  }

  await worker.waitUntilReady();
  const heartbeat = await startHeartbeat({
    redis,
    clock,
    of: webhookQueue,
    workerId: worker.id,
    read: () => ({
      slots,
      slots_bound: "setting",
      running,
      mean_run_ms: 0,
      ...(isQuiet ? { quiet: true as const } : {}),
    }),
  });
  return {
    quiet(becomesQuiet) {
      isQuiet = becomesQuiet;
      void (isQuiet ? worker.pause(true) : worker.resume());
      heartbeat.now();
    },
    async close() {
      await heartbeat.stop();
      await closeQueue(worker, () => taken, attemptMs + finalWritesMs);
      redis.disconnect();
      queue.disconnect();
    },
  };
}

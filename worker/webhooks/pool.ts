import { Worker, type Job } from "bullmq";
import { StoreClock } from "../../runtime/store-clock.ts";
import { keepAlive, persistentOptions, openRedis } from "../../runtime/redis/connection.ts";
import type { Metrics } from "../../runtime/metrics.ts";
import {
  type WebhookAnswer,
  type WebhookJob,
  webhookAnswersKey,
  webhookQueue,
} from "../../runtime/webhook-queue.ts";
import { closeQueue, finalWritesMs } from "../close-queue.ts";
import type { Call } from "../connector.ts";
import type { EgressPolicy } from "../../runtime/egress/rules.ts";
import { startHeartbeat } from "../heartbeat.ts";
import { Locks } from "../locks.ts";
import { queueOptions } from "../queue-options.ts";
import { deliver } from "./deliver.ts";

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
): Promise<{ close(): Promise<void> }> {
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
  const worker = new Worker<WebhookJob, Reference>(
    webhookQueue,
    (job, token) => locks.during(job, token, () => attempt(job)),
    { connection: queue, concurrency: slots, ...queueOptions },
  );
  const queueFailed = (error: Error) => log("warn", "queue", { error: error.message });
  worker.on("error", queueFailed);
  locks.renewFor(worker, queueFailed);

  let running = 0;
  async function attempt({ data }: Job<WebhookJob>): Promise<Reference> {
    const left = data.deadline - clock.now();
    // A later attempt replaces this one.
    if (left <= 0) return { fault: "late" };
    running += 1;
    const result = await deliver(data, policy, Math.min(left, attemptMs));
    running -= 1;
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
    read: () => ({ slots, running, mean_run_ms: 0 }),
  });
  return {
    async close() {
      await heartbeat.stop();
      await closeQueue(worker, () => running, attemptMs + finalWritesMs);
      redis.disconnect();
      queue.disconnect();
    },
  };
}

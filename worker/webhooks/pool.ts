import { Worker, type Job } from "bullmq";
import * as ioredis from "ioredis";
import { hostname } from "node:os";
import { StoreClock } from "../../contract/clock.ts";
import { keepWatch, lasting, openRedis } from "../../contract/connection.ts";
import {
  type Heartbeat,
  heartbeatEveryMs,
  heartbeatFreshMs,
  heartbeatKey,
} from "../../contract/job.ts";
import type { Metrics } from "../../contract/metrics.ts";
import {
  type WebhookAnswer,
  type WebhookJob,
  webhookAnswersKey,
  webhookQueue,
} from "../../contract/webhook.ts";
import type { Call } from "../connector.ts";
import type { EgressPolicy } from "../egress/rules.ts";
import { Locks } from "../locks.ts";
import { queueOptions } from "../queue-options.ts";
import { deliver } from "./deliver.ts";

interface WebhookPoolSettings {
  slots: number;
  /** What a receiver has to answer in. */
  attemptMs: number;
  redisUrl: string;
  policy: EgressPolicy;
  metrics: Metrics;
  log: Call["log"];
  clock: StoreClock;
}

/** What a finished BullMQ job keeps. */
type Reference = { status?: number; fault?: string };

/** How long Redis may take to hear that the last attempts have ended. */
const lastWordsMs = 3000;

/** Makes attempts until closed. It has no secret: what it sends is signed already. */
export async function startWebhooks(
  settings: WebhookPoolSettings,
): Promise<{ close(): Promise<void> }> {
  const { slots, attemptMs, policy, metrics, log, clock } = settings;
  const open = (name: string, more: object = {}) =>
    openRedis(ioredis, settings.redisUrl, {
      ...lasting(true),
      maxRetriesPerRequest: null,
      connectionName: `worker:webhooks${name}`,
      ...more,
    });
  const redis = open("", { commandTimeout: 2000 });
  const queue = open(":queue", { retryStrategy: () => 500 });
  for (const connection of [redis, queue]) {
    connection.on("error", (error) => log("warn", "redis", { error: error.message }));
    keepWatch(connection);
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
    // Another attempt takes its place, or has.
    if (left <= 0) return { fault: "late" };
    running += 1;
    const told = await deliver(data, policy, Math.min(left, attemptMs));
    running -= 1;
    const { status, fault } = told;
    const outcome = fault ?? `${String(status)[0]}xx`;
    metrics.count("gateway_webhook_attempts_total", { outcome });
    const answer: WebhookAnswer = { delivery: data.delivery, attempt: data.attempt, ...told };
    await redis.rpush(webhookAnswersKey, JSON.stringify(answer));
    return { ...(status === undefined ? {} : { status }), ...(fault ? { fault } : {}) };
  }

  await worker.waitUntilReady();
  const beats = heartbeatKey(webhookQueue);
  const id = `${hostname()}-${process.pid}-${worker.id}`;
  const beat = async () => {
    await clock.measure(redis);
    const heartbeat: Heartbeat = { at: clock.now(), slots, running, mean_run_ms: 0 };
    await redis.hset(beats, id, JSON.stringify(heartbeat));
    // A worker that was killed leaves its heartbeat behind.
    for (const [other, json] of Object.entries(await redis.hgetall(beats))) {
      const isLost = heartbeat.at - (JSON.parse(json) as Heartbeat).at > 5 * heartbeatFreshMs;
      if (isLost) await redis.hdel(beats, other);
    }
  };
  await beat().catch(() => undefined);
  const timer = setInterval(() => void beat().catch(() => undefined), heartbeatEveryMs);
  return {
    async close() {
      clearInterval(timer);
      await redis.hdel(beats, id).catch(() => undefined);
      const closing = worker.close().catch(() => undefined);
      const limit = new Promise((resolve) => setTimeout(resolve, attemptMs + lastWordsMs).unref());
      await Promise.race([closing, limit]);
      redis.disconnect();
      queue.disconnect();
    },
  };
}

import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import * as ioredis from "ioredis";
import type { Redis } from "ioredis";
import { StoreClock } from "../../contract/clock.ts";
import { keepWatch, lasting, openRedis } from "../../contract/connection.ts";
import { queuePrefix } from "../../contract/job.ts";
import {
  type WebhookAnswer,
  type WebhookJob,
  webhookAnswersKey,
  webhookQueue,
} from "../../contract/webhook.ts";
import type { Database } from "../../db/client.ts";
import { type HeardWebhook, recordWebhooks, takeWebhooks } from "../../db/webhooks.ts";
import { heardOf } from "./answer.ts";
import { type Sealer, signedHeaders } from "./secrets.ts";

/** Under way at once, for one endpoint and for all: the queue never holds more. */
const bounds = { perLane: 8, atMost: 500 };
/** An attempt of which nothing is heard for this long is made again. A worker's own limit is a quarter of it. */
const leaseMs = 60_000;
/** A worker that takes an attempt up later than this before the end of its lease leaves it. */
const marginMs = 20_000;
const idleMs = 500;
const answersAtOnce = 200;
const clockEveryMs = 10_000;

interface Settings {
  db: Database;
  redisUrl: string;
  /** Fails fast; queues are written over it. */
  redis: Redis;
  sealer: Sealer;
  /** Seconds between attempts. */
  pauses?: readonly number[];
  warn(message: string, fields: Record<string, unknown>): void;
}

/**
 * Moves what is due from the database into the queue, signed, and writes down how it ended. Every API
 * process does so; the database hands each attempt to one of them. Whatever is lost on the way, by a
 * process or by Redis, is due again when its lease is over.
 */
export class WebhookDispatcher {
  readonly #settings: Settings;
  readonly #queue: Queue<WebhookJob>;
  /** Waits for answers. */
  readonly #listener: Redis;
  readonly #clock = new StoreClock();
  #measuredAt = -Infinity;
  /** Taken off the list and not written down yet. */
  #heard: HeardWebhook[] = [];
  #stopping = false;
  #down = false;
  #loop: Promise<void> | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#listener = openRedis(ioredis, settings.redisUrl, {
      ...lasting(true),
      maxRetriesPerRequest: null,
      connectionName: "api:webhooks",
    });
    this.#listener.on("error", () => undefined); // Told once by the connection it shares.
    keepWatch(this.#listener);
    this.#queue = new Queue<WebhookJob>(webhookQueue, {
      connection: settings.redis,
      prefix: queuePrefix,
      skipWaitingForReady: true,
      streams: { events: { maxLen: 1000 } },
      defaultJobOptions: {
        attempts: 1,
        removeOnComplete: { age: 300, count: 1000 },
        removeOnFail: { age: 300, count: 1000 },
      },
    });
    this.#queue.on("error", () => undefined);
  }

  start(): void {
    this.#loop = this.#run();
  }

  async close(): Promise<void> {
    this.#stopping = true;
    await this.#loop;
    this.#listener.disconnect();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#hear();
        if (this.#stopping) return;
        await this.#send();
        this.#down = false;
      } catch (error) {
        if (!this.#down) this.#settings.warn("webhooks wait", { error: String(error) });
        this.#down = true;
        await sleep(idleMs);
      }
    }
  }

  /** Waits a moment for answers and writes them down; what cannot be written is kept for the next time. */
  async #hear(): Promise<void> {
    if (this.#heard.length === 0) {
      const first = await this.#listener.blpop(webhookAnswersKey, idleMs / 1000);
      if (!first) return;
      const more = await this.#listener.lpop(webhookAnswersKey, answersAtOnce);
      for (const text of [first[1], ...(more ?? [])]) this.#understand(text);
    }
    if (this.#heard.length === 0) return;
    for (const endpoint of await recordWebhooks(this.#settings.db, this.#heard)) {
      this.#settings.warn("webhook endpoint switched off", { endpoint });
    }
    this.#heard = [];
  }

  #understand(text: string): void {
    try {
      this.#heard.push(heardOf(JSON.parse(text) as WebhookAnswer, this.#settings.pauses));
    } catch {
      // One of a later release is made again.
    }
  }

  async #send(): Promise<void> {
    const { db, redis, sealer } = this.#settings;
    // What is taken while the queue is away would only wait for the end of its lease.
    if (redis.status !== "ready") return;
    if (performance.now() - this.#measuredAt > clockEveryMs) {
      await this.#clock.measure(redis);
      this.#measuredAt = performance.now();
    }
    const due = await takeWebhooks(db, { ...bounds, leaseMs });
    if (due.length === 0) return;
    const deadline = this.#clock.now() + leaseMs - marginMs;
    const jobs = due.flatMap(({ delivery, attempt, event, url, body, ...row }) => {
      try {
        const secrets = [row.secret, row.former_secret]
          .filter((sealed) => sealed !== null)
          .map((sealed) => sealer.open(sealed, row.endpoint));
        const headers = signedHeaders(event, body, secrets, new Date());
        const data: WebhookJob = { delivery, attempt, url, headers, body, deadline };
        return [{ name: "deliver", data, opts: { jobId: `${delivery}-${attempt}` } }];
      } catch (error) {
        this.#settings.warn("webhook cannot be signed", { delivery, error: String(error) });
        return [];
      }
    });
    await this.#queue.addBulk(jobs);
  }
}

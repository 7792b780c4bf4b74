import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import * as ioredis from "ioredis";
import type { Redis } from "ioredis";
import { StoreClock } from "../../contract/clock.ts";
import { keepWatch, lasting, openRedis } from "../../contract/connection.ts";
import {
  type WebhookAnswer,
  type WebhookJob,
  webhookAnswersKey,
  webhookDispatcherKey,
  webhookQueue,
} from "../../contract/webhook.ts";
import type { Database } from "../../db/client.ts";
import {
  type HeardWebhook,
  leaseWebhooks,
  recordWebhooks,
  takeWebhooks,
} from "../../db/webhooks.ts";
import { queueOptions } from "../queue/queue-options.ts";
import { heardOf } from "./answer.ts";
import { type Sealer, signedHeaders } from "./secrets.ts";

/** Under way at once, for one endpoint and for all: the queue never holds more. */
const bounds = { perLane: 8, atMost: 500 };
/** An attempt of which nothing is heard for this long is made again. */
const leaseMs = 45_000;
/** And one that did not come into the queue in this time: whoever took it up is gone. */
const takenMs = 8000;
/** So long before, the attempt itself is given up. */
const marginMs = 5000;
const idleMs = 500;
/** Another process takes the place of one that has not been heard of for this long. */
const placeMs = 5000;
const answersAtOnce = 200;
const clockEveryMs = 10_000;

interface Settings {
  db: Database;
  redisUrl: string;
  /** Fails fast; queues are written over it. */
  redis: Redis;
  sealer: Sealer;
  /** Seconds between attempts. */
  pauses?: readonly number[] | undefined;
  warn(message: string, fields: Record<string, unknown>): void;
}

/**
 * Moves what is due from the database into the queue, signed, and writes down how it ended. One API
 * process does so and every other is ready to; that two do for a moment harms nothing, as the database
 * hands out and takes back each attempt once. Whatever is lost on the way is due again when its lease is over.
 */
export class WebhookDispatcher {
  readonly #settings: Settings;
  readonly #queue: Queue<WebhookJob>;
  /** Waits for answers. */
  readonly #listener: Redis;
  readonly #clock = new StoreClock();
  #measuredAt = -Infinity;
  readonly #id = randomUUID();
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
      ...queueOptions,
    });
    this.#queue.on("error", () => undefined);
  }

  start(): void {
    this.#loop = this.#run();
  }

  async close(): Promise<void> {
    this.#stopping = true;
    await this.#loop;
    const { redis } = this.#settings;
    const mine = await this.#hasPlace().catch(() => false);
    if (mine) await redis.del(webhookDispatcherKey).catch(() => undefined);
    this.#listener.disconnect();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      try {
        if (await this.#hasPlace()) {
          await this.#hear();
          await this.#send();
        } else await sleep(idleMs);
        this.#down = false;
      } catch (error) {
        if (!this.#down) this.#settings.warn("webhooks wait", { error: String(error) });
        this.#down = true;
        await sleep(idleMs);
      }
    }
  }

  async #hasPlace(): Promise<boolean> {
    const { redis } = this.#settings;
    const taken = await redis.set(webhookDispatcherKey, this.#id, "PX", placeMs, "NX");
    if (taken !== null) return true;
    if ((await redis.get(webhookDispatcherKey)) !== this.#id) return false;
    await redis.pexpire(webhookDispatcherKey, placeMs);
    return true;
  }

  /** Waits a moment for answers and writes them down; only then they leave the list. */
  async #hear(): Promise<void> {
    const list = webhookAnswersKey;
    // From its head to its head: a look that waits until there is something to see.
    if (!(await this.#listener.blmove(list, list, "LEFT", "LEFT", idleMs / 1000))) return;
    const texts = await this.#listener.lrange(list, 0, answersAtOnce - 1);
    const heard = texts.flatMap((text) => this.#understood(text));
    if (heard.length > 0) {
      for (const endpoint of await recordWebhooks(this.#settings.db, heard))
        this.#settings.warn("webhook endpoint switched off", { endpoint });
    }
    await Promise.all(texts.map((text) => this.#listener.lrem(list, 1, text)));
  }

  /** What a later release wrote is left out, and made again. */
  #understood(text: string): HeardWebhook[] {
    try {
      return [heardOf(JSON.parse(text) as WebhookAnswer, this.#settings.pauses)];
    } catch {
      return [];
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
    const due = await takeWebhooks(db, { ...bounds, leaseMs: takenMs });
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
    // Where this fails they are made once more, while their workers may still make them.
    await leaseWebhooks(
      db,
      jobs.map(({ data }) => data),
      leaseMs,
    );
  }
}

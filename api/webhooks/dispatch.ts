import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { StoreClock } from "../../runtime/store-clock.ts";
import { keepAlive, persistentOptions, openRedis } from "../../runtime/redis/connection.ts";
import {
  type WebhookAnswer,
  type WebhookJob,
  webhookAnswersKey,
  webhookDispatcherKey,
  webhookQueue,
  webhooksInFlight,
} from "../../runtime/webhook-queue.ts";
import type { Database } from "../../db/client.ts";
import {
  type WebhookResult,
  leaseWebhooks,
  recordWebhooks,
  takeWebhooks,
} from "../../db/webhooks.ts";
import { queueOptions } from "../queue/queue-options.ts";
import { resultOf } from "./answer.ts";
import { type Sealer, signedHeaders } from "./signing.ts";

/** Deliveries in flight, per endpoint and in all; an account has at most a quarter of all (`take_webhooks`). */
const bounds = { perLane: 8, atMost: webhooksInFlight };
/** An attempt without a result for this long is made again, in milliseconds. */
const leaseMs = 45_000;
/** An attempt that was taken but not queued within this time is taken again: its process is gone. */
const takenMs = 8000;
/** The worker gives an attempt up this long before its lease ends. */
const marginMs = 5000;
const idleMs = 500;
/** The leader's lease: another process takes over when it was not renewed for this long. */
const leadershipMs = 5000;
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
 * Moves due deliveries from the database into the queue, signed, and records their results. One API process is
 * the leader and all others stand by; two leaders for a moment do no harm, because the database hands out each
 * attempt once. A lost attempt is due again when its lease ends.
 */
export class WebhookDispatcher {
  readonly #settings: Settings;
  readonly #queue: Queue<WebhookJob>;
  /** Blocks while it waits for results. */
  readonly #listener: Redis;
  readonly #clock = new StoreClock();
  #measuredAt = -Infinity;
  readonly #id = randomUUID();
  readonly #stopping = new AbortController();
  #down = false;
  #loop: Promise<void> | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#listener = openRedis(settings.redisUrl, {
      ...persistentOptions(true),
      maxRetriesPerRequest: null,
      connectionName: "api:webhooks",
    });
    this.#listener.on("error", () => undefined); // The shared connection reports outages.
    keepAlive(this.#listener);
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
    this.#stopping.abort();
    await this.#loop;
    const { redis } = this.#settings;
    const mine = await this.#isLeader().catch(() => false);
    if (mine) await redis.del(webhookDispatcherKey).catch(() => undefined);
    this.#listener.disconnect();
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (await this.#isLeader()) {
          await this.#recordResults();
          await this.#send();
        } else await this.#idle();
        this.#down = false;
      } catch (error) {
        if (!this.#down) this.#settings.warn("webhooks delayed", { error: String(error) });
        this.#down = true;
        await this.#idle();
      }
    }
  }

  /** Waits for a moment, or until it closes. */
  async #idle(): Promise<void> {
    await sleep(idleMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }

  async #isLeader(): Promise<boolean> {
    const { redis } = this.#settings;
    const taken = await redis.set(webhookDispatcherKey, this.#id, "PX", leadershipMs, "NX");
    if (taken !== null) return true;
    if ((await redis.get(webhookDispatcherKey)) !== this.#id) return false;
    await redis.pexpire(webhookDispatcherKey, leadershipMs);
    return true;
  }

  /** Waits a moment for results and records them; they leave the list only then. */
  async #recordResults(): Promise<void> {
    const list = webhookAnswersKey;
    // Moving the head onto itself waits for a result without removing it.
    if (!(await this.#listener.blmove(list, list, "LEFT", "LEFT", idleMs / 1000))) return;
    const texts = await this.#listener.lrange(list, 0, answersAtOnce - 1);
    const results = texts.flatMap((text) => this.#parse(text));
    if (results.length > 0) {
      for (const endpoint of await recordWebhooks(this.#settings.db, results))
        this.#settings.warn("webhook endpoint switched off", { endpoint });
    }
    await Promise.all(texts.map((text) => this.#listener.lrem(list, 1, text)));
  }

  /** Skips a result that a later release wrote; its attempt is made again. */
  #parse(text: string): WebhookResult[] {
    try {
      return [resultOf(JSON.parse(text) as WebhookAnswer, this.#settings.pauses)];
    } catch {
      return [];
    }
  }

  async #send(): Promise<void> {
    const { db, redis, sealer } = this.#settings;
    // While the queue is away, a taken delivery would only wait for its lease to end.
    if (redis.status !== "ready") return;
    if (performance.now() - this.#measuredAt > clockEveryMs) {
      await this.#clock.measure(redis);
      this.#measuredAt = performance.now();
    }
    const due = await takeWebhooks(db, { ...bounds, leaseMs: takenMs });
    if (due.length === 0) return;
    const now = this.#clock.now();
    const deadline = now + leaseMs - marginMs;
    // Receivers refuse a message that is five minutes old or new, so a wrong clock of this machine must not sign.
    const at = new Date(now);
    const jobs = due.flatMap(({ delivery, attempt, account, event, url, body, ...row }) => {
      try {
        const secrets = [row.secret, row.former_secret]
          .filter((sealed) => sealed !== null)
          .map((sealed) => sealer.open(sealed, row.endpoint));
        const headers = signedHeaders(event, body, secrets, at);
        const data: WebhookJob = { delivery, attempt, account, url, headers, body, deadline };
        return [{ name: "deliver", data, opts: { jobId: `${delivery}-${attempt}` } }];
      } catch (error) {
        this.#settings.warn("webhook cannot be signed", { delivery, error: String(error) });
        return [];
      }
    });
    await this.#queue.addBulk(jobs);
    // If this fails, the attempts are made again although workers may still make these.
    await leaseWebhooks(
      db,
      jobs.map(({ data }) => data),
      leaseMs,
    );
  }
}

import type { Redis } from "ioredis";
import { type Quota, quotasKey } from "../../runtime/quota.ts";
import { redisTime } from "../../runtime/store-clock.ts";
import { queuePrefix } from "../../runtime/redis/keys.ts";
import { type Pool, pools } from "../../contract/operation.ts";
import type { Reading } from "../metrics.ts";
import type { CapacityAnswer } from "./answer.ts";
import { type Memory, type PoolSettings, decideAll } from "./decide.ts";
import { type DatabaseLoad, type Sample, compareSlots, sampleOf } from "./sample.ts";

/** As often as processes publish. */
const defaultEveryMs = 5_000;
const keptMs = 15 * 60_000;
/** Workers that start together with the dashboards report within this time. */
const startMs = 60_000;
/** List of samples, newest first, from which a restarted process continues. Several processes may write it. */
const samplesKey = `${queuePrefix}:capacity:samples`;
const mostStored = 400;
const refusedMs = 60_000;
const memoryKey = `${queuePrefix}:capacity:memory`;

export interface WatchOptions {
  redis: Redis;
  settings: Readonly<Record<Pool, PoolSettings>>;
  /** Rejects when Redis does not answer. */
  read: () => Promise<Reading>;
  /** Undefined without a configured database; rejects when the database does not answer. */
  database?: (() => Promise<DatabaseLoad>) | undefined;
  /** The account of each pool with most calls refused by its concurrency limit; asked where there are new ones. */
  crowdedBy?: (() => Promise<Sample["crowdedBy"]>) | undefined;
  /** Called with every measured answer and the reading behind it. */
  onAnswer?: ((answer: CapacityAnswer, reading: Reading) => void) | undefined;
  /** Default: 5 s. */
  everyMs?: number | undefined;
}

/** Samples the gateway every five seconds and computes how many workers each pool should have. */
export class CapacityWatch {
  readonly #options: WatchOptions;
  #samples: Sample[] = [];
  #memory: Partial<Record<Pool, Memory>> = {};
  #answer: CapacityAnswer | undefined;
  #trouble: string | undefined;
  #restored = false;
  /** The newest sample of an earlier process, until the slots of its workers are compared with those of today's. */
  #earlier: Sample | undefined;
  #comparesUntil = 0;
  #looking: Promise<void> | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.look(), options.everyMs ?? defaultEveryMs);
    void this.look();
  }

  /** The last answer, marked `held` where it is not fresh. Undefined before the first answer. */
  get answer(): CapacityAnswer | undefined {
    if (!this.#answer || this.#trouble === undefined) return this.#answer;
    return { ...this.#answer, state: "held", why: this.#trouble };
  }

  /** The reason why there is no fresh answer. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  get samples(): readonly Sample[] {
    return this.#samples;
  }

  /** Takes one sample; concurrent calls share it (single flight). Never rejects: the held answer reports a failure. */
  async look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error: Error) => {
        this.#trouble = `Redis does not answer (${error.message})`;
      })
      .finally(() => (this.#looking = undefined));
    await this.#looking;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { redis, settings, read, database } = this.#options;
    if (!this.#restored) await this.#restore();
    const [at, reading, quotas, load] = await Promise.all([
      redisTime(redis),
      read(),
      redis.hgetall(quotasKey),
      // Capacity is computed without the database where it does not answer.
      database?.().catch(() => undefined),
    ]);
    if (reading.published.processes.length === 0) {
      this.#trouble = "no API or worker process has published its figures for 30 s";
      return;
    }
    const sample = await this.#withAccounts(sampleOf(reading, at, parsed(quotas), load));
    await this.#forgetOtherLife(sample);
    this.#samples = [...this.#samples, sample].filter((one) => at - one.at < keptMs);
    const { answer, memory, ready } = decideAll(this.#samples, settings, this.#memory);
    this.#memory = memory;
    this.#answer = {
      at: new Date(at).toISOString(),
      state: ready ? "measured" : "warming",
      pools: answer,
    };
    this.#trouble = undefined;
    if (ready) this.#options.onAnswer?.(this.#answer, reading);
    await redis
      .multi()
      .lpush(samplesKey, JSON.stringify(withoutMachines(sample)))
      .ltrim(samplesKey, 0, mostStored - 1)
      .pexpire(samplesKey, keptMs)
      .set(memoryKey, JSON.stringify(memory), "PX", keptMs)
      .exec();
  }

  /** With the accounts behind refusals that came since a minute ago. */
  async #withAccounts(sample: Sample): Promise<Sample> {
    const before = this.#samples.findLast(({ at }) => sample.at - at >= refusedMs);
    const hasRefused = pools.some(
      (pool) => sample.pools[pool].crowded > (before ?? sample).pools[pool].crowded,
    );
    if (!hasRefused) return sample;
    const crowdedBy = await this.#options.crowdedBy?.().catch(() => undefined);
    return { ...sample, crowdedBy };
  }

  /** Samples and smoothing of workers with other slots say nothing about the workers of today. */
  async #forgetOtherLife(sample: Sample): Promise<void> {
    if (!this.#earlier) return;
    this.#comparesUntil ||= sample.at + startMs;
    const slots = compareSlots(this.#earlier, sample);
    if (slots === "other") {
      this.#samples = [];
      this.#memory = {};
      await this.#options.redis.del(samplesKey, memoryKey);
    }
    if (slots !== "unknown" || sample.at > this.#comparesUntil) this.#earlier = undefined;
  }

  async #restore(): Promise<void> {
    const { redis } = this.#options;
    const [stored, memory] = await Promise.all([
      redis.lrange(samplesKey, 0, -1),
      redis.get(memoryKey),
    ]);
    this.#samples = stored.map((text) => JSON.parse(text) as Sample).toReversed();
    this.#memory = JSON.parse(memory ?? "{}") as Partial<Record<Pool, Memory>>;
    this.#earlier = this.#samples.at(-1);
    this.#restored = true;
  }
}

const parsed = (quotas: Record<string, string>): Record<string, Quota> =>
  Object.fromEntries(
    Object.entries(quotas).map(([name, text]) => [name, JSON.parse(text) as Quota]),
  );

/** Leaves out the machines: only the newest sample needs them, and there may be hundreds. */
function withoutMachines(sample: Sample): Sample {
  const pools = Object.entries(sample.pools).map(([pool, one]) => [pool, { ...one, machines: [] }]);
  return { ...sample, pools: Object.fromEntries(pools) as Sample["pools"] };
}

import type { Redis } from "ioredis";
import type { StoreClock } from "../runtime/store-clock.ts";
import { type Pool } from "../contract/operation.ts";
import {
  type Grain,
  bucketOf,
  grains,
  operationsKey,
  slotOf,
  subjectOf,
  timesKey,
} from "../runtime/latency-histograms.ts";

const everyMs = 5000;
/** Most unwritten keys while Redis is unreachable. */
const mostWaiting = 5000;

/** Counts wait and run times of a pool's jobs, and adds them to the latency histograms in Redis. */
export class Times {
  readonly #redis: Redis;
  readonly #pool: Pool;
  readonly #clock: StoreClock;
  /** Key -> field -> count. */
  #risen = new Map<string, { grain: Grain; fields: Map<string, number> }>();
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> | undefined;

  constructor(redis: Redis, pool: Pool, clock: StoreClock) {
    this.#redis = redis;
    this.#pool = pool;
    this.#clock = clock;
    this.#timer = setInterval(() => void this.write(), everyMs);
    this.#timer.unref();
  }

  note(operation: string, waitedMs: number, ranMs: number): void {
    const at = this.#clock.now();
    const waited = `w${bucketOf(waitedMs)}`;
    const ran = `r${bucketOf(ranMs)}`;
    for (const subject of [subjectOf(this.#pool), subjectOf(this.#pool, operation)]) {
      for (const grain of ["fine", "coarse"] as const) {
        const key = timesKey(subject, grain, slotOf(grain, at));
        this.#rise(key, grain, waited, 1);
        this.#rise(key, grain, ran, 1);
      }
    }
    const key = operationsKey(this.#pool, slotOf("coarse", at));
    this.#rise(key, "coarse", operation, 1);
    this.#rise(key, "coarse", `${operation} r`, Math.round(ranMs));
  }

  #rise(key: string, grain: Grain, field: string, by: number): void {
    let one = this.#risen.get(key);
    if (!one) {
      if (this.#risen.size >= mostWaiting) return;
      one = { grain, fields: new Map() };
      this.#risen.set(key, one);
    }
    one.fields.set(field, (one.fields.get(field) ?? 0) + by);
  }

  write(): Promise<void> {
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  /** A failed write is added again: at worst it counts twice. */
  async #write(): Promise<void> {
    if (this.#risen.size === 0) return;
    const risen = this.#risen;
    this.#risen = new Map();
    const commands = this.#redis.multi();
    for (const [key, { grain, fields }] of risen) {
      for (const [field, by] of fields) commands.hincrby(key, field, by);
      commands.expire(key, Math.ceil((grains[grain].ms * (grains[grain].kept + 1)) / 1000));
    }
    try {
      await commands.exec();
    } catch {
      for (const [key, { grain, fields }] of risen) {
        for (const [field, by] of fields) this.#rise(key, grain, field, by);
      }
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.write();
  }
}

/** A difference below this is a matter of measuring, and harms nothing. */
const leastMs = 1000;

/**
 * Times cross processes by the clock of Redis, which all of them ask: a machine whose own clock is wrong
 * still means the same moment.
 */
export class StoreClock {
  #aheadMs = 0;

  /** `TIME` of Redis: seconds and microseconds. A slow answer says too little. */
  async measure(redis: { time(): Promise<(number | string)[]> }): Promise<void> {
    const from = Date.now();
    const [seconds, micros] = await redis.time();
    const to = Date.now();
    if (to - from > leastMs) return;
    const ahead = Number(seconds) * 1000 + Number(micros) / 1000 - (from + to) / 2;
    this.#aheadMs = Math.abs(ahead) < leastMs ? 0 : Math.round(ahead);
  }

  /** How far the store's clock is ahead of this machine's. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }
}

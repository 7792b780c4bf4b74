import type { Metrics } from "./metrics.ts";
import { monotonicNow } from "./monotonic.ts";

/** A smaller difference is within the measuring error, and harmless. */
const leastMs = 1000;
/** A larger difference is reported to operators. Calls still work. */
export const farMs = 5000;

/**
 * The clock of Redis as this process sees it. All times that cross processes use this clock, so that a
 * machine with a wrong clock still means the same moment.
 */
export class StoreClock {
  #seenMs = 0;
  #skewMs = 0;
  readonly #onSkew: (skewMs: number) => void;

  constructor(onSkew: (skewMs: number) => void = () => {}) {
    this.#onSkew = onSkew;
  }

  /** Reads `TIME` (seconds and microseconds). A slow answer is too inexact and is ignored. */
  async measure(redis: { time(): Promise<(number | string)[]> }): Promise<void> {
    const from = monotonicNow();
    const ofRedis = await redisTime(redis);
    const to = monotonicNow();
    if (to - from > leastMs) return;
    const midway = (to - from) / 2;
    this.#seenMs = ofRedis + midway - to;
    this.#skewMs = Date.now() - midway - ofRedis;
    this.#onSkew(this.skewMs);
  }

  /** Milliseconds that the store's clock is ahead of this process's monotonic clock; 0 where they agree. */
  get aheadMs(): number {
    return Math.abs(this.#seenMs) < leastMs ? 0 : Math.round(this.#seenMs);
  }

  /** Measured milliseconds that this machine's clock is ahead of the store's. */
  get skewMs(): number {
    return this.#skewMs;
  }

  now(): number {
    return monotonicNow() + this.aheadMs;
  }
}

/** Unix time in milliseconds on the clock of Redis. */
export async function redisTime(redis: { time(): Promise<(number | string)[]> }): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Number(micros) / 1000;
}

/** "70.0 s ahead of the clock of redis". */
export const skewText = (skewMs: number, store: string): string =>
  `${(Math.abs(skewMs) / 1000).toFixed(1)} s ${skewMs > 0 ? "ahead of" : "behind"} the clock of ${store}`;

/** Keeps the skew metric of a process, and logs each time that the skew becomes too large. */
export function skewReport(settings: {
  process: string;
  store: "redis" | "postgres";
  metrics: Metrics;
  warn: (message: string) => void;
}): (skewMs: number) => void {
  const { process, store, metrics, warn } = settings;
  let warned = false;
  return (skewMs) => {
    metrics.gauge("gateway_clock_skew_seconds", { process, store }, Math.round(skewMs) / 1000);
    const far = Math.abs(skewMs) > farMs;
    if (far && !warned) warn(`the clock of this machine is ${skewText(skewMs, store)}`);
    warned = far;
  };
}

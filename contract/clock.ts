import type { Metrics } from "./metrics.ts";
import { steadyNow } from "./steady.ts";

/** A difference below this is a matter of measuring, and harms nothing. */
const leastMs = 1000;
/** A difference above this is told to operators. Calls work all the same. */
export const farMs = 5000;

/**
 * Times cross processes by the clock of Redis, which all of them ask: a machine whose own clock is wrong
 * still means the same moment.
 */
export class StoreClock {
  #seenMs = 0;
  #skewMs = 0;
  readonly #onSkew: (skewMs: number) => void;

  constructor(onSkew: (skewMs: number) => void = () => {}) {
    this.#onSkew = onSkew;
  }

  /** `TIME` of Redis: seconds and microseconds. A slow answer says too little. */
  async measure(redis: { time(): Promise<(number | string)[]> }): Promise<void> {
    const from = steadyNow();
    const ofRedis = await redisTime(redis);
    const to = steadyNow();
    if (to - from > leastMs) return;
    const midway = (to - from) / 2;
    this.#seenMs = ofRedis + midway - to;
    this.#skewMs = Date.now() - midway - ofRedis;
    this.#onSkew(this.skewMs);
  }

  /** How far the store's clock is ahead of this process's steady one; none where the two agree. */
  get aheadMs(): number {
    return Math.abs(this.#seenMs) < leastMs ? 0 : Math.round(this.#seenMs);
  }

  /** How far this machine's clock is ahead of the store's, as measured. */
  get skewMs(): number {
    return this.#skewMs;
  }

  now(): number {
    return steadyNow() + this.aheadMs;
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

/** Keeps the metric of a process's skew, and logs once each time that it becomes too large. */
export function skewReport(settings: {
  process: string;
  store: "redis" | "postgres";
  metrics: Metrics;
  warn: (message: string) => void;
}): (skewMs: number) => void {
  const { process, store, metrics, warn } = settings;
  let told = false;
  return (skewMs) => {
    metrics.gauge("gateway_clock_skew_seconds", { process, store }, Math.round(skewMs) / 1000);
    const far = Math.abs(skewMs) > farMs;
    if (far && !told) warn(`the clock of this machine is ${skewText(skewMs, store)}`);
    told = far;
  };
}

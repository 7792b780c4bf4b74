import type { Redis } from "ioredis";
import type { StoreClock } from "../runtime/store-clock.ts";
import { type UpstreamControl, upstreamControlsKey } from "../runtime/controls.ts";

const everyMs = 1000;

export interface UpstreamControls {
  /** Operator's rate limit of this upstream, in calls a minute; 0 blocks it, undefined is unlimited. */
  perMinute(upstream: string): number | undefined;
  /** Reads the decisions again at once. */
  read(): void;
  close(): void;
}

/** Follows operators' decisions about upstreams. Without an answer or a key in Redis, the last ones stay in force. */
export function followControls(redis: Redis, clock: StoreClock): UpstreamControls {
  let current = new Map<string, UpstreamControl>();
  const read = async () => {
    const text = await redis.get(upstreamControlsKey).catch(() => null);
    if (text === null) return;
    const controls = JSON.parse(text) as UpstreamControl[];
    current = new Map(controls.map((one) => [one.upstream, one]));
  };
  void read();
  const timer = setInterval(() => void read(), everyMs);
  timer.unref();
  return {
    perMinute(upstream) {
      const one = current.get(upstream);
      if (!one || (one.until !== undefined && clock.now() >= one.until)) return undefined;
      return one.perMinute;
    },
    read: () => void read(),
    close: () => clearInterval(timer),
  };
}

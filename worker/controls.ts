import type { Redis } from "ioredis";
import type { StoreClock } from "../contract/clock.ts";
import { type UpstreamControl, upstreamControlsKey } from "../contract/control.ts";

const everyMs = 1000;

export interface UpstreamControls {
  /** Calls a minute that an operator allows this upstream; 0 is none, undefined is as many as there are. */
  perMinute(upstream: string): number | undefined;
  /** To be read at once: something was decided. */
  read(): void;
  close(): void;
}

/** What operators decided about upstreams. A Redis that is away, or has forgotten it, changes nothing. */
export function followControls(redis: Redis, clock: StoreClock): UpstreamControls {
  let standing = new Map<string, UpstreamControl>();
  const read = async () => {
    const text = await redis.get(upstreamControlsKey).catch(() => null);
    if (text === null) return;
    const told = JSON.parse(text) as UpstreamControl[];
    standing = new Map(told.map((one) => [one.upstream, one]));
  };
  void read();
  const timer = setInterval(() => void read(), everyMs);
  timer.unref();
  return {
    perMinute(upstream) {
      const one = standing.get(upstream);
      if (!one || (one.until !== undefined && clock.now() >= one.until)) return undefined;
      return one.perMinute;
    },
    read: () => void read(),
    close: () => clearInterval(timer),
  };
}

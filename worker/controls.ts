import type { Redis } from "ioredis";
import type { StoreClock } from "../runtime/store-clock.ts";
import {
  type QuietWorker,
  type UpstreamControl,
  quietWorkersKey,
  upstreamControlsKey,
} from "../runtime/controls.ts";

const everyMs = 1000;

export interface WorkerControls {
  /** Operator's rate limit of this upstream, in calls a minute; 0 blocks it, undefined is unlimited. */
  perMinute(upstream: string): number | undefined;
  /** Calls `listener` each time that an operator quiets this process or lets it take jobs again. */
  onQuiet(listener: (isQuiet: boolean) => void): void;
  /** Reads the decisions again at once. */
  read(): void;
  close(): void;
}

/**
 * Follows operators' decisions about upstreams and about this process. Without an answer or a key in Redis, the
 * last ones stay in force.
 */
export function followControls(redis: Redis, clock: StoreClock, self: string): WorkerControls {
  let upstreams = new Map<string, UpstreamControl>();
  let quiet: QuietWorker | undefined;
  let wasQuiet = false;
  const listeners: ((isQuiet: boolean) => void)[] = [];
  const isOver = (until: number | undefined) => until !== undefined && clock.now() >= until;

  const read = async () => {
    const [ofUpstreams, ofWorkers] = await redis
      .mget(upstreamControlsKey, quietWorkersKey)
      .catch(() => []);
    if (ofUpstreams) {
      const controls = JSON.parse(ofUpstreams) as UpstreamControl[];
      upstreams = new Map(controls.map((one) => [one.upstream, one]));
    }
    if (ofWorkers)
      quiet = (JSON.parse(ofWorkers) as QuietWorker[]).find(({ worker }) => worker === self);
    const isQuiet = quiet !== undefined && !isOver(quiet.until);
    if (isQuiet === wasQuiet) return;
    wasQuiet = isQuiet;
    for (const listener of listeners) listener(isQuiet);
  };
  void read();
  const timer = setInterval(() => void read(), everyMs);
  timer.unref();
  return {
    perMinute(upstream) {
      const one = upstreams.get(upstream);
      return one && !isOver(one.until) ? one.perMinute : undefined;
    },
    onQuiet(listener) {
      listeners.push(listener);
      if (wasQuiet) listener(true);
    },
    read: () => void read(),
    close: () => clearInterval(timer),
  };
}

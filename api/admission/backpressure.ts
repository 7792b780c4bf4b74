import { GatewayError } from "../../contract/errors.ts";
import type { PoolState } from "../queue/pool-states.ts";

/** Jobs may wait up to this many times the number that run at once. */
const depthPerSlot = 10;

/** Back-pressure: how many jobs may wait ahead of one with this much time left: the queue takes half of it at most. */
export function queueCapacityOf(pool: PoolState, timeLeftMs: number): number {
  const deep = pool.slots * depthPerSlot;
  if (pool.meanRunMs === 0) return deep;
  return Math.max(1, Math.min(deep, Math.floor((timeLeftMs / 2 / pool.meanRunMs) * pool.slots)));
}

export function queueFull(pool: PoolState, waiting: number): GatewayError {
  const waitMs = (waiting / pool.slots) * pool.meanRunMs;
  return new GatewayError("upstream_unavailable", "Too many calls are waiting", {
    retryAfter: Math.min(30, Math.max(1, Math.ceil(waitMs / 2000))),
  });
}

/** The queue limit of calls without a waiting caller: they have time, so only Redis's memory counts. */
export const backgroundQueueCapacity = 10_000;

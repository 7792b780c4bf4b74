import { GatewayError } from "../contract/errors.ts";
import type { PoolState } from "./dispatch.ts";

/** Jobs may wait up to this many times the number that run at once. */
const depthPerSlot = 10;

/** Refuses a call that would wait too long: too many before it, or more than half of its time gone in the queue. */
export function checkRoom(pool: PoolState, waiting: number, timeLeftMs: number): void {
  const waitMs = (waiting / pool.slots) * pool.meanRunMs;
  if (waiting < pool.slots * depthPerSlot && waitMs <= timeLeftMs / 2) return;
  throw new GatewayError("upstream_unavailable", "Too many calls are waiting", {
    retryAfter: Math.min(30, Math.max(1, Math.ceil(waitMs / 2000))),
  });
}

import type { Redis } from "ioredis";
import { type Quota, quotasKey } from "../../contract/capacity.ts";
import type { Upstream } from "./upstream.ts";

/** Said again now and then, as Redis may have lost it. */
const everyMs = 60_000;

/** Tells those who reckon capacity what the operator's account at an upstream allows. */
export function quotaTeller(redis: Redis): (upstream: Upstream, account: string) => void {
  const toldAt = new Map<string, number>();
  return ({ name, limits }, account) => {
    if (limits?.perSecond === undefined) return;
    const now = performance.now();
    if (now - (toldAt.get(name) ?? -Infinity) < everyMs) return;
    toldAt.set(name, now);
    const quota: Quota = { account, per_second: limits.perSecond };
    redis.hset(quotasKey, name, JSON.stringify(quota)).catch(() => toldAt.delete(name));
  };
}

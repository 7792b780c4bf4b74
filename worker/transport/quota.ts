import type { Redis } from "ioredis";
import { type Quota, quotasKey } from "../../runtime/quota.ts";
import type { Upstream } from "./upstream.ts";

/** Reported again at intervals, as Redis may have lost it. */
const everyMs = 60_000;

/** Reports the quota of the operator's account at an upstream, for the capacity dashboard. */
export function quotaReporter(redis: Redis): (upstream: Upstream, account: string) => void {
  const reportedAt = new Map<string, number>();
  return ({ name, limits }, account) => {
    if (limits?.perSecond === undefined) return;
    const now = performance.now();
    if (now - (reportedAt.get(name) ?? -Infinity) < everyMs) return;
    reportedAt.set(name, now);
    const quota: Quota = { account, per_second: limits.perSecond };
    redis.hset(quotasKey, name, JSON.stringify(quota)).catch(() => reportedAt.delete(name));
  };
}

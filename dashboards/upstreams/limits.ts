import type { Redis } from "ioredis";
import {
  type TellsLeft,
  upstreamLeftKey,
  upstreamLimitKey,
  upstreamLimitPrefix,
} from "../../runtime/latency-histograms.ts";
import { quotasKey, type Quota } from "../../runtime/quota.ts";
import type { Published } from "../metrics.ts";

/** Circuit breakers, rate limits and reported quotas of upstreams, as workers keep them in Redis. */

export interface UpstreamState {
  name: string;
  /** Worker processes whose circuit breaker is open, so that they send it no requests. */
  breakersOpen: number;
  perSecond: number | undefined;
  /** Calls that the rate limit of the upstream's account allows right now. */
  callsLeft: number | undefined;
  running: number;
  /** The remaining quota that the upstream reported last. */
  reportedQuota: (TellsLeft & { secondsAgo: number }) | undefined;
}

/** JSON of another release or none is undefined. */
export function parsed<T>(text: string | undefined | null): T | undefined {
  try {
    return text ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined;
  }
}

export async function readUpstreamStates(
  redis: Redis,
  names: readonly string[],
  { processes }: Pick<Published, "processes">,
  now: number,
): Promise<UpstreamState[]> {
  const [quotas, left] = await Promise.all([
    redis.hgetall(quotasKey),
    redis.hgetall(upstreamLeftKey),
  ]);
  return Promise.all(
    names.map(async (name): Promise<UpstreamState> => {
      const gauge = JSON.stringify(["gateway_upstream_breaker_open", name]);
      const quota = parsed<Quota>(quotas[name]);
      const reported = parsed<TellsLeft>(left[name]);
      const key = (part: string) =>
        upstreamLimitKey(upstreamLimitPrefix, quota?.account ?? name, part);
      const [bucket, leases] = await Promise.all([
        quota ? redis.hmget(key("bucket"), "tokens", "at") : [null, null],
        quota ? redis.zcount(key("leases"), now, "+inf") : 0,
      ]);
      const [tokens, at] = bucket;
      const perSecond = quota?.per_second;
      // The token bucket has refilled since it was stored. A missing bucket is full, of a size unknown here.
      const callsLeft =
        tokens != null && perSecond !== undefined
          ? Math.max(0, Math.floor(Number(tokens) + ((now - Number(at)) / 1000) * perSecond))
          : undefined;
      return {
        name,
        breakersOpen: processes.reduce((sum, { gauges }) => sum + (gauges[gauge] ?? 0), 0),
        perSecond,
        callsLeft,
        running: leases,
        reportedQuota: reported && {
          ...reported,
          secondsAgo: Math.max(0, (now - reported.at) / 1000),
        },
      };
    }),
  );
}

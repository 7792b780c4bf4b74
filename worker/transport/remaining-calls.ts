import type { Redis } from "ioredis";
import { type TellsLeft, upstreamLeftKey } from "../../runtime/latency-histograms.ts";
import type { Upstream } from "./upstream.ts";

const everyMs = 2000;
/** Spellings of providers: X-RateLimit-Remaining, Rate-Limit-Available, X-RateLimit-Requests-Remaining. */
const leftHeader = /^(x-)?rate-?limit(-requests)?-(remaining|available)$/;

/** Reports to operators the remaining calls in the rate-limit headers of an upstream's last answer. */
export function remainingReporter(
  redis: Redis,
): (upstream: Upstream, headers: Readonly<Record<string, string>>) => void {
  const reportedAt = new Map<string, number>();
  return ({ name }, headers) => {
    const now = performance.now();
    if (now - (reportedAt.get(name) ?? -Infinity) < everyMs) return;
    const found = Object.keys(headers).find((header) => leftHeader.test(header));
    const text = found === undefined ? "" : (headers[found] ?? "");
    if (!/^\d{1,12}(\.\d+)?$/.test(text)) return;
    reportedAt.set(name, now);
    const remaining: TellsLeft = { left: Math.floor(Number(text)), at: Date.now() };
    redis
      .hset(upstreamLeftKey, name, JSON.stringify(remaining))
      .catch(() => reportedAt.delete(name));
  };
}

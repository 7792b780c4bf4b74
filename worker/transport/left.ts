import type { Redis } from "ioredis";
import { type TellsLeft, upstreamLeftKey } from "../../contract/times.ts";
import type { Upstream } from "./upstream.ts";

const everyMs = 2000;
/** As providers spell it: X-RateLimit-Remaining, Rate-Limit-Available, X-RateLimit-Requests-Remaining. */
const leftHeader = /^(x-)?rate-?limit(-requests)?-(remaining|available)$/;

/** Tells operators how many calls an upstream says it has left, as its last answer said. */
export function leftTeller(
  redis: Redis,
): (upstream: Upstream, headers: Readonly<Record<string, string>>) => void {
  const toldAt = new Map<string, number>();
  return ({ name }, headers) => {
    const now = performance.now();
    if (now - (toldAt.get(name) ?? -Infinity) < everyMs) return;
    const found = Object.keys(headers).find((header) => leftHeader.test(header));
    const text = found === undefined ? "" : (headers[found] ?? "");
    if (!/^\d{1,12}(\.\d+)?$/.test(text)) return;
    toldAt.set(name, now);
    const told: TellsLeft = { left: Math.floor(Number(text)), at: Date.now() };
    redis.hset(upstreamLeftKey, name, JSON.stringify(told)).catch(() => toldAt.delete(name));
  };
}

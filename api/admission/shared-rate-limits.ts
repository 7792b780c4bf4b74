import type { Redis } from "ioredis";
import { queuePrefix } from "../../runtime/redis/keys.ts";
import type { RateLimiter } from "./rate-limiter.ts";

const exchangeEveryMs = 250;
/** Names whose counts are exchanged at once, the busiest first. */
const mostNames = 500;
/** An idle count is forgotten after this time, and so is the total that a process knows of it. */
const keptMs = 10_000;

const keyOf = (name: string) => `${queuePrefix}:limits:door:${name}`;

interface Received {
  total: number;
  at: number;
}

/**
 * Shares rate limits between processes: a few times a second each adds its own calls to a counter in Redis, and
 * counts the rest of that counter as calls of the others. No request waits for it; without Redis each process
 * counts alone.
 */
export function shareRates(
  rates: RateLimiter,
  redis: Redis,
  everyMs = exchangeEveryMs,
): { exchange(): Promise<void>; stop(): void } {
  const received = new Map<string, Received>();

  async function exchange(): Promise<void> {
    const now = performance.now();
    for (const [name, { at }] of received) if (now - at > keptMs) received.delete(name);
    const busiest = [...rates.takenSince()]
      .toSorted(([, a], [, b]) => b.count - a.count)
      .slice(0, mostNames);
    if (busiest.length === 0 || redis.status !== "ready") return;
    const commands = redis.pipeline();
    for (const [name, { count }] of busiest) {
      commands.incrby(keyOf(name), count).pexpire(keyOf(name), keptMs);
    }
    const answers = (await commands.exec()) ?? [];
    for (const [index, [name, taken]] of busiest.entries()) {
      const [error, total] = answers[index * 2] ?? [];
      if (error || typeof total !== "number") continue;
      const before = received.get(name);
      received.set(name, { total, at: now });
      // For a name that is new here, the time of the others' calls is unknown.
      if (!before || total < before.total) continue;
      const others = total - before.total - taken.count;
      if (others > 0) rates.addOthers(name, { ...taken, count: others }, now - before.at);
    }
  }

  const timer = setInterval(() => void exchange().catch(() => undefined), everyMs).unref();
  return { exchange, stop: () => clearInterval(timer) };
}

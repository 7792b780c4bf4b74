import type { Redis } from "ioredis";
import { queuePrefix } from "../../contract/job.ts";
import type { Rates } from "./rates.ts";

const exchangeEveryMs = 250;
/** Names whose counts are exchanged at once, the busiest first. */
const mostNames = 500;
/** A count is forgotten when nobody has added to it for so long; what a process heard of it as well. */
const keptMs = 10_000;

const keyOf = (name: string) => `${queuePrefix}:limits:door:${name}`;

interface Heard {
  total: number;
  at: number;
}

/**
 * Has the rates of several processes count together: each adds what was taken of it to a count in Redis a few
 * times a second, and what the count has beyond that the others took. No request waits for it; without Redis
 * each counts alone.
 */
export function shareRates(
  rates: Rates,
  redis: Redis,
  everyMs = exchangeEveryMs,
): { exchange(): Promise<void>; stop(): void } {
  const heard = new Map<string, Heard>();

  async function exchange(): Promise<void> {
    const now = performance.now();
    for (const [name, { at }] of heard) if (now - at > keptMs) heard.delete(name);
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
      const before = heard.get(name);
      heard.set(name, { total, at: now });
      // Of a name that is new here nobody can tell when the others took it.
      if (!before || total < before.total) continue;
      const others = total - before.total - taken.count;
      if (others > 0) rates.addOthers(name, { ...taken, count: others }, now - before.at);
    }
  }

  const timer = setInterval(() => void exchange().catch(() => undefined), everyMs).unref();
  return { exchange, stop: () => clearInterval(timer) };
}

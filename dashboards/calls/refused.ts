import type { Redis } from "ioredis";
import { type CallLogEntry, refusedForMinutes, refusedKey } from "../../runtime/call-log.ts";

/** Requests that were refused before they had a job. */

export interface RefusedCall {
  id: string;
  /** Arrival, Unix time in milliseconds. */
  at: number;
  entry: CallLogEntry;
}

/** Enough for a page in a fraction of a second; an attack fills a minute with 2,000. */
const mostScanned = 10_000;
const minuteMs = 60_000;

function parsed(id: string, text: string): RefusedCall[] {
  try {
    const entry = JSON.parse(text) as CallLogEntry;
    return [{ id, at: entry.at, entry }];
  } catch {
    return [];
  }
}

/**
 * The refusals in `[from, to)` that match, newest first, until there are `limit`. They are complete from `completeFrom`
 * on, which is later than `from` where the search ended early.
 */
export async function refusedCalls(
  redis: Redis,
  asked: { from: number; to: number; now: number; limit: number },
  matches: (entry: CallLogEntry) => boolean,
): Promise<{ calls: RefusedCall[]; completeFrom: number }> {
  const { from, to, now, limit } = asked;
  // A log is written up to a second after the refusal, by clocks that differ a little.
  const newest = Math.floor(Math.min(to, now) / minuteMs) + 1;
  const oldest = Math.max(
    Math.floor(from / minuteMs),
    Math.floor(now / minuteMs) - refusedForMinutes - 1,
  );
  const calls: RefusedCall[] = [];
  let scanned = 0;
  for (let minute = newest; minute >= oldest; minute -= 1) {
    const hash = await redis.hgetall(refusedKey(minute));
    const found = Object.entries(hash).flatMap(([id, text]) => parsed(id, text));
    scanned += found.length;
    calls.push(...found.filter(({ at, entry }) => at >= from && at < to && matches(entry)));
    if (minute > oldest && (calls.length >= limit || scanned >= mostScanned)) {
      return { calls: newestFirst(calls), completeFrom: Math.max(from, minute * minuteMs) };
    }
  }
  return { calls: newestFirst(calls), completeFrom: from };
}

const newestFirst = (calls: RefusedCall[]) =>
  calls.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));

import { noteCapacity, noteUpstreamTotals, pruneCapacity } from "../../db/capacity.ts";
import type { Database } from "../../db/client.ts";
import type { Reading } from "../metrics.ts";
import type { MinuteOfCalls } from "../status/calls.ts";
import type { CapacityAnswer } from "./answer.ts";

const minuteMs = 60_000;
const pruneEveryMs = 3_600_000;

type Note = (answer: CapacityAnswer, reading: Reading) => void;

/**
 * Stores the desired and actual workers, failed calls and the totals of upstream requests once a minute. Every
 * process of the dashboards does so; the rows of a second process change nothing. `callsBefore` reads the calls
 * of the minute before a time.
 */
export function recorder(
  db: Database,
  callsBefore: (now: number) => Promise<MinuteOfCalls>,
  warn: (message: string) => void,
): Note {
  let minute = -1;
  let prunedAt = -Infinity;
  let writing = false;

  async function write(answer: CapacityAnswer, reading: Reading, at: Date): Promise<void> {
    const calls = await callsBefore(at.getTime()).catch(() => undefined);
    const failedOf = (pool: string) => {
      if (!calls) return { failed: null, failedLive: null };
      const { errors = 0, liveErrors = 0 } = calls.pools[pool] ?? {};
      return { failed: errors, failedLive: liveErrors };
    };
    const rows = Object.entries(answer.pools).map(([pool, one]) => ({
      pool,
      ...failedOf(pool),
      workers: one.workers.now,
      desired: one.workers.desired,
      slots: one.slots.now,
      callsPerSecond: one.arrivals.per_second,
      p95WaitMs: one.wait.measured_p95_ms,
      targetMs: one.target_p95_wait_ms,
      wall: one.wall,
    }));
    await noteCapacity(db, at, rows);
    await noteUpstreamTotals(db, at, upstreamTotals(reading));
    if (at.getTime() - prunedAt < pruneEveryMs) return;
    await pruneCapacity(db);
    prunedAt = at.getTime();
  }

  return (answer, reading) => {
    const at = new Date(answer.at);
    const now = Math.floor(at.getTime() / minuteMs);
    if (now === minute || writing) return;
    writing = true;
    write(answer, reading, at)
      .then(() => (minute = now))
      // A failure leaves a gap in the history; the totals are added with the next minute.
      .catch((error: Error) => warn(`could not write the capacity history: ${error.message}`))
      .finally(() => (writing = false));
  };
}

function upstreamTotals({ published }: Reading) {
  const found = new Map<
    string,
    { upstream: string; operation: string; calls: number; dollars: number }
  >();
  for (const [field, value] of Object.entries(published.totals)) {
    const [name, upstream = "", operation = ""] = JSON.parse(field) as string[];
    const isCalls = name === "gateway_upstream_calls_total";
    if (!isCalls && name !== "gateway_upstream_cost_dollars_total") continue;
    const key = `${upstream}\n${operation}`;
    const one = found.get(key) ?? { upstream, operation, calls: 0, dollars: 0 };
    if (isCalls) one.calls = Math.round(Number(value));
    else one.dollars = Number(Number(value).toFixed(6));
    found.set(key, one);
  }
  return [...found.values()];
}

import { monotonicNow } from "../runtime/monotonic.ts";
import type { Database, Fragment, Sql } from "./client.ts";

/** A slower round trip measures the clock too coarsely. */
const mostTripMs = 1000;
/** A smaller difference may be a measuring error, and harms no deadline. */
const leastMs = 1000;

/**
 * Converts between the database's clock and this process's monotonic one (runtime/monotonic.ts). Deadlines are
 * sent as times on the database's clock: a remaining time would start anew when a frozen database resumes.
 */
export class DatabaseClock {
  #aheadMs = 0;
  #skewMs = 0;

  /** Takes a measurement: the database's clock showed `clockMs` between `from` and `to`, which is now. */
  measured(clockMs: number, from: number, to: number): void {
    if (to - from > mostTripMs) return;
    const midway = (to - from) / 2;
    this.#aheadMs = clockMs + midway - to;
    this.#skewMs = Date.now() - midway - clockMs;
  }

  /** How far this machine's clock is ahead of the database's, in milliseconds. */
  get skewMs(): number {
    return this.#skewMs;
  }

  /** A time on this process's clock as one on the database's, to the measured millisecond. */
  toDatabaseExactly(at: number): number {
    return at + this.#aheadMs;
  }

  /** A deadline on this process's clock as one on the database's; unchanged where the clocks agree. */
  toDatabase(at: number): number {
    return at + this.#agreedMs();
  }

  /** A deadline on the database's clock as one on this process's. */
  fromDatabase(at: number): number {
    return at - this.#agreedMs();
  }

  #agreedMs(): number {
    return Math.abs(this.#aheadMs) < leastMs ? 0 : Math.round(this.#aheadMs);
  }
}

/** A row with the database's time as of its statement, in Unix milliseconds. */
export interface TimedRow {
  clock_ms: number;
}

/** The column of a `TimedRow`. */
export const clockColumn = (sql: Sql): Fragment =>
  sql`extract(epoch from clock_timestamp())::float8 * 1000 as clock_ms`;

/** The rows of a statement; measures the clock by the first of them. */
export async function timedRows<Row extends TimedRow>(
  db: Database,
  clock: DatabaseClock,
  statement: PromiseLike<Row[]>,
  limitMs?: number,
): Promise<Row[]> {
  const sentAt = monotonicNow();
  const rows = await db.answer(statement, limitMs);
  const [first] = rows;
  if (first) clock.measured(first.clock_ms, sentAt, monotonicNow());
  return rows;
}

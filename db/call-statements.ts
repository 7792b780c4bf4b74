import { monotonicNow } from "../runtime/monotonic.ts";
import { coalesced } from "./coalesced.ts";
import {
  type Clock,
  type FreeRow,
  type ReplayRow,
  type ReserveRow,
  type SettleRow,
  lookUpInput,
  releaseInput,
  reserveInput,
  settleInput,
} from "./call-rows.ts";
import type { Release, ReplayScope, Reservation, Settlement } from "./call-types.ts";
import type { Database } from "./client.ts";
import { DatabaseClock } from "./clock.ts";
import { jobStatements } from "./job-calls.ts";

/** The statements of calls; each covers all calls that arrived while the previous one was in flight. */
export function callStatements(
  db: Database,
  { graceMs, replayMs }: { graceMs: number; replayMs: number },
) {
  const { sql } = db;
  const time = new DatabaseClock();

  /** The rows of a statement of calls; each has the database's time. */
  async function answered<Row extends Clock>(statement: PromiseLike<Row[]>): Promise<Row[]> {
    const sentAt = monotonicNow();
    const rows = await db.answer(statement);
    const [first] = rows;
    if (first) time.measured(first.clock_ms, sentAt, monotonicNow());
    return rows;
  }
  const clock = () => sql`extract(epoch from clock_timestamp())::float8 * 1000 as clock_ms`;

  /**
   * Measures the clocks before the first call; later statements do so themselves. Returns how far this
   * machine is ahead, in milliseconds.
   */
  async function measureClock(): Promise<number> {
    await answered(sql<Clock[]>`select ${clock()}`);
    return time.skewMs;
  }

  return {
    time,
    measureClock,
    reserve: coalesced({
      run: (calls: Reservation[]) =>
        answered(sql<ReserveRow[]>`
          select *, ${clock()} from reserve_calls(${reserveInput(calls, time)}::text::jsonb,
            ${graceMs} * interval '1 ms', ${replayMs} * interval '1 ms')`),
    }),
    settle: coalesced({
      weigh: ({ stored }: Settlement) => (stored?.body instanceof Buffer ? stored.body.length : 0),
      run: (calls) =>
        answered(sql<SettleRow[]>`
          select *, ${clock()} from settle_calls(${settleInput(calls, time)}::text::jsonb, ${graceMs} * interval '1 ms')`),
    }),
    lookUp: coalesced({
      run: (scopes: ReplayScope[]) =>
        answered(sql<(ReplayRow | FreeRow)[]>`
          select *, ${clock()} from look_up_keys(${lookUpInput(scopes)}::text::jsonb,
            ${graceMs} * interval '1 ms', ${replayMs} * interval '1 ms')`),
      most: 64,
    }),
    release: coalesced({
      run: (calls: Release[]) =>
        db.answer(sql<{ released: boolean }[]>`
          select * from release_calls(${releaseInput(calls)}::text::jsonb)`),
    }),
    ofJobs: jobStatements({ sql, answered, clock, time, graceMs, replayMs }),
  };
}

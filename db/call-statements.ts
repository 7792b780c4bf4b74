import { coalesced } from "./coalesced.ts";
import {
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
import { DatabaseClock, type TimedRow, clockColumn, timedRows } from "./clock.ts";
import { type Answered, jobStatements } from "./job-calls.ts";

/** The statements of calls; each covers all calls that arrived while the previous one was in flight. */
export function callStatements(
  db: Database,
  { graceMs, replayMs }: { graceMs: number; replayMs: number },
) {
  const { sql } = db;
  const time = new DatabaseClock();

  const answered: Answered = (statement) => timedRows(db, time, statement);

  /**
   * Measures the clocks before the first call; later statements do so themselves. Returns how far this
   * machine is ahead, in milliseconds.
   */
  async function measureClock(): Promise<number> {
    await answered(sql<TimedRow[]>`select ${clockColumn(sql)}`);
    return time.skewMs;
  }

  return {
    time,
    measureClock,
    reserve: coalesced({
      run: (calls: Reservation[]) =>
        answered(sql<ReserveRow[]>`
          select *, ${clockColumn(sql)} from reserve_calls(${reserveInput(calls, time)}::text::jsonb,
            ${graceMs} * interval '1 ms', ${replayMs} * interval '1 ms')`),
    }),
    settle: coalesced({
      weigh: ({ stored }: Settlement) => (stored?.body instanceof Buffer ? stored.body.length : 0),
      run: (calls) =>
        answered(sql<SettleRow[]>`
          select *, ${clockColumn(sql)} from settle_calls(${settleInput(calls, time)}::text::jsonb, ${graceMs} * interval '1 ms')`),
    }),
    lookUp: coalesced({
      run: (scopes: ReplayScope[]) =>
        answered(sql<(ReplayRow | FreeRow)[]>`
          select *, ${clockColumn(sql)} from look_up_keys(${lookUpInput(scopes)}::text::jsonb,
            ${graceMs} * interval '1 ms', ${replayMs} * interval '1 ms')`),
      most: 64,
    }),
    release: coalesced({
      run: (calls: Release[]) =>
        db.answer(sql<{ released: boolean }[]>`
          select * from release_calls(${releaseInput(calls)}::text::jsonb)`),
    }),
    ofJobs: jobStatements({ sql, answered, time, graceMs, replayMs }),
  };
}

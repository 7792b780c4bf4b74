import { coalesced } from "./coalesced.ts";
import { coalescedByLock } from "./coalesced-by-lock.ts";
import {
  type FreeRow,
  type ReplayRow,
  type ReserveRow,
  type SettleRow,
  joinInput,
  lookUpInput,
  releaseInput,
  reserveInput,
  settleInput,
} from "./call-rows.ts";
import type { Join, Release, ReplayScope, Reservation, Settlement } from "./call-types.ts";
import type { Database } from "./client.ts";
import { DatabaseClock, type TimedRow, clockColumn, timedRows } from "./clock.ts";
import { afterLockWait, lockWait } from "./lock-wait.ts";
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
    reserve: coalescedByLock({
      lockOf: ({ accountId }: Reservation) => accountId,
      run: (calls, lockMs) =>
        answered(sql<ReserveRow[]>`
          select f.*, ${clockColumn(sql)} from ${lockWait(sql, lockMs)}
            cross join lateral reserve_calls(${afterLockWait(sql, reserveInput(calls, time))},
              ${graceMs} * interval '1 ms', ${replayMs} * interval '1 ms') f`),
    }),
    settle: coalescedByLock({
      lockOf: ({ accountId }: Settlement) => accountId,
      weigh: ({ stored }) => (stored?.body instanceof Buffer ? stored.body.length : 0),
      run: (calls, lockMs) =>
        answered(sql<SettleRow[]>`
          select f.*, ${clockColumn(sql)} from ${lockWait(sql, lockMs)}
            cross join lateral settle_calls(${afterLockWait(sql, settleInput(calls, time))}, ${graceMs} * interval '1 ms') f`),
    }),
    lookUp: coalesced({
      run: (scopes: ReplayScope[]) =>
        answered(sql<(ReplayRow | FreeRow)[]>`
          select *, ${clockColumn(sql)} from look_up_keys(${lookUpInput(scopes)}::text::jsonb,
            ${graceMs} * interval '1 ms', ${replayMs} * interval '1 ms')`),
      most: 64,
    }),
    release: coalescedByLock({
      lockOf: ({ accountId }: Release) => accountId,
      run: (calls, lockMs) =>
        db.answer(sql<{ released: boolean }[]>`
          select f.* from ${lockWait(sql, lockMs)}
            cross join lateral release_calls(${afterLockWait(sql, releaseInput(calls))}) f`),
    }),
    join: coalescedByLock({
      lockOf: ({ accountId }: Join) => accountId,
      run: (calls, lockMs) =>
        db.answer(sql<{ joined: boolean }[]>`
          select f.* from ${lockWait(sql, lockMs)}
            cross join lateral join_calls(${afterLockWait(sql, joinInput(calls))}) f`),
    }),
    ofJobs: jobStatements({ sql, answered, time, graceMs, replayMs }),
  };
}

import { coalescedByLock } from "./coalesced-by-lock.ts";
import { type ReserveRow, type SettleRow, reservationInput, settlementInput } from "./call-rows.ts";
import type { Background, Reservation, Settled, Settlement } from "./call-types.ts";
import type { Sql } from "./client.ts";
import { type DatabaseClock, type TimedRow, clockColumn } from "./clock.ts";
import { afterLockWait, lockWait } from "./lock-wait.ts";
import type { JobState, Mode } from "./schema.ts";

/** Credits of calls without a waiting caller: the statement that moves them writes the job's row as well. */

export interface JobReservation extends Reservation, Background {
  /** Bytes of stored answers at which the account's limit is reached. */
  mostKept: number;
}

export interface JobSettlement extends Settlement {
  /** Unix time in milliseconds at which a worker took the job. */
  startedAt?: number | undefined;
}

/** `state`: how the job ended, if this settle or an earlier one charged it. */
export type JobSettled = Settled & { state: JobState | null };

/** A job that was handed in without an answer, and whose caller is refused. */
export interface TakenBack {
  requestId: string;
  accountId: number;
  mode: Mode;
  /** `notAfter` of the hand-in, after which the job cannot arrive; undefined where it is known to be there. */
  notAfter?: number | undefined;
  /** The process that gives up its ownership if the job is kept. */
  owner?: string | undefined;
}

/** `kept`: a caller has learned of the job since, or it is charged. `open`: it has not come and still may. */
export type TakingBack = "gone" | "kept" | "open";

/** Sends a statement of calls, and measures the clock by its rows. */
export type Answered = <Row extends TimedRow>(statement: PromiseLike<Row[]>) => Promise<Row[]>;

interface Statements {
  sql: Sql;
  answered: Answered;
  time: DatabaseClock;
  graceMs: number;
  replayMs: number;
}

export function jobStatements({ sql, answered, time, graceMs, replayMs }: Statements) {
  const accept = coalescedByLock({
    lockOf: ({ accountId }: JobReservation) => accountId,
    weigh: ({ call }) => call.length,
    run: (calls, lockMs) =>
      answered(sql<ReserveRow[]>`
        select f.*, ${clockColumn(sql)} from ${lockWait(sql, lockMs)}
          cross join lateral hand_in_jobs(${afterLockWait(sql, acceptInput(calls, time))},
            ${graceMs} * interval '1 ms', ${replayMs} * interval '1 ms') f`),
  });
  const settle = coalescedByLock({
    lockOf: ({ accountId }: JobSettlement) => accountId,
    weigh: ({ stored }) => (stored?.body instanceof Buffer ? stored.body.length : 0),
    run: (calls, lockMs) =>
      answered(sql<(SettleRow & { state: JobState | null })[]>`
        select f.*, ${clockColumn(sql)} from ${lockWait(sql, lockMs)}
          cross join lateral settle_jobs(${afterLockWait(sql, settleInput(calls, time))}, ${graceMs} * interval '1 ms') f`),
  });
  const fateOf = coalescedByLock({
    lockOf: ({ accountId }: TakenBack) => accountId,
    run: (jobs, lockMs) =>
      answered(sql<(TimedRow & { fate: TakingBack })[]>`
        select f.*, ${clockColumn(sql)} from ${lockWait(sql, lockMs)}
          cross join lateral take_back_jobs(${afterLockWait(sql, takeBackInput(jobs, time))}) f`),
  });
  /** Idempotent: a repetition returns the same. */
  const takeBack = async (job: TakenBack): Promise<TakingBack> => (await fateOf(job)).fate;
  return { accept, settle, takeBack };
}

const takeBackInput = (jobs: TakenBack[], time: DatabaseClock): string =>
  JSON.stringify(
    jobs.map((job) => ({
      request_id: job.requestId,
      account_id: job.accountId,
      mode: job.mode,
      not_after: job.notAfter === undefined ? undefined : time.toDatabaseExactly(job.notAfter),
      owner: job.owner,
    })),
  );

const acceptInput = (calls: JobReservation[], time: DatabaseClock): string =>
  JSON.stringify(
    calls.map((call) => ({
      ...reservationInput(call, time),
      call: call.call,
      owner: call.owner,
      version: call.version,
      fields: call.fields,
      most_kept: Number.isFinite(call.mostKept) ? call.mostKept : undefined,
    })),
  );

const settleInput = (calls: JobSettlement[], time: DatabaseClock): string =>
  JSON.stringify(
    calls.map(({ startedAt, ...call }) => ({
      ...settlementInput(call, time),
      started_at: startedAt,
    })),
  );

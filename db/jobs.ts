import { coalescedByLock } from "./coalesced-by-lock.ts";
import type { Database, Fragment } from "./client.ts";
import { afterLockWait, lockWait } from "./lock-wait.ts";
import { JobReads } from "./job-reads.ts";
import { type JobRow, type Row, jobOf, texts } from "./job-rows.ts";
import { retried } from "./retry.ts";
import type { JobState, Mode } from "./schema.ts";

/** Calls that are carried out without a waiting caller: their owner process, and how they ended. */

/** A job that this process has taken over, with the limits of its account. */
export interface AdoptedJob extends JobRow {
  accountName: string;
  ratePerSecond: number;
  maxInFlight: number;
}

export interface JobEnd {
  requestId: string;
  /** The job's account. Ends without it wait together for a locked balance. */
  accountId?: number | undefined;
  status: number;
  /** Unix time in milliseconds at which a worker took the job. */
  startedAt?: number | undefined;
  /** For a failed job: the same statement releases its hold. */
  failure?:
    | {
        type: string;
        message: string;
        body: string;
        retryAfter: number | undefined;
        durationMs: number;
      }
    | undefined;
}

export interface CancelledJob {
  requestId: string;
  operation: string;
  /** False if the job had ended before: `state` says how. */
  cancelled: boolean;
  state: JobState;
}

/** Lease of a process on its jobs, renewed by its heartbeat; after it other processes take the jobs over. */
export const jobLeaseMs = 5000;

export class JobStore extends JobReads {
  readonly #end: (job: JobEnd) => Promise<{ state: JobState }>;

  constructor(db: Database) {
    super(db);
    this.#end = coalescedByLock({
      lockOf: ({ accountId }: JobEnd) => accountId,
      weigh: ({ failure }) => failure?.body.length ?? 0,
      run: (ends, lockMs) =>
        db.answer(db.sql<{ state: JobState }[]>`
          select f.* from ${lockWait(db.sql, lockMs)}
            cross join lateral end_and_tell_jobs(${afterLockWait(db.sql, endInput(ends))}) f`),
    });
  }

  /** Heartbeat: renews this process's lease for `jobLeaseMs`; deletes leases that expired a minute ago. */
  async own(owner: string): Promise<void> {
    await this.db.answer(this.db.sql`
      with gone as (delete from job_owners where until < now() - interval '1 minute')
      insert into job_owners values (${owner}, clock_timestamp() + ${jobLeaseMs} * interval '1 ms')
      on conflict (id) do update set until = excluded.until`);
  }

  /** Ends this process's lease: others may take over the jobs that it has not ended. */
  async disown(owner: string): Promise<void> {
    await this.db.answer(this.db.sql`delete from job_owners where id = ${owner}`);
  }

  /** Takes over jobs whose owner's lease has expired, running or with an end that is not announced yet. */
  async adopt(owner: string, atMost: number): Promise<AdoptedJob[]> {
    return this.#adopted(this.db.sql`adopt_jobs(${owner}, ${atMost}) j`);
  }

  /** Ids after the given one, in order, of the jobs that the database assigns to a process. */
  async assigned(owner: string, after: string, atMost: number): Promise<string[]> {
    const rows = await this.db.answer(this.db.sql<{ id: string }[]>`
      select request_id as id from jobs where owner = ${owner} and request_id > ${after}
      order by request_id limit ${atMost}`);
    return rows.map(({ id }) => id);
  }

  /** Jobs that the database assigns to a process and that the process does not carry out. */
  async uncarried(owner: string, ids: readonly string[]): Promise<AdoptedJob[]> {
    const { sql } = this.db;
    return this.#adopted(sql`(
      select * from jobs where owner = ${owner} and request_id = any (${texts(sql, ids)})) j`);
  }

  async #adopted(jobs: Fragment): Promise<AdoptedJob[]> {
    const rows = await this.db.answer(
      this.db.sql<(Row & { name: string; rate: number; in_flight: number })[]>`
        select ${this.columns("call")}, a.name, a.rate_per_second as rate, a.max_in_flight as in_flight
        from ${jobs} ${this.joins} join accounts a on a.id = j.account_id`,
    );
    return rows.map((row) => ({
      ...jobOf(row),
      accountName: row.name,
      ratePerSecond: row.rate,
      maxInFlight: row.in_flight,
    }));
  }

  /** Notes that workers have taken these jobs; `at` is Unix time in milliseconds. */
  async started(jobs: readonly { requestId: string; at: number }[]): Promise<void> {
    if (jobs.length === 0) return;
    const input = JSON.stringify(jobs.map(({ requestId: id, at }) => ({ id, at })));
    await this.db.answer(this.db.sql`
      update jobs j set state = 'running', started_at = to_timestamp(i.at / 1000)
      from jsonb_to_recordset(${input}::text::jsonb) as i (id text, at float8)
      where j.request_id = i.id and j.state = 'queued'`);
  }

  /** Call before a caller learns of a job whose hand-in may lack its answer: the job is not taken back then. */
  async confirm(requestId: string): Promise<void> {
    await this.db.answer(this.db.sql`
      update jobs set confirmed = true
      where request_id = ${requestId} and state in ('queued', 'running') and not confirmed`);
  }

  /** Ends a job, once, and emits its event; returns its state, that of an earlier end where there was one. */
  async end(job: JobEnd): Promise<JobState> {
    return (await this.#end(job)).state;
  }

  /** Emits the end of a job and clears its owner: nobody needs to take the job over. */
  async tell(requestId: string): Promise<void> {
    await this.db.answer(this.db.sql`select tell_jobs(${texts(this.db.sql, [requestId])})`);
  }

  /** Cancels jobs of an account; ids of no job of this account are absent from the result. Idempotent. */
  async cancel(ids: readonly string[], accountId: number, mode: Mode): Promise<CancelledJob[]> {
    const { sql } = this.db;
    const rows = await retried(() =>
      this.db.answer(
        sql<{ request_id: string; operation: string; cancelled: boolean; state: JobState }[]>`
          select * from cancel_jobs(${texts(sql, ids)}, ${accountId}, ${mode})`,
      ),
    );
    return rows.map(({ request_id: requestId, operation, cancelled, state }) => ({
      requestId,
      operation,
      cancelled,
      state,
    }));
  }

  /** Cancelled jobs of this process with an end that is not announced yet. */
  async cancelledOf(owner: string): Promise<string[]> {
    const rows = await this.db.answer(this.db.sql<{ id: string }[]>`
      select request_id as id from jobs where owner = ${owner} and state = 'cancelled'`);
    return rows.map(({ id }) => id);
  }
}

/** Text in Postgres cannot contain NUL. */
const shortened = (message: string): string =>
  message.replaceAll("\0", "").slice(0, 200).toWellFormed();

const endInput = (ends: JobEnd[]): string =>
  JSON.stringify(
    ends.map(({ requestId, status, startedAt, failure }) => ({
      request_id: requestId,
      status,
      started_at: startedAt,
      error_type: failure?.type,
      error_message: failure && shortened(failure.message),
      error: failure?.body,
      retry_after: failure?.retryAfter,
      duration_ms: failure && Math.round(failure.durationMs),
    })),
  );

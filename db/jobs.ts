import { batched } from "./batched.ts";
import { type Charge, defaultReplayMs } from "./calls.ts";
import type { Database } from "./client.ts";
import type { Room } from "./kept-bodies.ts";
import { unpacked, unpackedBytes } from "./packed.ts";
import type { JobState, Mode } from "./schema.ts";

/** Calls that are carried out without a waiting caller: who carries them out, and how they ended. */

export interface JobRow {
  requestId: string;
  accountId: number;
  mode: Mode;
  keyId: string;
  operation: string;
  /** Of the contract in which it was asked. */
  version: string;
  /** Under which `lookUp` finds an answer that is kept. */
  idempotencyKey: string;
  /** See `Background`; null when the job has ended. */
  call: string | null;
  /** Members of its records that its caller asked for. */
  fields: string[] | undefined;
  state: JobState;
  /** Unix times in milliseconds, by the database's clock. */
  createdAt: number;
  startedAt: number | undefined;
  endedAt: number | undefined;
  status: number | undefined;
  retryAfter: number | undefined;
  /** Type and message of a failure, the message shortened. */
  failure: { type: string; message: string } | undefined;
  /** Body of a failure, where the job's result was asked for. */
  error: string | undefined;
  charge: Charge | undefined;
  /** Credits available in its mode now. */
  available: number;
}

/** A job that this process has taken over, with what is needed to carry it out. */
export interface AdoptedJob extends JobRow {
  accountName: string;
  ratePerSecond: number;
  maxInFlight: number;
}

export interface JobEnd {
  requestId: string;
  status: number;
  /** Unix time in milliseconds at which a worker took it. */
  startedAt?: number;
  /** Where it failed: its hold is given back in the same statement. */
  failure?: {
    type: string;
    message: string;
    body: string;
    retryAfter: number | undefined;
    durationMs: number;
  };
}

export interface CancelledJob {
  requestId: string;
  operation: string;
  /** False where it had ended: `state` says how. */
  cancelled: boolean;
  state: JobState;
}

/** A place in the list of an account, which goes from the newest to the oldest. */
export interface JobPlace {
  /** Text of the database's time, to the microsecond. */
  at: string;
  id: string;
}

export interface JobFilter {
  state?: JobState | undefined;
  operation?: string | undefined;
  after?: JobPlace | undefined;
  limit: number;
}

/** A process that has not been heard of for this long has left its jobs to the others. */
export const jobLeaseMs = 5000;

export type JobStore = ReturnType<typeof jobStore>;

interface Wanted {
  id: string;
  account: number;
  mode: Mode;
}

interface Row {
  request_id: string;
  account_id: number;
  mode: Mode;
  key_id: string;
  operation: string;
  version: string;
  idempotency_key: string;
  call: string | null;
  fields: string | null;
  state: JobState;
  created: number;
  started: number | null;
  ended: number | null;
  status: number | null;
  retry_after: number | null;
  error_type: string | null;
  error_message: string | null;
  error: string | null;
  credits: number | null;
  records: number | null;
  truncated: boolean | null;
  settled_available: number | null;
  available: number;
  at: string;
}

function jobOf(row: Row): JobRow {
  const { credits, error_type: type } = row;
  return {
    requestId: row.request_id,
    accountId: row.account_id,
    mode: row.mode,
    keyId: row.key_id,
    operation: row.operation,
    version: row.version,
    idempotencyKey: row.idempotency_key,
    call: row.call,
    fields: row.fields?.split(","),
    state: row.state,
    createdAt: row.created,
    startedAt: row.started ?? undefined,
    endedAt: row.ended ?? undefined,
    status: row.status ?? undefined,
    retryAfter: row.retry_after ?? undefined,
    failure: type === null ? undefined : { type, message: row.error_message ?? "" },
    error: row.error ?? undefined,
    charge:
      credits === null
        ? undefined
        : {
            credits,
            records: row.records ?? 0,
            balance: row.settled_available ?? 0,
            truncated: row.truncated ?? false,
          },
    available: row.available,
  };
}

export function jobStore(db: Database) {
  const { sql } = db;

  /** The driver knows no arrays, as it asks the database for no types. */
  const texts = (values: readonly string[]) =>
    sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::text::jsonb))`;
  const epoch = (column: string) => sql`extract(epoch from ${sql(column)})::float8 * 1000`;
  /** `more`: what may be large, the call while it runs or the body of a failure. */
  const columns = (more?: "call" | "error") => sql`
    j.request_id, j.account_id, j.mode, j.key_id, j.operation, j.version, j.idempotency_key,
    ${more === "call" ? sql`j.call` : sql`null as call`}, j.fields, j.state,
    ${epoch("j.created_at")} as created, ${epoch("j.started_at")} as started,
    ${epoch("j.ended_at")} as ended, j.status, j.retry_after,
    j.error_type, j.error_message,
    ${more === "error" ? sql`j.error` : sql`null as error`}, s.credits, s.records, s.truncated,
    s.available as settled_available, b.balance - b.held as available, j.created_at::text as at`;
  const beside = sql`
    join balances b on b.account_id = j.account_id and b.mode = j.mode
    left join settlements s on s.hold_id = j.request_id`;

  /** Says that this process is there, for `jobLeaseMs`; forgets those that are not any more. */
  async function own(owner: string): Promise<void> {
    await db.answer(sql`
      with gone as (delete from job_owners where until < now() - interval '1 minute')
      insert into job_owners values (${owner}, clock_timestamp() + ${jobLeaseMs} * interval '1 ms')
      on conflict (id) do update set until = excluded.until`);
  }

  /** From here on others may take over what this process has not ended. */
  async function disown(owner: string): Promise<void> {
    await db.answer(sql`delete from job_owners where id = ${owner}`);
  }

  /** Takes over jobs that nobody carries out any more, or whose end nobody has told. */
  async function adopt(owner: string, atMost: number): Promise<AdoptedJob[]> {
    const rows = await db.answer(
      sql<(Row & { name: string; rate: number; in_flight: number })[]>`
        select ${columns("call")}, a.name, a.rate_per_second as rate, a.max_in_flight as in_flight
        from adopt_jobs(${owner}, ${atMost}) j ${beside} join accounts a on a.id = j.account_id`,
    );
    return rows.map((row) => ({
      ...jobOf(row),
      accountName: row.name,
      ratePerSecond: row.rate,
      maxInFlight: row.in_flight,
    }));
  }

  /** Notes that workers have taken these jobs, at these Unix times in milliseconds. */
  async function started(jobs: readonly { requestId: string; at: number }[]): Promise<void> {
    if (jobs.length === 0) return;
    const input = JSON.stringify(jobs.map(({ requestId: id, at }) => ({ id, at })));
    await db.answer(sql`
      update jobs j set state = 'running', started_at = to_timestamp(i.at / 1000)
      from jsonb_to_recordset(${input}::text::jsonb) as i (id text, at float8)
      where j.request_id = i.id and j.state = 'queued'`);
  }

  const endOne = batched({
    weigh: ({ failure }: JobEnd) => failure?.body.length ?? 0,
    run: (ends) =>
      db.answer(sql<{ state: JobState }[]>`
        select * from end_and_tell_jobs(${endInput(ends)}::text::jsonb)`),
  });

  /** Ends a job, once, and tells of it: answers how it had ended where somebody was first. */
  async function end(job: JobEnd): Promise<JobState> {
    return (await endOne(job)).state;
  }

  /** Tells whoever has to hear of the end of a job, and leaves it: nobody needs to take it over. */
  async function tell(requestId: string): Promise<void> {
    await db.answer(sql`select tell_jobs(${texts([requestId])})`);
  }

  /** Cancels jobs of an account; those that it does not have are absent. */
  async function cancel(
    ids: readonly string[],
    accountId: number,
    mode: Mode,
  ): Promise<CancelledJob[]> {
    const rows = await db.answer(
      sql<{ request_id: string; operation: string; cancelled: boolean; state: JobState }[]>`
        select * from cancel_jobs(${texts(ids)}, ${accountId}, ${mode})`,
    );
    return rows.map(({ request_id: requestId, operation, cancelled, state }) => ({
      requestId,
      operation,
      cancelled,
      state,
    }));
  }

  const findOne = batched({
    run: (wanted: Wanted[]) =>
      db.answer(sql<(Row | { request_id: null })[]>`
        select f.* from rows from (jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb)
            as (id text, account bigint, mode text)) with ordinality as w (id, account, mode, position)
          left join lateral (
            select ${columns()} from jobs j ${beside}
            where j.request_id = w.id and j.account_id = w.account and j.mode = w.mode offset 0
          ) f on true
        order by w.position`),
  });

  /** One job of an account. */
  async function find(requestId: string, accountId: number, mode: Mode) {
    const row = await findOne({ id: requestId, account: accountId, mode });
    return row.request_id === null ? undefined : jobOf(row);
  }

  /** One job of an account, and its answer where that is kept. */
  async function result(
    requestId: string,
    accountId: number,
    mode: Mode,
    room?: Room,
  ): Promise<{ job: JobRow; kept: Buffer | "apart" | undefined } | undefined> {
    const [row] = await db.answer(sql<(Row & { body: Buffer | null; apart: boolean | null })[]>`
      select ${columns("error")}, r.body, r.body_apart as apart from jobs j ${beside}
        left join replays r on r.account_id = j.account_id and r.mode = j.mode
          and r.key = j.idempotency_key and r.request_id = j.request_id and r.state = 'final'
          and r.created_at > clock_timestamp() - ${defaultReplayMs} * interval '1 ms'
      where j.request_id = ${requestId} and j.account_id = ${accountId} and j.mode = ${mode}`);
    if (!row) return undefined;
    if (row.body) room?.(unpackedBytes(row.body, row.body.length));
    const kept = row.apart ? "apart" : row.body ? await unpacked(row.body) : undefined;
    return { job: jobOf(row), kept };
  }

  /** Cancelled jobs of this process, whose end is yet to be told. */
  async function cancelledOf(owner: string): Promise<string[]> {
    const rows = await db.answer(sql<{ id: string }[]>`
      select request_id as id from jobs where owner = ${owner} and state = 'cancelled'`);
    return rows.map(({ id }) => id);
  }

  /** Whose a job is. */
  async function holder(
    requestId: string,
  ): Promise<{ account: string; accountId: number; mode: Mode } | undefined> {
    const [row] = await db.answer(sql<{ account: string; id: number; mode: Mode }[]>`
      select a.name as account, a.id, j.mode from jobs j join accounts a on a.id = j.account_id
      where j.request_id = ${requestId}`);
    return row && { account: row.account, accountId: row.id, mode: row.mode };
  }

  /** Credits of an account in a mode that nothing is held for. */
  async function available(accountId: number, mode: Mode): Promise<number> {
    const [row] = await db.answer(sql<{ available: number }[]>`
      select balance - held as available from balances
      where account_id = ${accountId} and mode = ${mode}`);
    return row?.available ?? 0;
  }

  /** Which of these have ended. */
  async function ended(ids: readonly string[]): Promise<string[]> {
    const rows = await db.answer(sql<{ id: string }[]>`
      select request_id as id from jobs
      where request_id = any(${texts(ids)}) and state not in ('queued', 'running')`);
    return rows.map(({ id }) => id);
  }

  /** Jobs of an account that belong to no batch, the newest first, and where the next ones begin. */
  async function list(
    accountId: number,
    mode: Mode,
    { state, operation, after, limit }: JobFilter,
  ): Promise<{ jobs: JobRow[]; next: JobPlace | undefined }> {
    const rows = await db.answer(sql<Row[]>`
      select ${columns()} from jobs j ${beside}
      where j.account_id = ${accountId} and j.mode = ${mode} and j.batch_id is null
        ${state ? sql`and j.state = ${state}` : sql``}
        ${operation === undefined ? sql`` : sql`and j.operation = ${operation}`}
        ${after ? sql`and (j.created_at, j.request_id) < (${after.at}::timestamptz, ${after.id})` : sql``}
      order by j.created_at desc, j.request_id desc limit ${limit + 1}`);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return { jobs: shown.map(jobOf), next: last && { at: last.at, id: last.request_id } };
  }

  return {
    own,
    disown,
    adopt,
    started,
    end,
    tell,
    cancel,
    find,
    result,
    list,
    available,
    ended,
    cancelledOf,
    holder,
  };
}

/** A database's text holds no NUL. */
const shortened = (message: string): string =>
  message.replaceAll("\0", "").slice(0, 200).toWellFormed();

const endInput = (ends: JobEnd[]): string =>
  JSON.stringify(
    ends.map(({ requestId, status, startedAt, failure }) => ({
      request_id: requestId,
      status,
      started_at: startedAt,
      told: true,
      ...(failure
        ? {
            error_type: failure.type,
            error_message: shortened(failure.message),
            error: failure.body,
            retry_after: failure.retryAfter,
            duration_ms: Math.round(failure.durationMs),
          }
        : {}),
    })),
  );

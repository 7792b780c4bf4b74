import { coalesced } from "./coalesced.ts";
import { defaultReplayMs } from "./calls.ts";
import type { Database, Fragment } from "./client.ts";
import { type JobColumns, type JobRow, type Row, jobColumns, jobOf, texts } from "./job-rows.ts";
import type { Room } from "./kept-bodies.ts";
import { unpacked, unpackedBytes } from "./packed.ts";
import type { JobState, Mode } from "./schema.ts";

/** Reading jobs, for callers and operators. */

/** A position in an account's list of jobs, newest first. */
export type JobPosition = {
  /** Text of the database's time, to the microsecond. */
  at: string;
  id: string;
};

export interface JobFilter {
  state?: JobState | undefined;
  operation?: string | undefined;
  after?: JobPosition | undefined;
  limit: number;
}

interface Lookup {
  id: string;
  account: number;
  mode: Mode;
}

export class JobReads {
  protected readonly db: Database;
  protected readonly columns: JobColumns["columns"];
  protected readonly joins: Fragment;
  readonly #findOne: (lookup: Lookup) => Promise<Row | { request_id: null }>;

  constructor(db: Database) {
    const { columns, joins } = jobColumns(db.sql);
    this.db = db;
    this.columns = columns;
    this.joins = joins;
    this.#findOne = coalesced({
      run: (lookups: Lookup[]) =>
        db.answer(db.sql<(Row | { request_id: null })[]>`
          select f.* from rows from (jsonb_to_recordset(${JSON.stringify(lookups)}::text::jsonb)
              as (id text, account bigint, mode text)) with ordinality as w (id, account, mode, position)
            left join lateral (
              select ${columns()} from jobs j ${joins}
              where j.request_id = w.id and j.account_id = w.account and j.mode = w.mode offset 0
            ) f on true
          order by w.position`),
    });
  }

  /** One job of an account. */
  async find(requestId: string, accountId: number, mode: Mode) {
    const row = await this.#findOne({ id: requestId, account: accountId, mode });
    return row.request_id === null ? undefined : jobOf(row);
  }

  /** One job of an account, and its stored answer, if there is one. */
  async result(
    requestId: string,
    accountId: number,
    mode: Mode,
    room?: Room,
  ): Promise<{ job: JobRow; kept: Buffer | "apart" | undefined } | undefined> {
    const [row] = await this.db.answer(this.db.sql<
      (Row & { body: Buffer | null; apart: boolean | null })[]
    >`
      select ${this.columns("error")}, r.body, r.body_apart as apart from jobs j ${this.joins}
        left join replays r on r.account_id = j.account_id and r.mode = j.mode
          and r.key = j.idempotency_key and r.request_id = j.request_id and r.state = 'final'
          and r.created_at > clock_timestamp() - ${defaultReplayMs} * interval '1 ms'
      where j.request_id = ${requestId} and j.account_id = ${accountId} and j.mode = ${mode}`);
    if (!row) return undefined;
    if (row.body) room?.(unpackedBytes(row.body, row.body.length));
    const kept = row.apart ? "apart" : row.body ? await unpacked(row.body) : undefined;
    return { job: jobOf(row), kept };
  }

  /** The account and mode of a job. */
  async holder(
    requestId: string,
  ): Promise<{ account: string; accountId: number; mode: Mode } | undefined> {
    const [row] = await this.db.answer(this.db.sql<{ account: string; id: number; mode: Mode }[]>`
      select a.name as account, a.id, j.mode from jobs j join accounts a on a.id = j.account_id
      where j.request_id = ${requestId}`);
    return row && { account: row.account, accountId: row.id, mode: row.mode };
  }

  /** Credits of an account and mode that are not held. */
  async available(accountId: number, mode: Mode): Promise<number> {
    const [row] = await this.db.answer(this.db.sql<{ available: number }[]>`
      select balance - held as available from balances
      where account_id = ${accountId} and mode = ${mode}`);
    return row?.available ?? 0;
  }

  /** Ids of the given jobs that have ended. */
  async ended(ids: readonly string[]): Promise<string[]> {
    const rows = await this.db.answer(this.db.sql<{ id: string }[]>`
      select request_id as id from jobs
      where request_id = any(${texts(this.db.sql, ids)}) and state not in ('queued', 'running')`);
    return rows.map(({ id }) => id);
  }

  /** Jobs of an account, newest first, and the position after which the next page begins. */
  async list(
    accountId: number,
    mode: Mode,
    { state, operation, after, limit }: JobFilter,
  ): Promise<{ jobs: JobRow[]; next: JobPosition | undefined }> {
    const rows = await this.db.answer(this.db.sql<Row[]>`
      select ${this.columns()} from jobs j ${this.joins}
      where j.account_id = ${accountId} and j.mode = ${mode}
        ${state ? this.db.sql`and j.state = ${state}` : this.db.sql``}
        ${operation === undefined ? this.db.sql`` : this.db.sql`and j.operation = ${operation}`}
        ${after ? this.db.sql`and (j.created_at, j.request_id) < (${after.at}::timestamptz, ${after.id})` : this.db.sql``}
      order by j.created_at desc, j.request_id desc limit ${limit + 1}`);
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { jobs: page.map(jobOf), next: last && { at: last.at, id: last.request_id } };
  }
}

import type { Charge } from "./call-types.ts";
import type { Fragment, Sql } from "./client.ts";
import type { JobState, Mode } from "./schema.ts";

/** A job as it is read: its columns, and how they map to a `JobRow`. */

export interface JobRow {
  requestId: string;
  accountId: number;
  mode: Mode;
  keyId: string;
  operation: string;
  /** Version of the contract that the caller used. */
  version: string;
  /** Key under which `lookUp` finds its stored answer. */
  idempotencyKey: string;
  /** See `Background`; null when the job has ended. */
  call: string | null;
  /** Members of its records that the caller selected. */
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
  /** Body of a failure; only read by `result`. */
  error: string | undefined;
  charge: Charge | undefined;
  /** Credits available to its account and mode now. */
  available: number;
}

export interface Row {
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

export function jobOf(row: Row): JobRow {
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

/** The columns of a `Row` from `jobs j`, and the joins that they need. */
export interface JobColumns {
  /** `more`: a column that may be large, the call while it runs or the body of a failure. */
  columns: (more?: "call" | "error") => Fragment;
  joins: Fragment;
}

export function jobColumns(sql: Sql): JobColumns {
  const epoch = (column: string) => sql`extract(epoch from ${sql(column)})::float8 * 1000`;
  const columns = (more?: "call" | "error") => sql`
    j.request_id, j.account_id, j.mode, j.key_id, j.operation, j.version, j.idempotency_key,
    ${more === "call" ? sql`j.call` : sql`null as call`}, j.fields, j.state,
    ${epoch("j.created_at")} as created, ${epoch("j.started_at")} as started,
    ${epoch("j.ended_at")} as ended, j.status, j.retry_after,
    j.error_type, j.error_message,
    ${more === "error" ? sql`j.error` : sql`null as error`}, s.credits, s.records, s.truncated,
    s.available as settled_available, b.balance - b.held as available, j.created_at::text as at`;
  const joins = sql`
    join balances b on b.account_id = j.account_id and b.mode = j.mode
    left join settlements s on s.hold_id = j.request_id`;
  return { columns, joins };
}

/** A list as a parameter: the driver supports no arrays without fetching types from the database. */
export const texts = (sql: Sql, values: readonly string[]): Fragment =>
  sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::text::jsonb))`;

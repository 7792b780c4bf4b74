import type { Database } from "./client.ts";
import { texts } from "./job-rows.ts";
import type { Mode } from "./schema.ts";

/** The list of calls of all accounts, for operators. */

export interface ListedCall {
  id: string;
  account: string;
  mode: Mode;
  key: string | null;
  operation: string;
  status: number;
  errorType: string | null;
  credits: number;
  records: number;
  durationMs: number;
  /** End of the call, Unix time in milliseconds with microseconds as its fraction. */
  at: number;
}

/** A call's position in the list; the id may be empty, before all calls of the same moment or duration. */
export interface CallPosition {
  /** `at`, or `durationMs` where the slowest come first. */
  value: number;
  id: string;
}

export interface CallSelection {
  /** Unix times in milliseconds; `from` is included, `to` is not. */
  from: number;
  to: number;
  accountId?: number | undefined;
  mode?: Mode | undefined;
  key?: string | undefined;
  operations?: readonly string[] | undefined;
  /** Least and highest status. */
  status?: readonly [number, number] | undefined;
  errorType?: string | undefined;
  slowest: boolean;
  after?: CallPosition | undefined;
  limit: number;
}

const listLimitMs = 5_000;
/** The first pages of most lists are within the last minutes; the index by time finds those at once. */
const nearMs = [600_000, 6 * 3600_000];

async function listWithin(db: Database, selection: CallSelection): Promise<ListedCall[]> {
  const { sql } = db;
  const { from, to, accountId, mode, key, operations, status, errorType, after } = selection;
  const { slowest, limit } = selection;
  const moment = (at: number) => sql`'epoch'::timestamptz + ${at}::float8 * interval '1 ms'`;
  const position = slowest ? sql`u.duration_ms` : sql`u.at`;
  const value = after && (slowest ? sql`${after.value}::float8` : moment(after.value));
  return db.answer(
    sql<ListedCall[]>`
      with found as (
        select * from usage u
        where u.at >= ${moment(from)} and u.at < ${moment(to)}
          ${accountId === undefined ? sql`` : sql`and u.account_id = ${accountId}`}
          ${mode === undefined ? sql`` : sql`and u.mode = ${mode}`}
          ${key === undefined ? sql`` : sql`and u.key_id = ${key}`}
          ${operations === undefined ? sql`` : sql`and u.operation = any(${texts(sql, operations)})`}
          ${status === undefined ? sql`` : sql`and u.status between ${status[0]} and ${status[1]}`}
          ${errorType === undefined ? sql`` : sql`and u.error_type = ${errorType}`}
          ${value === undefined ? sql`` : sql`and (${position}, u.request_id collate "C") < (${value}, ${after?.id ?? ""})`}
        order by ${position} desc, u.request_id collate "C" desc limit ${limit})
      select u.request_id as id, a.name as account, u.mode, u.key_id as key, u.operation, u.status,
        u.error_type as "errorType", u.credits, u.records, u.duration_ms as "durationMs",
        extract(epoch from u.at)::float8 * 1000 as at
      from found u join accounts a on a.id = u.account_id
      order by ${position} desc, u.request_id collate "C" desc`,
    listLimitMs,
  );
}

/** Calls that got a hold, the newest or the slowest first. */
export async function listCalls(db: Database, selection: CallSelection): Promise<ListedCall[]> {
  const { from, to, slowest, after, limit } = selection;
  if (!slowest) {
    const newest = Math.min(to, after?.value ?? to);
    for (const ms of nearMs) {
      if (newest - ms <= from) break;
      const near = await listWithin(db, { ...selection, from: newest - ms });
      if (near.length >= limit) return near;
    }
  }
  return listWithin(db, selection);
}

/** Account of a key; undefined for an unknown key. */
export async function ownerOfKey(
  db: Database,
  id: string,
): Promise<{ accountId: number; mode: Mode } | undefined> {
  const [row] = await db.answer(
    db.sql<{ accountId: number; mode: Mode }[]>`
      select account_id as "accountId", mode from api_keys where id = ${id}`,
  );
  return row;
}

/** Names of accounts by id. */
export async function accountNames(
  db: Database,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.answer(
    db.sql<{ id: number; name: string }[]>`
      select a.id, a.name from accounts a
      where a.id in (select o::bigint from jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb) as o)`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Names of accounts that contain the text, or begin like it. */
export async function nearAccounts(db: Database, text: string, most = 3): Promise<string[]> {
  const rows = await db.answer(
    db.sql<{ name: string }[]>`
      select name from accounts
      where position(lower(${text}) in lower(name)) > 0 or left(lower(name), 3) = left(lower(${text}), 3)
      order by name limit ${most}`,
  );
  return rows.map(({ name }) => name);
}

import type { Database } from "./client.ts";
import type { Mode } from "./schema.ts";

/** Call logs, from which the timeline of a call is rendered, and a call's entries in the accounting. */

/** The call log of a request before it is stored; `story` is JSON. */
export interface CallLogRow {
  requestId: string;
  /** Request id of the call whose answer the request got. */
  callId: string;
  accountId: number;
  /** Unix time in milliseconds. */
  at: number;
  story: string;
}

/** Stores many call logs in one statement. Not idempotent: a repetition stores them twice. */
export async function storeCallLogs(db: Database, rows: readonly CallLogRow[]): Promise<void> {
  const input = rows
    .map(
      ({ requestId, callId, accountId, at, story }) =>
        `{"request_id":"${requestId}","call_id":"${callId}","account_id":${accountId},"at":${at},"story":${story}}`,
    )
    .join(",");
  await db.answer(db.sql`select tell_stories(${`[${input}]`}::text::jsonb)`);
}

export const storiesKeptMs = 7 * 24 * 3600_000;
/** Rows kept at most, whatever their age: about a kilobyte each. */
export const mostCallLogs = 2_000_000;
const batchSize = 2000;

/** Deletes call logs older than `keptMs` or beyond the newest `most`; returns how many. */
export async function pruneCallLogs(
  db: Database,
  {
    keptMs = storiesKeptMs,
    most = mostCallLogs,
  }: { keptMs?: number | undefined; most?: number | undefined } = {},
): Promise<number> {
  for (let total = 0; ;) {
    const [row] = await db.answer(
      db.sql<{ pruned: number }[]>`
        select prune_stories(${keptMs} * interval '1 ms', ${most}, ${batchSize}) as pruned`,
      10_000,
    );
    total += row?.pruned ?? 0;
    if ((row?.pruned ?? 0) < batchSize) return total;
  }
}

/** Most call logs that are read for one call. */
const mostRead = 20;

export interface FoundCallLogs {
  rows: { requestId: string; callId: string; story: unknown }[];
  /** Number of call logs in all, also beyond `rows`. */
  count: number;
}

/** Call logs of the requests that got the answer of a call, oldest first; or the one of this request id. */
export async function callLogsOf(db: Database, id: string): Promise<FoundCallLogs> {
  const rows = await db.answer(
    db.sql<{ request_id: string; call_id: string; story: string; count: number }[]>`
      select request_id, call_id, story::text as story, count(*) over ()::integer as count
      from stories
      where call_id = ${id} or (request_id = ${id} and request_id <> call_id)
      order by request_id <> call_id, id limit ${mostRead}`,
  );
  return {
    rows: rows.map(({ request_id: requestId, call_id: callId, story }) => ({
      requestId,
      callId,
      story: JSON.parse(story) as unknown,
    })),
    count: rows[0]?.count ?? 0,
  };
}

/** A call's entries in the accounting; times are Unix times in milliseconds. */
export interface BookEntry {
  accountId: number;
  account: string;
  mode: Mode;
  keyId: string | null;
  operation: string;
  hold: { amount: number; state: "open" | "settled" | "void"; since: number; deadline: number };
  settlement:
    | { credits: number; records: number; truncated: boolean; status: number; at: number }
    | undefined;
  usage: { status: number; errorType: string | null; durationMs: number; at: number } | undefined;
  /** State of its Idempotency-Key; only the digest and the length of the key leave the database. */
  key:
    | { digest: string; length: number; state: "running" | "final" | "gone"; bytes: number }
    | undefined;
  /** The database's time of the query. */
  now: number;
}

interface EntryRow {
  account_id: number;
  name: string;
  mode: Mode;
  key_id: string | null;
  operation: string;
  amount: number;
  state: "open" | "settled" | "void";
  since: number;
  deadline: number;
  credits: number | null;
  records: number;
  truncated: boolean;
  settled_status: number;
  settled_at: number;
  status: number | null;
  error_type: string | null;
  duration_ms: number;
  used_at: number;
  key_digest: string | null;
  key_length: number;
  replay_state: "running" | "final" | null;
  replay_bytes: number | null;
  now: number;
}

/** Undefined if there never was a hold with this id. */
export async function bookEntry(db: Database, id: string): Promise<BookEntry | undefined> {
  const [row] = await db.answer(db.sql<EntryRow[]>`
    select h.account_id, a.name, h.mode, h.key_id, h.operation, h.amount, h.state,
      extract(epoch from h.created_at)::float8 * 1000 as since,
      extract(epoch from h.deadline)::float8 * 1000 as deadline,
      s.credits, s.records, s.truncated, s.status as settled_status,
      extract(epoch from s.at)::float8 * 1000 as settled_at,
      u.status, u.error_type, u.duration_ms, extract(epoch from u.at)::float8 * 1000 as used_at,
      left(encode(sha256(convert_to(h.idempotency_key, 'UTF8')), 'hex'), 12) as key_digest,
      length(h.idempotency_key) as key_length,
      r.state as replay_state,
      coalesce(octet_length(r.body), octet_length(b.body)) as replay_bytes,
      extract(epoch from clock_timestamp())::float8 * 1000 as now
    from holds h join accounts a on a.id = h.account_id
      left join settlements s on s.hold_id = h.id
      left join usage u on u.request_id = h.id
      left join replays r on r.account_id = h.account_id and r.mode = h.mode
        and r.key = h.idempotency_key and r.request_id = h.id
      left join bodies b on r.body_apart and b.request_id = h.id
    where h.id = ${id}`);
  if (!row) return undefined;
  return {
    accountId: row.account_id,
    account: row.name,
    mode: row.mode,
    keyId: row.key_id,
    operation: row.operation,
    hold: { amount: row.amount, state: row.state, since: row.since, deadline: row.deadline },
    settlement:
      row.credits === null
        ? undefined
        : {
            credits: row.credits,
            records: row.records,
            truncated: row.truncated,
            status: row.settled_status,
            at: row.settled_at,
          },
    usage:
      row.status === null
        ? undefined
        : {
            status: row.status,
            errorType: row.error_type,
            durationMs: row.duration_ms,
            at: row.used_at,
          },
    key:
      row.key_digest === null
        ? undefined
        : {
            digest: row.key_digest,
            length: row.key_length,
            state: row.replay_state ?? "gone",
            bytes: row.replay_bytes ?? 0,
          },
    now: row.now,
  };
}

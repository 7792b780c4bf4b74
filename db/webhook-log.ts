import type { Database } from "./client.ts";
import {
  type ClaimRow,
  type EarlierWrite,
  type OwnWrite,
  claimJson,
  earlierIn,
} from "./own-writes.ts";
import type { Owner } from "./owner.ts";

/** The log of an endpoint's deliveries. */

export interface LoggedDelivery {
  id: string;
  eventId: string;
  eventType: string;
  url: string;
  state: "pending" | "sending" | "delivered" | "failed";
  attempts: number;
  dueAt: Date | null;
  createdAt: Date;
  endedAt: Date | null;
  answers: unknown[];
  /** Position in the log: its time, to the microsecond. */
  place: string;
}

interface Row {
  id: string;
  event_id: string;
  type: string;
  url: string;
  state: LoggedDelivery["state"];
  attempts: number;
  due_at: number | null;
  created_at: number;
  ended_at: number | null;
  answers: unknown[];
  place: string;
}

/** Deliveries of an endpoint, newest first, from the one after `after`. */
export async function webhookLog(
  db: Database,
  { accountId, mode }: Owner,
  options: {
    endpoint: string;
    limit: number;
    state?: LoggedDelivery["state"] | undefined;
    /** Only this delivery. */
    id?: string | undefined;
    /** Only deliveries of this event. */
    event?: string | undefined;
    after?: { place: string; id: string } | undefined;
  },
): Promise<LoggedDelivery[]> {
  const { sql } = db;
  const { endpoint, limit, state, id, event, after } = options;
  const rows = await db.answer(sql<Row[]>`
    select d.id, d.event_id, e.type, coalesce(d.url, w.url) as url, d.state, d.attempts,
      case when d.state = 'pending' then extract(epoch from d.due_at)::float8 * 1000 end as due_at,
      extract(epoch from d.created_at)::float8 * 1000 as created_at,
      extract(epoch from d.ended_at)::float8 * 1000 as ended_at, d.answers,
      d.created_at::text as place
    from webhook_deliveries d
      join webhook_events e on e.id = d.event_id
      join webhook_endpoints w on w.id = d.endpoint_id
    where d.endpoint_id = ${endpoint} and d.account_id = ${accountId} and d.mode = ${mode}
      ${state === undefined ? sql`` : sql`and d.state = ${state}`}
      ${id === undefined ? sql`` : sql`and d.id = ${id}`}
      ${event === undefined ? sql`` : sql`and d.event_id = ${event}`}
      ${after === undefined ? sql`` : sql`and (d.created_at, d.id) < (${after.place}::text::timestamptz, ${after.id})`}
    order by d.created_at desc, d.id desc
    limit ${limit}`);
  return rows.map((row) => ({
    id: row.id,
    eventId: row.event_id,
    eventType: row.type,
    url: row.url,
    state: row.state,
    attempts: row.attempts,
    dueAt: row.due_at === null ? null : new Date(row.due_at),
    createdAt: new Date(row.created_at),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at),
    answers: row.answers,
    place: row.place,
  }));
}

/**
 * Delivers an event again, under the same id, for another 24 hours, once for the key of `write`: returns the earlier
 * request with this key, if there was one. A waiting delivery becomes due at once; a delivery that is being sent stays
 * so. False if there is none, or its endpoint is switched off.
 */
export async function replayWebhook(
  db: Database,
  owner: Owner,
  asked: { endpoint: string; delivery: string; write?: OwnWrite | undefined },
): Promise<boolean | EarlierWrite> {
  const { endpoint, delivery, write } = asked;
  const { accountId, mode } = owner;
  const claim = claimJson(owner, write && { ...write, subject: delivery });
  const [row] = await db.answer(db.sql<{ earlier: ClaimRow; replayed: boolean }[]>`
    with claim as materialized (
      select case when ${claim}::text is not null then claim_write(${claim}::text::jsonb) end as earlier
    ), replayed as (
      update webhook_deliveries d
      set state = case when d.state = 'sending' then d.state else 'pending' end,
        due_at = clock_timestamp(), expires_at = clock_timestamp() + interval '24 hours', ended_at = null
      from webhook_endpoints w, claim c
      where c.earlier is null and w.id = d.endpoint_id and w.off_since is null and d.id = ${delivery}
        and d.endpoint_id = ${endpoint} and d.account_id = ${accountId} and d.mode = ${mode}
      returning 1 as one)
    select (select earlier from claim) as earlier, exists (select 1 from replayed) as replayed`);
  const earlier = write && earlierIn(row?.earlier ?? null, write);
  if (earlier && earlier.requestId !== write?.requestId) return earlier;
  return row?.replayed === true || earlier !== undefined;
}

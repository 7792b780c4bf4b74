import type { Database } from "./client.ts";
import { DatabaseError } from "./errors.ts";
import {
  type ClaimRow,
  type EarlierWrite,
  type OwnWrite,
  claimJson,
  earlierIn,
  releaseWrite,
  withdrawnClaim,
} from "./own-writes.ts";
import type { Owner } from "./owner.ts";
import type { Mode } from "./schema.ts";

/** The addresses that receive an account's events. */

export interface WebhookEndpoint {
  id: string;
  /** Null for the endpoint `direct`, which stands for the addresses that single jobs and batches name. */
  url: string | null;
  description: string;
  events: string[];
  dropped: number;
  /** Deliveries that wait or are being sent. */
  pending: number;
  failingSince: Date | null;
  offSince: Date | null;
  offReason: "owner" | "failing" | "gone" | null;
  formerUntil: Date | null;
  createdAt: Date;
}

/** Limit of registered endpoints of an account and mode. */
export const mostEndpoints = 20;

interface Row {
  id: string;
  url: string | null;
  description: string;
  events: string[];
  dropped: number;
  pending: number;
  failing_since: number | null;
  off_since: number | null;
  off_reason: WebhookEndpoint["offReason"];
  former_until: number | null;
  created_at: number;
}

const dateOf = (ms: number | null) => (ms === null ? null : new Date(ms));

const endpointOf = (row: Row): WebhookEndpoint => ({
  id: row.id,
  url: row.url,
  description: row.description,
  events: row.events,
  dropped: row.dropped,
  pending: row.pending,
  failingSince: dateOf(row.failing_since),
  offSince: dateOf(row.off_since),
  offReason: row.off_reason,
  formerUntil: dateOf(row.former_until),
  createdAt: new Date(row.created_at),
});

/** Endpoints of an account and mode, oldest first, or only the one with this id. */
export async function webhookEndpoints(
  db: Database,
  { accountId, mode }: Owner,
  id?: string,
): Promise<WebhookEndpoint[]> {
  const { sql } = db;
  const rows = await db.answer(sql<Row[]>`
    select w.id, w.url, w.description, to_json(w.events) as events, w.dropped, w.off_reason,
      extract(epoch from w.failing_since)::float8 * 1000 as failing_since,
      extract(epoch from w.off_since)::float8 * 1000 as off_since,
      extract(epoch from w.created_at)::float8 * 1000 as created_at,
      case when w.former_until > clock_timestamp()
        then extract(epoch from w.former_until)::float8 * 1000 end as former_until,
      (select count(*) from webhook_deliveries d
        where d.endpoint_id = w.id and d.account_id = w.account_id and d.mode = w.mode
          and d.state in ('pending', 'sending')) as pending
    from webhook_endpoints w
    where w.account_id = ${accountId} and w.mode = ${mode}
      ${id === undefined ? sql`` : sql`and w.id = ${id}`}
    order by w.created_at, w.id`);
  return rows.map(endpointOf);
}

/** Id of the endpoint `direct`; undefined before its first secret. */
export async function directEndpoint(
  db: Database,
  { accountId, mode }: Owner,
): Promise<string | undefined> {
  const [row] = await db.answer(db.sql<{ id: string }[]>`
    select id from webhook_endpoints
    where account_id = ${accountId} and mode = ${mode} and coalesce(url, '') = ''`);
  return row?.id;
}

/** The account and mode of an endpoint. */
export async function webhookOwner(db: Database, id: string): Promise<Owner | undefined> {
  const [row] = await db.answer(db.sql<{ account_id: number; mode: Mode }[]>`
    select account_id, mode from webhook_endpoints where id = ${id}`);
  return row && { accountId: row.account_id, mode: row.mode };
}

export interface NewEndpoint {
  id: string;
  url: string | null;
  description: string;
  events: readonly string[];
  secret: Buffer;
  /** Unix time in milliseconds, on the clock of the database, from which on it is not added. */
  notAfter?: number | undefined;
}

/**
 * Idempotent by the id, and by the key of `write`: returns the earlier request with this key, if there was one.
 * DatabaseError `endpoint_limit`, `key_reused`, or `endpoint_exists` if the address is registered already.
 */
export async function addWebhookEndpoint(
  db: Database,
  owner: Owner,
  { id, url, description, events, secret, notAfter }: NewEndpoint,
  write?: OwnWrite,
): Promise<EarlierWrite | undefined> {
  const { accountId, mode } = owner;
  const claim = claimJson(owner, write && { ...write, subject: id, secret, notAfter });
  // With `offset 0` the key is claimed once, before the endpoint is added.
  const [row] = await db.answer(db.sql<{ earlier: ClaimRow; outcome: string | null }[]>`
    select c.earlier, case when c.earlier is null or c.earlier ->> 'subject' = ${id} then
      add_webhook_endpoint(${id}, ${accountId}, ${mode}, ${url}, ${description},
        array(select jsonb_array_elements_text(${JSON.stringify(events)}::text::jsonb)),
        ${secret}, ${mostEndpoints}, ${notAfter ?? null}) end as outcome
    from (select case when ${claim}::text is not null then claim_write(${claim}::text::jsonb) end as earlier
      offset 0) c`);
  const earlier = write && earlierIn(row?.earlier ?? null, write);
  if (earlier && earlier.subject !== id) return earlier;
  if (row?.outcome !== "added" && write) await releaseWrite(db, owner, write);
  if (row?.outcome === "late")
    throw new DatabaseError("unavailable", "An endpoint came too late to be added.");
  if (row?.outcome === "endpoint_limit") {
    const message = `At most ${mostEndpoints} endpoints can be registered.`;
    throw new DatabaseError("endpoint_limit", message);
  }
  if (row?.outcome !== "added")
    throw new DatabaseError("endpoint_exists", "The address is registered already.");
  return undefined;
}

export interface EndpointChange {
  url?: string | undefined;
  description?: string | undefined;
  events?: readonly string[] | undefined;
  enabled?: boolean | undefined;
}

/** False if there is no such endpoint. DatabaseError `endpoint_exists` if another one has the address. */
export async function changeWebhookEndpoint(
  db: Database,
  { accountId, mode }: Owner,
  id: string,
  change: EndpointChange,
): Promise<boolean> {
  const input = JSON.stringify(change);
  const [row] = await db.answer(db.sql<{ outcome: string }[]>`
    select change_webhook_endpoint(${id}, ${accountId}, ${mode}, ${input}::text::jsonb) as outcome`);
  if (row?.outcome === "endpoint_exists")
    throw new DatabaseError("endpoint_exists", "The address is registered already.");
  return row?.outcome === "changed";
}

/** Removes an endpoint with its log and its pending deliveries; false if there is none. */
export async function removeWebhookEndpoint(
  db: Database,
  { accountId, mode }: Owner,
  id: string,
): Promise<boolean> {
  const rows = await db.answer(db.sql`
    delete from webhook_endpoints
    where id = ${id} and account_id = ${accountId} and mode = ${mode} and url is not null
    returning 1 as one`);
  return rows.length > 0;
}

/**
 * Removes an endpoint whose registration had no answer, unless a repeated request with its key had one; false if
 * there is nothing to undo.
 */
export async function withdrawWebhookEndpoint(
  db: Database,
  owner: Owner,
  id: string,
  write?: OwnWrite,
): Promise<boolean> {
  const { accountId, mode } = owner;
  const [row] = await db.answer(db.sql<{ done: boolean }[]>`
    with ${withdrawnClaim(db, owner, write)}, undone as (
      delete from webhook_endpoints
      where id = ${id} and account_id = ${accountId} and mode = ${mode}
        and not exists (select 1 from claimed where answered)
      returning 1 as one)
    select exists (select 1 from undone) or exists (select 1 from claimed where answered) as done`);
  return row?.done === true;
}

export interface NewSecret {
  id: string;
  secret: Buffer;
  /** As of a new endpoint. */
  notAfter?: number | undefined;
}

/**
 * Replaces the secret; the former one signs as well for `overlapMs`. A repetition with the same secret, or the key of
 * an earlier `write`, changes nothing; the latter returns that write. False if there is no such endpoint, or too late.
 */
export async function rotateWebhookSecret(
  db: Database,
  owner: Owner,
  { id, secret, notAfter }: NewSecret,
  overlapMs: number,
  write?: OwnWrite,
): Promise<boolean | EarlierWrite> {
  const { accountId, mode } = owner;
  const claim = claimJson(owner, write && { ...write, subject: id, secret, notAfter });
  const [row] = await db.answer(db.sql<{ earlier: ClaimRow; rotated: boolean }[]>`
    with claim as materialized (
      select case when ${claim}::text is not null then claim_write(${claim}::text::jsonb) end as earlier
    ), rotated as (
      update webhook_endpoints w
      set former_secret = case when w.secret = ${secret} then w.former_secret else w.secret end,
        former_until = case when w.secret = ${secret} then w.former_until
          else clock_timestamp() + ${overlapMs} * interval '1 ms' end,
        secret = ${secret}
      from claim c
      where c.earlier is null and w.id = ${id} and w.account_id = ${accountId} and w.mode = ${mode}
        and (w.secret = ${secret} or coalesce(clock_timestamp() < to_timestamp(${notAfter ?? null}::float8 / 1000), true))
      returning 1 as one)
    select (select earlier from claim) as earlier, exists (select 1 from rotated) as rotated`);
  const earlier = write && earlierIn(row?.earlier ?? null, write);
  if (earlier && earlier.requestId !== write?.requestId) return earlier;
  return row?.rotated === true || earlier !== undefined;
}

/**
 * Puts the former secret back in place of a new one that its caller did not receive, as `withdrawWebhookEndpoint`. A
 * secret before the former one signs no more.
 */
export async function withdrawWebhookSecret(
  db: Database,
  owner: Owner,
  { id, secret }: NewSecret,
  write?: OwnWrite,
): Promise<boolean> {
  const { accountId, mode } = owner;
  const [row] = await db.answer(db.sql<{ done: boolean }[]>`
    with ${withdrawnClaim(db, owner, write)}, undone as (
      update webhook_endpoints w
      set secret = w.former_secret, former_secret = null, former_until = null
      where w.id = ${id} and w.account_id = ${accountId} and w.mode = ${mode}
        and w.secret = ${secret} and w.former_secret is not null
        and not exists (select 1 from claimed where answered)
      returning 1 as one)
    select exists (select 1 from undone) or exists (select 1 from claimed where answered) as done`);
  return row?.done === true;
}

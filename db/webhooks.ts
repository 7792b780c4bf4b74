import { hash } from "node:crypto";
import type { Database } from "./client.ts";
import { retried } from "./retry.ts";
import type { Mode } from "./schema.ts";

/** An event that an account's endpoints receive. */
export interface WebhookEvent {
  accountId: number;
  mode: Mode;
  type: string;
  /**
   * Identity of the event within account, mode and type: an event with the same subject is emitted once,
   * however often it is repeated.
   */
  subject: string;
  /** Ids and states, never results or keys. */
  data: Readonly<Record<string, unknown>>;
  /** Address that receives the event besides the endpoints that are registered for its type. */
  url?: string | undefined;
  /** Id of the job or batch that may have an address of its own; see `nameWebhookAddress`. */
  addressOf?: string | undefined;
  /** The only endpoint that receives the event. */
  endpoint?: string | undefined;
}

/** Id of an event as `emit_webhooks` derives it; sent in the header `webhook-id`. */
export function eventIdOf({ accountId, mode, type, subject }: WebhookEvent): string {
  const text = [accountId, mode, type, subject].join("/");
  return `evt_${hash("sha256", text).slice(0, 32)}`;
}

/** Limit of pending deliveries of an account and mode; further events are counted and discarded. */
export const mostPending = 10_000;

/**
 * Stores deliveries of events; returns how many. Call it right after the change that the event reports, or
 * call `emit_webhooks` in the statement of the change. Idempotent.
 */
export async function emitWebhooks(db: Database, events: readonly WebhookEvent[]): Promise<number> {
  if (events.length === 0) return 0;
  const input = JSON.stringify(
    events.map(({ accountId, mode, type, subject, data, url, addressOf, endpoint }) => ({
      account_id: accountId,
      mode,
      type,
      subject,
      data,
      url,
      address_of: addressOf,
      endpoint,
    })),
  );
  const [row] = await retried(() =>
    db.answer(
      db.sql<{ made: number }[]>`
        select emit_webhooks(jsonb_agg(e.event || coalesce(a.named, '{}')), ${mostPending}) as made
        from jsonb_array_elements(${input}::text::jsonb) e (event)
          left join lateral (
            select jsonb_build_object('url', a.url) as named from webhook_addresses a
            where a.subject = e.event ->> 'address_of' and a.mode = e.event ->> 'mode'
              and a.account_id = (e.event ->> 'account_id')::bigint
          ) a on true`,
    ),
  );
  return row?.made ?? 0;
}

/** Registers an address that receives the events of one job or batch as well. */
export async function nameWebhookAddress(
  db: Database,
  { accountId, mode }: { accountId: number; mode: Mode },
  subject: string,
  url: string,
): Promise<void> {
  await retried(() =>
    db.answer(db.sql`
      insert into webhook_addresses (subject, account_id, mode, url)
      values (${subject}, ${accountId}, ${mode}, ${url}) on conflict do nothing`),
  );
}

/** One attempt that is due. */
export interface DueWebhook {
  delivery: string;
  attempt: number;
  event: string;
  endpoint: string;
  account: string;
  url: string;
  body: string;
  secret: Buffer;
  /** Signs as well during the overlap with its successor. */
  former_secret: Buffer | null;
}

/** Leases due attempts; an attempt without a result when its lease expires is due again. */
export async function takeWebhooks(
  db: Database,
  bounds: { perLane: number; atMost: number; leaseMs: number },
): Promise<DueWebhook[]> {
  return db.answer(
    db.sql<DueWebhook[]>`
      select t.*, d.endpoint_id as endpoint, d.account_id::text as account
      from take_webhooks(${bounds.perLane}, ${bounds.atMost}, ${bounds.leaseMs} * interval '1 ms') t
        join webhook_deliveries d on d.id = t.delivery`,
  );
}

/** Renews the leases of attempts that are being sent. */
export async function leaseWebhooks(
  db: Database,
  attempts: readonly { delivery: string; attempt: number }[],
  leaseMs: number,
): Promise<void> {
  const input = JSON.stringify(attempts.map(({ delivery, attempt }) => ({ delivery, attempt })));
  await retried(() =>
    db.answer(db.sql`
      update webhook_deliveries d set leased_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
      from jsonb_to_recordset(${input}::text::jsonb) as a (delivery text, attempt integer)
      where d.id = a.delivery and d.attempts = a.attempt and d.state = 'sending'`),
  );
}

export interface WebhookResult {
  delivery: string;
  attempt: number;
  delivered: boolean;
  /** The receiver reports that it is gone for good (410). */
  gone: boolean;
  pause_ms: number;
  /** The entry of the log. */
  told: Readonly<Record<string, unknown>>;
}

/** Stores the results of attempts; returns the ids of endpoints that were switched off because of them. */
export async function recordWebhooks(
  db: Database,
  results: readonly WebhookResult[],
): Promise<string[]> {
  const rows = await db.answer(
    db.sql<{ endpoint: string }[]>`
      select endpoint from record_webhooks(${JSON.stringify(results)}::text::jsonb)`,
  );
  return rows.map((row) => row.endpoint);
}

const logKeptMs = 7 * 24 * 3600_000;
const pruneBatch = 500;

/** Deletes addresses and events older than the log; returns the number of events. */
export async function pruneWebhooks(db: Database, keptMs: number = logKeptMs): Promise<number> {
  await db.answer(
    db.sql`
      delete from webhook_addresses where subject in (
        select a.subject from webhook_addresses a
        where a.created_at <= now() - ${keptMs} * interval '1 ms'
        limit ${pruneBatch} for update skip locked)`,
    10_000,
  );
  for (let total = 0; ;) {
    const rows = await db.answer(
      db.sql`
        delete from webhook_events where id in (
          select e.id from webhook_events e
          where e.created_at <= now() - ${keptMs} * interval '1 ms'
            and not exists (select 1 from webhook_deliveries d
              where d.event_id = e.id and d.state in ('pending', 'sending'))
          limit ${pruneBatch} for update skip locked)
        returning 1 as one`,
      10_000,
    );
    total += rows.length;
    if (rows.length < pruneBatch) return total;
  }
}

import { hash } from "node:crypto";
import type { Database } from "./client.ts";
import { repeated } from "./repeat.ts";
import type { Mode } from "./schema.ts";

/** What somebody is to be told of. */
export interface WebhookEvent {
  accountId: number;
  mode: Mode;
  type: string;
  /**
   * What it tells of, once: an event of the same account, mode, type and subject is the same event,
   * however often it is emitted.
   */
  subject: string;
  /** Ids and states, never results or keys. */
  data: Readonly<Record<string, unknown>>;
  /** Where it goes besides the endpoints that are registered for its type. */
  url?: string;
  /** Id of the job or batch whose own address that is, if it has one; see `nameWebhookAddress`. */
  addressOf?: string;
  /** The one endpoint that it goes to. */
  endpoint?: string;
}

/** Id of an event as `emit_webhooks` derives it; stands in the header `webhook-id`. */
export function eventIdOf({ accountId, mode, type, subject }: WebhookEvent): string {
  const text = [accountId, mode, type, subject].join("/");
  return `evt_${hash("sha256", text).slice(0, 32)}`;
}

/** Most deliveries of an account and mode that may wait; events beyond are counted and not kept. */
export const mostPending = 10_000;

/**
 * Writes down what is to be delivered; returns how many deliveries that makes. Right after the change
 * that is told of, or in its statement by `emit_webhooks`; may be repeated.
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
  const [row] = await repeated(() =>
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

/** Has the events of a job or batch sent to an address of its own as well. */
export async function nameWebhookAddress(
  db: Database,
  { accountId, mode }: { accountId: number; mode: Mode },
  subject: string,
  url: string,
): Promise<void> {
  await repeated(() =>
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
  url: string;
  body: string;
  secret: Buffer;
  /** Signs as well, while it overlaps with its successor. */
  former_secret: Buffer | null;
}

/** Takes up attempts that are due; each is taken again when nothing is heard of it within the lease. */
export async function takeWebhooks(
  db: Database,
  bounds: { perLane: number; atMost: number; leaseMs: number },
): Promise<DueWebhook[]> {
  return db.answer(
    db.sql<DueWebhook[]>`
      select t.*, d.endpoint_id as endpoint
      from take_webhooks(${bounds.perLane}, ${bounds.atMost}, ${bounds.leaseMs} * interval '1 ms') t
        join webhook_deliveries d on d.id = t.delivery`,
  );
}

/** Says that these attempts are under way, for the time of a lease from now. */
export async function leaseWebhooks(
  db: Database,
  attempts: readonly { delivery: string; attempt: number }[],
  leaseMs: number,
): Promise<void> {
  const input = JSON.stringify(attempts.map(({ delivery, attempt }) => ({ delivery, attempt })));
  await repeated(() =>
    db.answer(db.sql`
      update webhook_deliveries d set leased_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
      from jsonb_to_recordset(${input}::text::jsonb) as a (delivery text, attempt integer)
      where d.id = a.delivery and d.attempts = a.attempt and d.state = 'sending'`),
  );
}

export interface HeardWebhook {
  delivery: string;
  attempt: number;
  delivered: boolean;
  /** The receiver says that it will never be there again. */
  gone: boolean;
  pause_ms: number;
  /** What the log keeps. */
  told: Readonly<Record<string, unknown>>;
}

/** Writes down how attempts ended; returns the ids of endpoints that were switched off for it. */
export async function recordWebhooks(
  db: Database,
  heard: readonly HeardWebhook[],
): Promise<string[]> {
  const rows = await db.answer(
    db.sql<{ endpoint: string }[]>`
      select endpoint from record_webhooks(${JSON.stringify(heard)}::text::jsonb)`,
  );
  return rows.map((row) => row.endpoint);
}

const logKeptMs = 7 * 24 * 3600_000;
const pruneBatch = 500;

/** Deletes what is older than the log goes back; returns how many events. */
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

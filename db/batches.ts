import { type CallStoreOptions, defaultGraceMs, defaultReplayMs } from "./calls.ts";
import type { Database } from "./client.ts";
import { repeated } from "./repeat.ts";
import type { Mode } from "./schema.ts";

/** Batches as a whole: received, looked at, cancelled, tried again, removed. */

export type BatchState = "receiving" | "running" | "cancelling" | "cancelled" | "ended";

export interface BatchRow {
  id: number;
  publicId: string;
  accountId: number;
  mode: Mode;
  keyId: string;
  version: string;
  scenario: string | null;
  state: BatchState;
  pools: string[];
  maxCredits: number | null;
  /** Members of the records of its items, joined by commas; null where all are asked for. */
  fields: string | null;
  total: number;
  queued: number;
  running: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  held: number;
  charged: number;
  sequence: number;
  /** Times are unix milliseconds, by the database's clock. */
  createdAt: number;
  beganAt: number | null;
  beganWith: number;
  endedAt: number | null;
}

/** With what its account has left in its mode. */
export interface SeenBatch extends BatchRow {
  available: number;
}

/** A batch that is carried out. */
export interface OpenBatch extends SeenBatch {
  accountName: string;
}

export interface NewBatch {
  publicId: string;
  accountId: number;
  mode: Mode;
  keyId: string;
  version: string;
  scenario: string | undefined;
  idempotencyKey: string | undefined;
  /** The process that receives it. */
  owner: string;
}

export interface NewItem {
  number: number;
  pool: string;
  operation: string;
  custom_id: string;
  input: string;
  minimum: number;
  most: number;
  lasts_ms: number;
}

/** What a key remembers of the batch that it named. */
export interface KnownBatch {
  publicId: string;
  /** Undefined while the batch is received. */
  answer: string | undefined;
  fingerprint: string | undefined;
}

interface KnownRow {
  publicId: string | null;
  answer: string | null;
  fingerprint: string | null;
}

const known = (row: KnownRow & { publicId: string }): KnownBatch => ({
  publicId: row.publicId,
  answer: row.answer ?? undefined,
  fingerprint: row.fingerprint ?? undefined,
});

export interface Owner {
  accountId: number;
  mode: Mode;
}

export interface Load {
  open: number;
  kept: number;
  available: number;
}

export type BatchStore = ReturnType<typeof batchStore>;

export function batchStore(
  db: Database,
  { graceMs = defaultGraceMs, replayMs = defaultReplayMs }: CallStoreOptions = {},
) {
  const { sql } = db;
  const columns = sql`
    b.id, b.public_id as "publicId", b.account_id as "accountId", b.mode, b.key_id as "keyId",
    b.version, b.scenario, b.state, b.pools, b.max_credits as "maxCredits", b.fields, b.total,
    b.queued, b.running, b.succeeded, b.failed, b.cancelled, b.held, b.charged, b.sequence,
    b.began_with as "beganWith", extract(epoch from b.created_at)::float8 * 1000 as "createdAt",
    extract(epoch from b.began_at)::float8 * 1000 as "beganAt",
    extract(epoch from b.ended_at)::float8 * 1000 as "endedAt"`;
  const available = sql`c.balance - c.held as available`;
  const joinBalances = sql`join balances c on c.account_id = b.account_id and c.mode = b.mode`;

  /** What an account and mode has open, what its answers and batches take at rest, and its credits. */
  async function load({ accountId, mode }: Owner): Promise<Load> {
    const [row] = await db.answer(sql<Load[]>`
      select a.balance - a.held as available, (select count(*)::int from batches b where b.account_id = ${accountId} and b.mode = ${mode}
          and b.state in ('receiving', 'running', 'cancelling')) as open,
        coalesce((select bytes from kept_bytes k
          where k.account_id = ${accountId} and k.mode = ${mode}), 0)::int8 as kept
      from balances a where a.account_id = ${accountId} and a.mode = ${mode}`);
    return row as Load;
  }

  /** Begins a batch; answers its id, or the batch that has the key already, or that a call has it. */
  async function create(batch: NewBatch): Promise<{ id: number } | KnownBatch | "of a call"> {
    const [made] = await db.answer(sql<({ id: number } | (KnownRow & { id: null }))[]>`
      select id, public_id as "publicId", answer, fingerprint from create_batch(
        ${batch.publicId}, ${batch.accountId}, ${batch.mode}, ${batch.keyId}, ${batch.version},
        ${batch.scenario ?? null}, ${batch.idempotencyKey ?? null}, ${batch.owner},
        ${graceMs} * interval '1 ms', ${replayMs} * interval '1 ms')`);
    if (made === undefined) throw new Error("A batch was neither begun nor found.");
    if (made.id !== null) return { id: made.id };
    return made.publicId === null ? "of a call" : known({ ...made, publicId: made.publicId });
  }

  async function find(owner: Owner, key: string): Promise<KnownBatch | undefined> {
    const [row] = await db.answer(sql<(KnownRow & { publicId: string })[]>`
      select public_id as "publicId", answer, fingerprint from batches b
      where b.account_id = ${owner.accountId} and b.mode = ${owner.mode} and b.idempotency_key = ${key}`);
    return row && known(row);
  }

  /** Items of a batch that is being received; without effect when repeated. */
  async function add(id: number, items: readonly NewItem[]): Promise<void> {
    await repeated(() =>
      db.answer(
        sql`
        insert into batch_items
          (batch_id, number, pool, operation, custom_id, input, minimum, most, lasts_ms)
        select ${id}, i.* from jsonb_to_recordset(${JSON.stringify(items)}::text::jsonb) as i (
          number integer, pool text, operation text, custom_id text, input text, minimum integer,
          most integer, lasts_ms integer)
        on conflict do nothing`,
        10_000,
      ),
    );
  }

  /** From here on its items are carried out. */
  async function accept(
    id: number,
    accepted: {
      total: number;
      pools: readonly string[];
      maxCredits: number | undefined;
      fields: readonly string[] | undefined;
      fingerprint: string | undefined;
      bytes: number;
      answer(batch: BatchRow): string;
    },
  ): Promise<void> {
    const { total, bytes } = accepted;
    const fields = accepted.fields?.join(",") ?? null;
    const [row] = await db.answer(
      sql<BatchRow[]>`select ${columns} from batches b where b.id = ${id}`,
    );
    const answer = accepted.answer({
      ...(row as BatchRow),
      total,
      queued: total,
      maxCredits: accepted.maxCredits ?? null,
      fields,
    });
    await repeated(() =>
      db.answer(sql`
        with accepted as (
          update batches b set state = 'running', answer = ${answer}, total = ${total}, queued = ${total},
            pools = string_to_array(${accepted.pools.join(" ")}, ' '),
            max_credits = ${accepted.maxCredits ?? null}, fields = ${fields},
            fingerprint = ${accepted.fingerprint ?? null}, kept = ${bytes}, began_at = clock_timestamp()
          where b.id = ${id} and b.state = 'receiving' returning b.account_id, b.mode, b.kept
        )
        insert into kept_changes (account_id, mode, bytes) select account_id, mode, kept from accepted`),
    );
  }

  /** Forgets a batch that was not accepted, and its key. */
  async function discard(id: number): Promise<void> {
    await db.answer(sql`delete from batch_items where batch_id = ${id}`, 10_000);
    await db.answer(sql`
      with gone as (
        delete from batches where id = ${id} and state = 'receiving'
        returning account_id, mode, idempotency_key, public_id
      )
      delete from replays r using gone g
      where r.account_id = g.account_id and r.mode = g.mode and r.key = g.idempotency_key
        and r.request_id = g.public_id`);
  }

  async function get(owner: Owner, publicId: string): Promise<SeenBatch | undefined> {
    const [row] = await db.answer(sql<SeenBatch[]>`
      select ${columns}, ${available} from batches b ${joinBalances}
      where b.public_id = ${publicId} and b.state <> 'receiving'
        and b.account_id = ${owner.accountId} and b.mode = ${owner.mode}`);
    return row;
  }

  /** For operators, who know a batch by its id alone. */
  async function ownerOf(publicId: string): Promise<Owner | undefined> {
    const [row] = await db.answer(sql<Owner[]>`
      select account_id as "accountId", mode from batches
      where public_id = ${publicId} and state <> 'receiving'`);
    return row;
  }

  /** The newest first, `limit` of them below `before`; `queued` are those of which nothing has begun. */
  async function list(
    { accountId, mode }: Owner,
    options: { limit: number; before?: number | undefined; state?: string | undefined },
  ): Promise<BatchRow[]> {
    const { limit, before = null, state = null } = options;
    return db.answer(sql<BatchRow[]>`
      select ${columns} from batches b
      where b.account_id = ${accountId} and b.mode = ${mode} and b.state <> 'receiving'
        and (${state}::text is null or ${state}::text = case
          when b.state = 'running' and b.running + b.succeeded + b.failed = 0 then 'queued'
          else b.state end)
        and (${before}::int8 is null or b.id < ${before}::int8)
      order by b.id desc limit ${limit}`);
  }

  /** Those that have something to carry out, or to stop; an account that is disabled has nothing carried out. */
  async function open(): Promise<OpenBatch[]> {
    return db.answer(sql<OpenBatch[]>`
      select ${columns}, ${available}, a.name as "accountName" from batches b ${joinBalances}
        join accounts a on a.id = b.account_id
      where b.state in ('running', 'cancelling') and (b.state = 'cancelling' or not a.disabled)
      order by b.id`);
  }

  /** Undefined where the account has no such batch. */
  async function cancel(owner: Owner, publicId: string): Promise<number | undefined> {
    const [row] = await repeated(() =>
      db.answer(
        sql<{ id: number | null }[]>`
          select cancel_batch(${publicId}, ${owner.accountId}, ${owner.mode}) as id`,
        10_000,
      ),
    );
    return row?.id ?? undefined;
  }

  /** Undefined where the account has no such batch; -1 where it was cancelled. */
  async function retry(owner: Owner, publicId: string): Promise<number | undefined> {
    const [row] = await db.answer(
      sql<{ id: number | null }[]>`
        select retry_batch(${publicId}, ${owner.accountId}, ${owner.mode}) as id`,
      10_000,
    );
    return row?.id ?? undefined;
  }

  return { load, create, find, add, accept, discard, get, ownerOf, list, open, cancel, retry };
}

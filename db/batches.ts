import type { BatchRow, Owner } from "./batch-rows.ts";
import { batchIntake } from "./batch-intake.ts";
import { defaultGraceMs, defaultReplayMs } from "./calls.ts";
import type { CallStoreOptions } from "./call-types.ts";
import type { Database } from "./client.ts";
import { DatabaseClock } from "./clock.ts";
import { retried } from "./retry.ts";

/** A batch with the available credits of its account and mode. */
export interface SeenBatch extends BatchRow {
  available: number;
}

/** A batch whose items are being carried out. */
export interface OpenBatch extends SeenBatch {
  accountName: string;
}

export interface Load {
  open: number;
  kept: number;
  available: number;
}

export type BatchStore = ReturnType<typeof batchStore>;

export function batchStore(
  db: Database,
  {
    graceMs = defaultGraceMs,
    replayMs = defaultReplayMs,
    clock = new DatabaseClock(),
  }: CallStoreOptions & { clock?: DatabaseClock } = {},
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

  /** Unfinished batches of an account and mode, the bytes of its stored answers, and its available credits. */
  async function load({ accountId, mode }: Owner): Promise<Load> {
    const [row] = await db.answer(sql<Load[]>`
      select a.balance - a.held as available, (select count(*)::int from batches b where b.account_id = ${accountId} and b.mode = ${mode}
          and b.state in ('receiving', 'running', 'cancelling')) as open,
        coalesce((select bytes from kept_bytes k
          where k.account_id = ${accountId} and k.mode = ${mode}), 0)::int8 as kept
      from balances a where a.account_id = ${accountId} and a.mode = ${mode}`);
    return row as Load;
  }

  async function get(owner: Owner, publicId: string): Promise<SeenBatch | undefined> {
    const [row] = await db.answer(sql<SeenBatch[]>`
      select ${columns}, ${available} from batches b ${joinBalances}
      where b.public_id = ${publicId} and b.state <> 'receiving'
        and b.account_id = ${owner.accountId} and b.mode = ${owner.mode}`);
    return row;
  }

  /** The owner of a batch, for operators, who have only its id. */
  async function ownerOf(publicId: string): Promise<Owner | undefined> {
    const [row] = await db.answer(sql<Owner[]>`
      select account_id as "accountId", mode from batches
      where public_id = ${publicId} and state <> 'receiving'`);
    return row;
  }

  /** Newest first, at most `limit`, with ids below `before`; a batch is `queued` until its first item starts. */
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

  /** Batches with items to carry out or to stop; those of a disabled account are only stopped. */
  async function open(): Promise<OpenBatch[]> {
    return db.answer(sql<OpenBatch[]>`
      select ${columns}, ${available}, a.name as "accountName" from batches b ${joinBalances}
        join accounts a on a.id = b.account_id
      where b.state in ('running', 'cancelling') and (b.state = 'cancelling' or not a.disabled)
      order by b.id`);
  }

  /** Undefined where the account has no such batch. */
  async function cancel(owner: Owner, publicId: string): Promise<number | undefined> {
    const [row] = await retried(() =>
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

  const intake = batchIntake(db, { columns, graceMs, replayMs, clock });
  return { load, ...intake, get, ownerOf, list, open, cancel, retry };
}

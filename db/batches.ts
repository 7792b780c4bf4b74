import { BatchIntake } from "./batch-intake.ts";
import type { BatchRow } from "./batch-rows.ts";
import type { Owner } from "./owner.ts";
import type { Sql } from "./client.ts";
import { retried } from "./retry.ts";

/** A batch with the available credits of its account and mode. */
export interface SeenBatch extends BatchRow {
  available: number;
}

/** A batch whose items are being carried out. */
export interface OpenBatch extends SeenBatch {
  accountName: string;
  /** Its items may not start yet, and the process that received it is gone. */
  isLeft: boolean;
  /** The rules of a crawl, which its items give to the worker, as JSON; null for another batch. */
  crawl: string | null;
}

export interface Load {
  open: number;
  kept: number;
  available: number;
}

/** A process that was frozen with both stores has noted by then which of its callers it refused. */
const leftMs = 20_000;

const joinBalances = (sql: Sql) =>
  sql`join balances c on c.account_id = b.account_id and c.mode = b.mode`;

/** Batches as a whole; the statements of their items are in batch-items.ts. */
export class BatchStore extends BatchIntake {
  /** Unfinished batches of an account and mode, the bytes of its stored answers, and its available credits. */
  async load({ accountId, mode }: Owner): Promise<Load> {
    const [row] = await this.db.answer(this.db.sql<Load[]>`
      select a.balance - a.held as available, (select count(*)::int from batches b where b.account_id = ${accountId} and b.mode = ${mode}
          and b.state in ('receiving', 'running', 'cancelling')) as open,
        coalesce((select bytes from kept_bytes k
          where k.account_id = ${accountId} and k.mode = ${mode}), 0)::int8 as kept
      from balances a where a.account_id = ${accountId} and a.mode = ${mode}`);
    return row as Load;
  }

  async get(owner: Owner, publicId: string): Promise<SeenBatch | undefined> {
    const [row] = await this.db.answer(this.db.sql<SeenBatch[]>`
      select ${this.columns}, c.balance - c.held as available
      from batches b ${joinBalances(this.db.sql)}
      where b.public_id = ${publicId} and b.state <> 'receiving'
        and b.account_id = ${owner.accountId} and b.mode = ${owner.mode}`);
    return row;
  }

  /** The owner of a batch, for operators, who have only its id. */
  async ownerOf(publicId: string): Promise<Owner | undefined> {
    const [row] = await this.db.answer(this.db.sql<Owner[]>`
      select account_id as "accountId", mode from batches
      where public_id = ${publicId} and state <> 'receiving'`);
    return row;
  }

  /** Newest first, at most `limit`, with ids below `before`; a batch is `queued` until its first item starts. */
  async list(
    { accountId, mode }: Owner,
    options: { limit: number; before?: number | undefined; state?: string | undefined },
  ): Promise<BatchRow[]> {
    const { limit, before = null, state = null } = options;
    return this.db.answer(this.db.sql<BatchRow[]>`
      select ${this.columns} from batches b
      where b.account_id = ${accountId} and b.mode = ${mode} and b.state <> 'receiving'
        and (${state}::text is null or ${state}::text = case
          when b.state = 'running' and b.running + b.succeeded + b.failed = 0 then 'queued'
          else b.state end)
        and (${before}::int8 is null or b.id < ${before}::int8)
      order by b.id desc limit ${limit}`);
  }

  /** Batches with items to carry out or to stop; those of a disabled account are only stopped. */
  async open(): Promise<OpenBatch[]> {
    return this.db.answer(this.db.sql<OpenBatch[]>`
      select ${this.columns}, c.balance - c.held as available, a.name as "accountName",
        (select w.rules::text from crawls w where w.batch_id = b.id) as crawl,
        b.state = 'running' and b.began_at is null and not exists (
          select 1 from job_owners o
          where o.id = b.owner and o.until > clock_timestamp() - ${leftMs} * interval '1 ms') as "isLeft"
      from batches b ${joinBalances(this.db.sql)} join accounts a on a.id = b.account_id
      where b.state in ('running', 'cancelling') and (b.state = 'cancelling' or not a.disabled)
      order by b.id`);
  }

  /** Undefined where the account has no such batch. */
  async cancel(owner: Owner, publicId: string): Promise<number | undefined> {
    const [row] = await retried(() =>
      this.db.answer(
        this.db.sql<{ id: number | null }[]>`
          select cancel_batch(${publicId}, ${owner.accountId}, ${owner.mode}) as id`,
        10_000,
      ),
    );
    return row?.id ?? undefined;
  }

  /**
   * Puts the failed items back, once for each `stepId`: the statement may be repeated. The batch belongs to
   * `keyId` from then on. `cancelled`: the batch was, or its key was revoked. `late`: `notAfter` had passed, and
   * nothing changed. Undefined where the account has no such batch.
   */
  async retry(
    { accountId, mode, keyId = null }: Owner & { keyId?: string | null | undefined },
    publicId: string,
    { stepId, notAfter }: { stepId?: string; notAfter?: number } = {},
  ): Promise<number | "cancelled" | "late" | undefined> {
    const query = () =>
      this.db.answer(
        this.db.sql<{ id: number | null }[]>`
          select retry_batch(${publicId}, ${accountId}, ${mode}, ${keyId},
            ${stepId ?? null}, ${this.there(notAfter)}) as id`,
        10_000,
      );
    const [row] = await (stepId === undefined ? query() : retried(query));
    if (row?.id === -1) return "cancelled";
    return row?.id === -2 ? "late" : (row?.id ?? undefined);
  }
}

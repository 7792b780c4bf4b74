import { monotonicNow } from "../runtime/monotonic.ts";
import { type BatchRow, batchColumns } from "./batch-rows.ts";
import type { Owner } from "./owner.ts";
import type { CallStoreOptions } from "./call-types.ts";
import { defaultGraceMs, defaultReplayMs } from "./calls.ts";
import { type Database, type Fragment, answerLimitMs } from "./client.ts";
import { DatabaseClock } from "./clock.ts";
import { DatabaseError } from "./errors.ts";
import { retried } from "./retry.ts";
import type { Mode } from "./schema.ts";

/** Batches on their way in: begun, filled, and accepted or discarded. */

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
  /** Unix time in milliseconds, on this process's steady clock, from which on it may no longer begin. */
  notAfter?: number | undefined;
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

/** A batch as its Idempotency-Key remembers it. */
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

/** `accepted`: it is a batch, and nothing was touched. `open`: it has not begun, and still may. */
export type Discarded = "gone" | "accepted" | "open";

export interface BatchStoreOptions extends CallStoreOptions {
  /** The measured clock of the calls; without it the two clocks count as equal. */
  clock?: DatabaseClock | undefined;
}

/** Statements of a batch until it is accepted or discarded. */
export class BatchIntake {
  protected readonly db: Database;
  protected readonly columns: Fragment;
  readonly #graceMs: number;
  readonly #replayMs: number;
  readonly #clock: DatabaseClock;

  constructor(
    db: Database,
    {
      graceMs = defaultGraceMs,
      replayMs = defaultReplayMs,
      clock = new DatabaseClock(),
    }: BatchStoreOptions = {},
  ) {
    this.db = db;
    this.columns = batchColumns(db.sql);
    this.#graceMs = graceMs;
    this.#replayMs = replayMs;
    this.#clock = clock;
  }

  /** Begins a batch; answers its id, or the batch that has the key already, or that a call has it. */
  async create(batch: NewBatch): Promise<{ id: number } | KnownBatch | "of a call"> {
    const [made] = await this.db.answer(this.db.sql<
      (({ id: number } | (KnownRow & { id: null })) & { late: boolean })[]
    >`
      select id, public_id as "publicId", answer, fingerprint, late from begin_batch(
        ${batch.publicId}, ${batch.accountId}, ${batch.mode}, ${batch.keyId}, ${batch.version},
        ${batch.scenario ?? null}, ${batch.idempotencyKey ?? null}, ${batch.owner},
        ${this.#graceMs} * interval '1 ms', ${this.#replayMs} * interval '1 ms', ${this.there(batch.notAfter)})`);
    if (made === undefined) throw new Error("A batch was neither begun nor found.");
    if (made.late) throw new DatabaseError("unavailable", "A batch came too late to begin.");
    if (made.id !== null) return { id: made.id };
    return made.publicId === null ? "of a call" : known({ ...made, publicId: made.publicId });
  }

  async find(owner: Owner, key: string): Promise<KnownBatch | undefined> {
    const [row] = await this.db.answer(this.db.sql<(KnownRow & { publicId: string })[]>`
      select public_id as "publicId", answer, fingerprint from batches b
      where b.account_id = ${owner.accountId} and b.mode = ${owner.mode} and b.idempotency_key = ${key}`);
    return row && known(row);
  }

  /** Items of a batch while it is being received; without effect when repeated. */
  async add(id: number, items: readonly NewItem[]): Promise<void> {
    await retried(() =>
      this.db.answer(
        this.db.sql`
        with receiving as (
          select b.id from batches b where b.id = ${id} and b.state = 'receiving' for share
        )
        insert into batch_items
          (batch_id, number, pool, operation, custom_id, input, minimum, most, lasts_ms)
        select r.id, i.* from receiving r,
          jsonb_to_recordset(${JSON.stringify(items)}::text::jsonb) as i (
            number integer, pool text, operation text, custom_id text, input text, minimum integer,
            most integer, lasts_ms integer)
        on conflict do nothing`,
        10_000,
      ),
    );
  }

  /**
   * Accepts the batch. With a key its items may start from here on, without one after `start`. After false, or a
   * DatabaseError, `discard` returns the outcome.
   */
  async accept(
    id: number,
    accepted: {
      total: number;
      pools: readonly string[];
      maxCredits: number | undefined;
      fields: readonly string[] | undefined;
      fingerprint: string | undefined;
      bytes: number;
      keyed: boolean;
      answer(batch: BatchRow): string;
    },
  ): Promise<boolean> {
    const { total, bytes, keyed } = accepted;
    const fields = accepted.fields?.join(",") ?? null;
    const [row] = await this.db.answer(
      this.db.sql<BatchRow[]>`select ${this.columns} from batches b where b.id = ${id}`,
    );
    if (!row) return false;
    const answer = accepted.answer({
      ...row,
      total,
      queued: total,
      maxCredits: accepted.maxCredits ?? null,
      fields,
    });
    const notAfter = this.there(monotonicNow() + answerLimitMs);
    const [done] = await retried(() =>
      this.db.answer(this.db.sql<{ accepted: boolean }[]>`
        with accepted as (
          update batches b set state = 'running', answer = ${answer}, total = ${total}, queued = ${total},
            pools = string_to_array(${accepted.pools.join(" ")}, ' '),
            max_credits = ${accepted.maxCredits ?? null}, fields = ${fields},
            fingerprint = ${accepted.fingerprint ?? null}, kept = ${bytes},
            began_at = case when ${keyed} then clock_timestamp() end
          where b.id = ${id} and b.state = 'receiving'
            and clock_timestamp() < to_timestamp(${notAfter}::float8 / 1000)
          returning b.account_id, b.mode, b.kept
        ), noted as (
          insert into kept_changes (account_id, mode, bytes) select account_id, mode, kept from accepted
        )
        select exists (select 1 from accepted) as accepted`),
    );
    return done?.accepted === true;
  }

  /** Lets the items of an accepted batch start. Idempotent. */
  async start(id: number): Promise<true> {
    await this.db.answer(this.db.sql`
      update batches set began_at = clock_timestamp()
      where id = ${id} and state = 'running' and began_at is null`);
    return true;
  }

  /** Discards a batch that is still being received, and frees its key. Idempotent. */
  discard(owner: Owner, publicId: string, notAfter?: number): Promise<Discarded> {
    return discardBatch(this.db, owner, publicId, { notAfter: this.there(notAfter) });
  }

  /** Discards a batch whose items may not start yet, accepted or not. Idempotent. */
  withdraw(owner: Owner, publicId: string): Promise<Discarded> {
    return discardBatch(this.db, owner, publicId, { acceptedToo: true });
  }

  /** The latest time of a statement at the database. */
  protected there(notAfter: number | undefined): number | null {
    return notAfter === undefined ? null : this.#clock.toDatabaseExactly(notAfter);
  }
}

/** `notAfter` is on the clock of the database. */
export async function discardBatch(
  db: Database,
  { accountId, mode }: Owner,
  publicId: string,
  {
    notAfter = null,
    acceptedToo = false,
  }: { notAfter?: number | null; acceptedToo?: boolean } = {},
): Promise<Discarded> {
  const [row] = await db.answer(db.sql<{ fate: Discarded }[]>`
    select discard_batch(${publicId}, ${accountId}, ${mode}, ${notAfter}, ${acceptedToo}) as fate`);
  return row?.fate ?? "gone";
}

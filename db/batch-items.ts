import type { CrawlFound, CrawlStep } from "../runtime/crawl.ts";
import { coalescedByLock } from "./coalesced-by-lock.ts";
import { defaultGraceMs } from "./calls.ts";
import type { Database } from "./client.ts";
import { DatabaseClock, type TimedRow, clockColumn, timedRows } from "./clock.ts";
import { texts } from "./job-rows.ts";
import { afterLockWait, lockWait } from "./lock-wait.ts";
import { retried } from "./retry.ts";

/** Items of batches, from their start to their line in the results. */

export interface StartedItem {
  /** `refused`: too few credits for its minimum. `lost`: its hold is gone, so the item is to be put back. */
  kind: "held" | "refused" | "lost";
  batchId: number;
  number: number;
  requestId: string;
  operation: string;
  /** JSON. */
  input: string;
  /** How often the item was put back. */
  tries: number;
  /** Credits set aside. */
  amount: number;
  /** Unix time in milliseconds, on this process's steady clock. */
  deadline: number;
  available: number;
  /** Set for an item of a crawl. */
  crawl?: CrawlStep | undefined;
}

export interface ItemEnd {
  batchId: number;
  number: number;
  requestId: string;
  /** `again` puts the item back as a new call. */
  outcome: "settle" | "fail" | "again";
  status: number;
  errorType?: string | undefined;
  credits: number;
  records: number;
  truncated: boolean;
  durationMs: number;
  /** Compressed; empty where the answer is stored in parts. */
  body: Buffer;
  parts: number;
  /** Bytes of body and parts. */
  kept: number;
  /** Pause before an item that is put back may start again, in milliseconds. */
  pauseMs?: number | undefined;
  /** An item that is put back although nothing was tried. */
  isUncounted?: boolean | undefined;
  /** Addresses and names that an item of a crawl found. */
  found?: CrawlFound | undefined;
}

export interface EndedItem {
  kind: "ended" | "dropped" | "cancelled" | "again" | "expired" | "gone";
  credits: number | null;
  sequence: number | null;
  /** The batch has ended with this item. */
  batch_ended: boolean;
}

export interface ResultRow {
  sequence: number;
  customId: string;
  requestId: string;
  status: number;
  credits: number;
  records: number;
  truncated: boolean;
  available: number | null;
  body: Buffer;
  parts: number;
}

interface StartedRow extends TimedRow {
  kind: "held" | "refused" | "lost" | "wait";
  batch_id?: number;
  number: number;
  request_id: string;
  operation: string;
  input: string;
  tries: number;
  amount: number | null;
  deadline: number | null;
  available: number | null;
  crawl: string | null;
}

export interface ItemStoreOptions {
  /** A hold can be settled until this long after its deadline, in milliseconds. */
  graceMs?: number | undefined;
}

/** Statements of batch items may take longer than those of a waiting caller. */
const limitMs = 10_000;
/** Items that end within this time share one statement, which costs more than its rows. */
const gatherMs = 5;
export const partBytes = 256 * 1024;

export class ItemStore {
  readonly #db: Database;
  readonly #graceMs: number;
  readonly #clock = new DatabaseClock();
  /** One statement settles or releases all items that ended since the previous one, and emits their events. */
  readonly end: (end: ItemEnd) => Promise<EndedItem>;

  constructor(db: Database, { graceMs = defaultGraceMs }: ItemStoreOptions = {}) {
    this.#db = db;
    this.#graceMs = graceMs;
    this.end = coalescedByLock({
      lockOf: ({ batchId }: ItemEnd) => batchId,
      run: (ends, lockMs) =>
        db.answer(
          db.sql<EndedItem[]>`
            select f.* from ${lockWait(db.sql, lockMs)}
              cross join lateral end_batch_items(${afterLockWait(db.sql, endInput(ends))}, ${graceMs} * interval '1 ms') f`,
          limitMs,
        ),
      weigh: ({ body }) => body.length + 300,
      limitMs,
      gatherMs,
      yields: true,
    });
  }

  /**
   * Starts up to `atMost` waiting items with numbers above `behind`, in their order; `waits` when more would
   * start if running items released credits.
   */
  async start(
    batchId: number,
    pool: string,
    atMost: number,
    owner: string,
    behind: number,
  ): Promise<{ items: StartedItem[]; waits: boolean }> {
    const rows = await this.#timed(this.#db.sql<StartedRow[]>`
      select *, ${clockColumn(this.#db.sql)} from start_batch_items(${batchId}, ${pool}, ${atMost}, ${owner},
        ${this.#graceMs} * interval '1 ms', ${behind}, true)`);
    return {
      items: rows
        .filter(({ kind }) => kind !== "wait")
        .map((row) => startedItemOf(this.#clock, row, batchId)),
      waits: rows.some(({ kind }) => kind === "wait"),
    };
  }

  /** Takes over the items of processes whose lease has expired. */
  async adopt(owner: string, atMost: number): Promise<StartedItem[]> {
    const rows = await this.#timed(this.#db.sql<StartedRow[]>`
      select *, ${clockColumn(this.#db.sql)} from adopt_batch_items(${owner}, ${atMost}, true)`);
    return rows.map((row) => startedItemOf(this.#clock, row, row.batch_id as number));
  }

  /** Items that the database assigns to a process, without those that the process carries out, by request id. */
  async uncarried(owner: string, carried: readonly string[]): Promise<StartedItem[]> {
    const { sql } = this.#db;
    const rows = await this.#timed(sql<StartedRow[]>`
      select i.batch_id, case when h.id is null then 'lost' else 'held' end as kind, i.number,
        r.id as request_id, i.operation, i.input, i.tries, h.amount,
        extract(epoch from h.deadline)::float8 * 1000 as deadline, null::bigint as available,
        i.crawl::text as crawl, ${clockColumn(sql)}
      from batch_items i join batches b on b.id = i.batch_id
        cross join lateral (select item_request_id(b.public_id, i.number, i.attempt) as id offset 0) r
        left join lateral (
          select * from holds h where h.id = r.id and h.state = 'open' offset 0) h on true
      where i.owner = ${owner}
        and not exists (select from unnest(${texts(sql, carried)}) c (id) where c.id = r.id)`);
    return rows.map((row) => startedItemOf(this.#clock, row, row.batch_id as number));
  }

  /** Writes a large answer ahead of the end that points to it. */
  async storePart(batchId: number, requestId: string, part: number, bytes: Buffer) {
    await retried(() =>
      this.#db.answer(
        this.#db.sql`
          insert into batch_parts (batch_id, request_id, part, bytes)
          values (${batchId}, ${requestId}, ${part}, ${bytes})
          on conflict (batch_id, request_id, part) do update set bytes = excluded.bytes`,
        limitMs,
      ),
    );
  }

  async part(batchId: number, requestId: string, number: number): Promise<Buffer | undefined> {
    const [row] = await this.#db.answer(
      this.#db.sql<{ bytes: Buffer }[]>`
        select bytes from batch_parts
        where batch_id = ${batchId} and request_id = ${requestId} and part = ${number}`,
      limitMs,
    );
    return row?.bytes;
  }

  /** Results after this sequence number, in order of completion. */
  async results(batchId: number, after: number, atMost: number): Promise<ResultRow[]> {
    return this.#db.answer(
      this.#db.sql<ResultRow[]>`
        select sequence, custom_id as "customId", request_id as "requestId", status, credits, records,
          truncated, available, body, parts
        from batch_results where batch_id = ${batchId} and sequence > ${after}
        order by sequence limit ${atMost}`,
      limitMs,
    );
  }

  /** Number of processes that carry out calls: those with a lease, at least one. */
  async processes(): Promise<number> {
    const [row] = await this.#db.answer(this.#db.sql<{ count: number }[]>`
      select count(*)::int as count from job_owners where until > clock_timestamp()`);
    return Math.max(1, row?.count ?? 1);
  }

  #timed(statement: PromiseLike<StartedRow[]>): Promise<StartedRow[]> {
    return timedRows(this.#db, this.#clock, statement, limitMs);
  }
}

const startedItemOf = (clock: DatabaseClock, row: StartedRow, batchId: number): StartedItem => ({
  kind: row.kind as StartedItem["kind"],
  batchId,
  number: row.number,
  requestId: row.request_id,
  operation: row.operation,
  input: row.input,
  tries: row.tries,
  amount: row.amount ?? 0,
  // Whole milliseconds, as timers and Redis take them.
  deadline: Math.round(clock.fromDatabase(row.deadline ?? 0)),
  available: row.available ?? 0,
  crawl: row.crawl === null ? undefined : (JSON.parse(row.crawl) as CrawlStep),
});

const endInput = (ends: readonly ItemEnd[]): string =>
  JSON.stringify(
    ends.map((end) => ({
      batch_id: end.batchId,
      number: end.number,
      request_id: end.requestId,
      outcome: end.outcome,
      status: end.status,
      error_type: end.errorType,
      credits: end.credits,
      records: end.records,
      truncated: end.truncated,
      duration_ms: Math.round(end.durationMs),
      body: end.body.toString("base64"),
      parts: end.parts,
      kept: end.kept,
      pause_ms: end.pauseMs ?? 0,
      uncounted: end.isUncounted,
      found: end.found,
    })),
  );

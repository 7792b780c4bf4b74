import { discardBatch } from "./batch-intake.ts";
import { defaultGraceMs, defaultReplayMs } from "./calls.ts";
import type { Database } from "./client.ts";
import type { Mode } from "./schema.ts";

const batchSize = 500;

/** Voids holds past their deadline and grace; returns how many. Several processes may run it at once. */
export async function sweepHolds(
  db: Database,
  { graceMs = defaultGraceMs }: { graceMs?: number | undefined } = {},
): Promise<number> {
  return inBatches(async () => {
    const [row] = await db.answer(
      db.sql<{ count: number }[]>`
        select void_expired(${graceMs} * interval '1 ms', ${batchSize}) as count`,
      10_000,
    );
    return row?.count ?? 0;
  });
}

/** Deletes replays past the window, and bodies stored apart; returns the number of replays. */
export async function pruneReplays(
  db: Database,
  { replayMs = defaultReplayMs }: { replayMs?: number | undefined } = {},
): Promise<number> {
  const { sql } = db;
  // Skips locked rows, so that two pruners, or a pruner and a call that replaces its row, never wait.
  const pruned = await inBatches(async () => {
    const rows = await db.answer(
      sql`
        with old as (
          select r.account_id, r.mode, r.key from replays r
          where r.created_at <= now() - ${replayMs} * interval '1 ms'
            and not exists (select 1 from holds h where h.id = r.request_id and h.state = 'open')
          limit ${batchSize} for update skip locked
        )
        delete from replays r using old
        where r.account_id = old.account_id and r.mode = old.mode and r.key = old.key
        returning 1 as one`,
      10_000,
    );
    return rows.length;
  });
  // A body is younger than its replay, so nothing reads a body that is past the window.
  await inBatches(async () => {
    const rows = await db.answer(
      sql`
        delete from bodies where request_id in (
          select b.request_id from bodies b
          where b.created_at <= now() - ${replayMs} * interval '1 ms'
          limit ${batchSize} for update skip locked)
        returning 1 as one`,
      10_000,
    );
    return rows.length;
  });
  return pruned;
}

/** Deletes ended jobs that were accepted before the window of replays; returns how many. */
export async function pruneJobs(
  db: Database,
  { keptMs = defaultReplayMs }: { keptMs?: number | undefined } = {},
): Promise<number> {
  return inBatches(async () => {
    const rows = await db.answer(
      db.sql`
        delete from jobs where request_id in (
          select j.request_id from jobs j
          where j.created_at <= now() - ${keptMs} * interval '1 ms' and j.owner is null
          limit ${batchSize} for update skip locked)
        returning 1 as one`,
      10_000,
    );
    return rows.length;
  });
}

/**
 * Deletes batches with results past the window or without a living receiver, in steps, and frees the keys of
 * batches that were accepted before the window.
 */
export async function pruneBatches(
  db: Database,
  { replayMs = defaultReplayMs }: { replayMs?: number | undefined } = {},
): Promise<void> {
  const { sql } = db;
  const old = sql`
    select b.id from batches b where b.ended_at <= now() - ${replayMs} * interval '1 ms'`;
  const left = await db.answer(
    sql<{ id: string; accountId: number; mode: Mode }[]>`
      select b.public_id as id, b.account_id as "accountId", b.mode from batches b
      where b.state = 'receiving' and b.created_at < now() - interval '30 seconds'
        and not exists (select 1 from job_owners o where o.id = b.owner and o.until > now())`,
    10_000,
  );
  for (const batch of left) await discardBatch(db, batch, batch.id);
  for (const table of [
    "batch_results",
    "batch_parts",
    "batch_items",
    "crawl_urls",
    "crawl_pages",
  ]) {
    await inBatches(async () => {
      const rows = await db.answer(
        sql`
          delete from ${sql(table)} where ctid = any (array(
            select t.ctid from ${sql(table)} t where t.batch_id in (${old}) limit ${batchSize}))
          returning 1 as one`,
        10_000,
      );
      return rows.length;
    });
  }
  await db.answer(
    sql`
      with gone as (
        delete from batches where id in (${old})
        returning account_id, mode, kept, idempotency_key, public_id
      ), freed as (
        delete from replays r using gone g
        where r.account_id = g.account_id and r.mode = g.mode and r.key = g.idempotency_key
          and r.request_id = g.public_id
      )
      insert into kept_changes (account_id, mode, bytes)
      select account_id, mode, -kept from gone where kept <> 0`,
    10_000,
  );
  await db.answer(
    sql`
      update batches set idempotency_key = null
      where idempotency_key is not null and created_at <= now() - ${replayMs} * interval '1 ms'`,
    10_000,
  );
}

/** Adds the changes of `kept_changes` to the bytes of each account's stored answers. */
export async function addUpKept(db: Database): Promise<void> {
  await inBatches(async () => {
    const [row] = await db.answer(
      db.sql<{ count: number }[]>`select add_up_kept(${batchSize}) as count`,
      10_000,
    );
    return row?.count ?? 0;
  });
}

async function inBatches(run: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await run();
    total += count;
    if (count < batchSize) return total;
  }
}

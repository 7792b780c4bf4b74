import type { Database } from "./client.ts";
import type { JobState, Mode } from "./schema.ts";

/** Batches and jobs of all accounts, for operators. */

export interface ListedBatch {
  id: string;
  account: string;
  mode: Mode;
  state: "running" | "cancelling" | "cancelled" | "ended";
  total: number;
  queued: number;
  running: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  charged: number;
  /** Unix time in milliseconds. */
  createdAt: number;
  endedAt: number | null;
  /** Milliseconds until its end, if it goes on as since its start or latest retry; null while nothing has ended. */
  leftMs: number | null;
}

/** Unfinished batches, the oldest first, and then those that ended last. */
export async function listBatches(
  db: Database,
  { account, id, limit }: { account?: string | undefined; id?: string; limit: number },
): Promise<ListedBatch[]> {
  const { sql } = db;
  const chosen = sql`
    ${account === undefined ? sql`` : sql`and b.account_id = (select id from accounts where name = ${account})`}
    ${id === undefined ? sql`` : sql`and b.public_id = ${id}`}`;
  return db.answer(
    sql<ListedBatch[]>`
      with chosen as (
        (select b.* from batches b where b.state in ('running', 'cancelling') ${chosen} order by b.id limit ${limit})
        union all
        (select b.* from batches b where b.ended_at is not null ${chosen} order by b.ended_at desc limit ${limit}))
      select b.public_id as id, a.name as account, b.mode, b.state, b.total, b.queued, b.running, b.succeeded,
        b.failed, b.cancelled, b.charged::float8 as charged,
        extract(epoch from b.created_at)::float8 * 1000 as "createdAt",
        extract(epoch from b.ended_at)::float8 * 1000 as "endedAt",
        case when b.state = 'running' then extract(epoch from clock_timestamp() - b.began_at)::float8 * 1000
          * (b.queued + b.running) / nullif(b.succeeded + b.failed - b.began_with, 0) end as "leftMs"
      from chosen b join accounts a on a.id = b.account_id
      order by b.ended_at desc nulls first, b.id limit ${limit}`,
    5_000,
  );
}

export interface OpenJobs {
  account: string;
  mode: Mode;
  operation: string;
  queued: number;
  running: number;
  /** Seconds since the oldest of them was submitted. */
  oldestSeconds: number;
}

/** Unfinished jobs by account and operation, those with most jobs first. */
export async function listOpenJobs(
  db: Database,
  { account, limit }: { account?: string | undefined; limit: number },
): Promise<OpenJobs[]> {
  const { sql } = db;
  // A process owns each unfinished job, and the index of owned jobs has no other.
  return db.answer(
    sql<OpenJobs[]>`
      select a.name as account, j.mode, j.operation, count(*) filter (where j.state = 'queued')::float8 as queued,
        count(*) filter (where j.state = 'running')::float8 as running,
        greatest(0, extract(epoch from clock_timestamp() - min(j.created_at)))::float8 as "oldestSeconds"
      from jobs j join accounts a on a.id = j.account_id
      where j.owner is not null and j.state in ('queued', 'running')
        ${account === undefined ? sql`` : sql`and a.name = ${account}`}
      group by a.name, j.mode, j.operation
      order by count(*) desc, a.name, j.operation limit ${limit}`,
    5_000,
  );
}

export interface ListedJob {
  id: string;
  account: string;
  mode: Mode;
  operation: string;
  state: JobState;
  /** Unix times in milliseconds. */
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
}

/** One job by its request id; or unfinished jobs, the oldest first. */
export async function listJobs(
  db: Database,
  selection: {
    id?: string;
    account?: string | undefined;
    operation?: string | undefined;
    limit: number;
  },
): Promise<ListedJob[]> {
  const { sql } = db;
  const { id, account, operation, limit } = selection;
  const chosen =
    id === undefined
      ? sql`j.owner is not null and j.state in ('queued', 'running')`
      : sql`j.request_id = ${id}`;
  return db.answer(
    sql<ListedJob[]>`
      select j.request_id as id, a.name as account, j.mode, j.operation, j.state,
        extract(epoch from j.created_at)::float8 * 1000 as "createdAt",
        extract(epoch from j.started_at)::float8 * 1000 as "startedAt",
        extract(epoch from j.ended_at)::float8 * 1000 as "endedAt"
      from jobs j join accounts a on a.id = j.account_id
      where ${chosen}
        ${account === undefined ? sql`` : sql`and a.name = ${account}`}
        ${operation === undefined ? sql`` : sql`and j.operation = ${operation}`}
      order by j.created_at, j.request_id limit ${limit}`,
    5_000,
  );
}

export interface PlannedWork {
  batches: number;
  /** Items of these batches that have not ended. */
  items: number;
  jobs: number;
}

/** Accepted work that has not ended, of all accounts. */
export async function plannedWork(db: Database): Promise<PlannedWork> {
  const [row] = await db.answer(
    db.sql<PlannedWork[]>`
      select b.*, j.* from (
        select count(*)::float8 as batches, coalesce(sum(queued + running), 0)::float8 as items
        from batches where state in ('running', 'cancelling')) b
      cross join (
        select count(*)::float8 as jobs from jobs
        where owner is not null and state in ('queued', 'running')) j`,
    5_000,
  );
  return row ?? { batches: 0, items: 0, jobs: 0 };
}

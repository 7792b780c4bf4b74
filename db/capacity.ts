import type { Database } from "./client.ts";

/** History of capacity, cost of upstreams, and the calls that capacity is planned from. */

export interface HistoryRow {
  pool: string;
  workers: number;
  desired: number;
  slots: number;
  callsPerSecond: number;
  p95WaitMs: number | null;
  targetMs: number;
  wall: string;
  /** Calls that failed in the minute before, and those of live keys among them; null where nobody counted. */
  failed: number | null;
  failedLive: number | null;
}

export const historyKeptMs = 7 * 24 * 3600_000;

/** Writes the rows of a minute; a repetition, also from another process, changes nothing. */
export async function noteCapacity(
  db: Database,
  at: Date,
  rows: readonly HistoryRow[],
): Promise<void> {
  const input = JSON.stringify(rows.map((row) => ({ ...row, at })));
  await db.answer(db.sql`
    insert into capacity_history (pool, at, workers, desired, slots, calls_per_second, p95_wait_ms, target_ms, wall,
      failed, failed_live)
    select pool, date_trunc('minute', at), workers, desired, slots, "callsPerSecond", "p95WaitMs", "targetMs", wall,
      failed, "failedLive"
    from jsonb_to_recordset(${input}::text::jsonb) as t(
      pool text, at timestamptz, workers int, desired int, slots int, "callsPerSecond" float8,
      "p95WaitMs" float8, "targetMs" int, wall text, failed int, "failedLive" int)
    on conflict do nothing`);
}

/** Deletes rows older than a week. */
export async function pruneCapacity(db: Database, keptMs = historyKeptMs): Promise<void> {
  await db.answer(
    db.sql`delete from capacity_history where at < now() - ${keptMs} * interval '1 ms'`,
    10_000,
  );
}

export interface HistoryPoint {
  pool: string;
  /** Start of the interval, Unix time in milliseconds. */
  at: number;
  workers: number;
  desired: number;
  callsPerSecond: number;
  p95WaitMs: number | null;
  /** Failed calls of the worst minute; null where none was counted. */
  failedMost: number | null;
  /** Failed calls of the whole interval, and those of live keys among them. */
  failed: number;
  failedLive: number;
}

/** The last hours in intervals of `minutes`: the maximum of each figure, and the sum of failed calls. */
export async function capacityHistory(
  db: Database,
  { hours, minutes }: { hours: number; minutes: number },
): Promise<HistoryPoint[]> {
  const seconds = minutes * 60;
  return db.answer(
    db.sql<HistoryPoint[]>`
      select pool, (floor(extract(epoch from at) / ${seconds}) * ${seconds} * 1000)::float8 as at,
        max(workers) as workers, max(desired) as desired,
        max(calls_per_second) as "callsPerSecond", max(p95_wait_ms) as "p95WaitMs",
        max(failed) as "failedMost", coalesce(sum(failed), 0)::float8 as failed,
        coalesce(sum(failed_live), 0)::float8 as "failedLive"
      from capacity_history where at > now() - ${hours} * interval '1 hour'
      group by 1, 2 order by 1, 2`,
    5_000,
  );
}

export interface UpstreamTotal {
  upstream: string;
  operation: string;
  calls: number;
  dollars: number;
}

/** Adds the increase of the totals since they were last noted to the day of `at`. */
export async function noteUpstreamTotals(
  db: Database,
  at: Date,
  totals: readonly UpstreamTotal[],
): Promise<void> {
  await db.answer(
    db.sql`select note_upstream_totals(${JSON.stringify(totals)}::text::jsonb, ${at.toISOString()}::text::timestamptz)`,
    5_000,
  );
}

export interface CostRow {
  /** Calendar day in UTC. */
  day: string;
  upstream: string;
  operation: string;
  calls: number;
  /** Cost of its answers as the upstream reported it; 0 where it reports none. */
  dollars: number;
  /** Live credits that all calls of the operation earned that day, whichever upstream they used. */
  credits: number;
}

/** Cost beside earnings, newest day first. */
export async function costBy(db: Database, days: number): Promise<CostRow[]> {
  return db.answer(
    db.sql<CostRow[]>`
      with since as (select (now() at time zone 'UTC')::date - ${days - 1}::int as day),
      earned as (
        select (at at time zone 'UTC')::date as day, operation, sum(credits) as credits from usage
        where at >= (select day::timestamp at time zone 'UTC' from since) and mode = 'live'
        group by 1, 2)
      select to_char(d.day, 'YYYY-MM-DD') as day, d.upstream, d.operation, d.calls,
        d.dollars::float8 as dollars, coalesce(e.credits, 0)::float8 as credits
      from upstream_days d left join earned e using (day, operation)
      where d.day >= (select day from since)
      order by d.day desc, d.dollars desc, d.calls desc, d.operation`,
    10_000,
  );
}

export type UpstreamDay = Pick<CostRow, "upstream" | "operation" | "calls" | "dollars">;

/** Requests to upstreams and their reported cost today (UTC). */
export async function upstreamsToday(db: Database): Promise<UpstreamDay[]> {
  return db.answer(
    db.sql<UpstreamDay[]>`
      select upstream, operation, calls::float8 as calls, dollars::float8 as dollars
      from upstream_days where day = (now() at time zone 'UTC')::date`,
    5_000,
  );
}

export interface UsedRow {
  pool: string;
  /** Null: all operations of the pool together. */
  operation: string | null;
  calls: number;
  /** Calls of the busiest minute. */
  peakMinute: number;
  meanMs: number;
  /** Squared coefficient of variation of a call's whole time. */
  scv: number;
  /** Credits that live calls earned. */
  credits: number;
}

/** Calls that reached a worker in `[from, to)`, by pool; `poolOf` maps each operation to its pool. */
export async function usedByPool(
  db: Database,
  { from, to }: { from: Date; to: Date },
  poolOf: Readonly<Record<string, string>>,
): Promise<UsedRow[]> {
  return db.answer(
    db.sql<UsedRow[]>`
      with pools as (
        select key as operation, value as pool from jsonb_each_text(${JSON.stringify(poolOf)}::text::jsonb)),
      ran as (
        select pool, operation, date_trunc('minute', at) as minute, duration_ms,
          case mode when 'live' then credits else 0 end as credits
        from usage join pools using (operation)
        where at >= ${from.toISOString()}::text::timestamptz
          and at < ${to.toISOString()}::text::timestamptz
          and (status < 400 or status in (404, 502, 504))),
      minutes as (
        select pool, operation, count(*) as calls from ran
        group by grouping sets ((pool, minute), (pool, operation, minute))),
      peaks as (select pool, operation, max(calls)::int as peak from minutes group by 1, 2),
      sums as (
        select pool, operation, count(*)::int as calls, avg(duration_ms)::float8 as mean,
          coalesce(var_pop(duration_ms) / nullif(avg(duration_ms) ^ 2, 0), 0)::float8 as scv,
          sum(credits)::float8 as credits
        from ran group by grouping sets ((pool), (pool, operation)))
      select s.pool, s.operation, s.calls, p.peak as "peakMinute", s.mean as "meanMs", s.scv, s.credits
      from sums s join peaks p on p.pool = s.pool and p.operation is not distinct from s.operation
      order by s.pool, s.operation nulls first`,
    60_000,
  );
}

/** Days (UTC) of `[from, to)` with calls, and the first call. */
export async function daysOfUse(
  db: Database,
  { from, to }: { from: Date; to: Date },
): Promise<{ withCalls: number; firstAt: Date | undefined }> {
  const [row] = await db.answer(
    db.sql<{ days: number; first: number | null }[]>`
      select count(distinct (at at time zone 'UTC')::date)::int as days,
        extract(epoch from min(at))::float8 * 1000 as first
      from usage where at >= ${from.toISOString()}::text::timestamptz
        and at < ${to.toISOString()}::text::timestamptz`,
    60_000,
  );
  const { days = 0, first = null } = row ?? {};
  return { withCalls: days, firstAt: first === null ? undefined : new Date(first) };
}

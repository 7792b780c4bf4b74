import type { Database } from "./client.ts";
import type { Mode } from "./schema.ts";

export interface UsageRow {
  /** Calendar day in UTC, YYYY-MM-DD. */
  day: string;
  area: string;
  operation: string;
  calls: number;
  /** Calls that ended with an error. */
  errors: number;
  credits: number;
  records: number;
}

const reportLimitMs = 10_000;
/** Summing a day reads all of its calls. */
const dayLimitMs = 60_000;
const mostDaysAtOnce = 50;

/**
 * Calls per day, area and operation, of whole days in UTC: `from` is included, `to` is not. Days that are not in
 * the sums yet are counted call by call.
 */
export async function usageBy(
  db: Database,
  accountId: number,
  mode: Mode,
  { from, to }: { from: Date; to: Date },
): Promise<UsageRow[]> {
  const { sql } = db;
  const [first, end] = [from.toISOString(), to.toISOString()];
  return db.answer(
    sql<UsageRow[]>`
      with sums as materialized (select whole_from, whole_from::timestamp at time zone 'UTC' as whole_at from usage_sums)
      select to_char(f.day, 'YYYY-MM-DD') as day, replace(split_part(f.operation, '.', 1), '_', '-') as area, f.operation,
        f.calls, f.errors, f.credits, f.records
      from (
        select d.day, d.operation, d.calls, d.errors, d.credits, d.records
        from usage_days d, sums s
        where d.account_id = ${accountId} and d.mode = ${mode} and d.day >= s.whole_from
          and d.day >= (${first}::text::timestamptz at time zone 'UTC')::date
          and d.day < (${end}::text::timestamptz at time zone 'UTC')::date
        union all
        select (u.at at time zone 'UTC')::date, u.operation,
          count(*), count(u.error_type), sum(u.credits)::bigint, sum(u.records)::bigint
        from usage u, sums s
        where u.account_id = ${accountId} and u.mode = ${mode}
          and u.at >= ${first}::text::timestamptz and u.at < least(${end}::text::timestamptz, s.whole_at)
        group by 1, 2
      ) f
      order by f.day, f.operation collate "C"`,
    reportLimitMs,
  );
}

/** Adds days before the migration of the sums; several processes may run it at once. */
export async function sumEarlierUsage(db: Database): Promise<void> {
  for (let days = 0; days < mostDaysAtOnce; days += 1) {
    const [row] = await db.answer(
      db.sql<{ left: boolean }[]>`select sum_earlier_usage() as left`,
      dayLimitMs,
    );
    if (!row?.left) return;
  }
}

import type { Database } from "./client.ts";
import type { Mode } from "./schema.ts";

/** Accounts side by side, and what happens in one of them, for operators. */

export interface AccountToday {
  name: string;
  disabled: boolean;
  /** Credits that are not set aside. */
  liveAvailable: number;
  testAvailable: number;
  /** Live calls of today (UTC). */
  calls: number;
  errors: number;
  credits: number;
  /** Calls with an open hold, of both modes. */
  inFlight: number;
}

/** Accounts whose names contain the text, those that spent most today first. */
export async function accountsToday(
  db: Database,
  { search, limit, offset }: { search: string; limit: number; offset: number },
): Promise<AccountToday[]> {
  return db.answer(
    db.sql<AccountToday[]>`
      select a.name, a.disabled,
        coalesce((select balance - held from balances b where b.account_id = a.id and b.mode = 'live'), 0)::float8
          as "liveAvailable",
        coalesce((select balance - held from balances b where b.account_id = a.id and b.mode = 'test'), 0)::float8
          as "testAvailable",
        coalesce(d.calls, 0)::float8 as calls, coalesce(d.errors, 0)::float8 as errors,
        coalesce(d.credits, 0)::float8 as credits, coalesce(h.running, 0)::float8 as "inFlight"
      from accounts a
        left join lateral (
          select sum(u.calls) as calls, sum(u.errors) as errors, sum(u.credits) as credits from usage_days u
          where u.account_id = a.id and u.mode = 'live'
            and u.day = (now() at time zone 'UTC')::date) d on true
        left join (
          select account_id, count(*) as running from holds
          where state = 'open' and deadline > clock_timestamp() group by account_id) h on h.account_id = a.id
      where position(lower(${search}) in lower(a.name)) > 0
      order by credits desc, calls desc, "inFlight" desc, a.name limit ${limit} offset ${offset}`,
    5_000,
  );
}

export interface ErrorsOfAccount {
  mode: Mode;
  type: string;
  count: number;
  /** Unix time in milliseconds of the last one. */
  last: number;
}

/** Calls in flight by mode, and the errors of the last day. */
export async function accountActivity(
  db: Database,
  accountId: number,
): Promise<{ inFlight: Record<Mode, number>; errors: ErrorsOfAccount[] }> {
  const [open, errors] = await Promise.all([
    db.answer(
      db.sql<{ mode: Mode; count: number }[]>`
        select mode, count(*)::float8 as count from holds
        where state = 'open' and deadline > clock_timestamp() and account_id = ${accountId} group by mode`,
    ),
    db.answer(
      db.sql<ErrorsOfAccount[]>`
        select mode, error_type as type, count(*)::float8 as count,
          extract(epoch from max(at))::float8 * 1000 as last
        from usage where account_id = ${accountId} and mode in ('live', 'test')
          and at > now() - interval '1 day' and error_type is not null
        group by mode, error_type order by count desc`,
      5_000,
    ),
  ]);
  const of = (mode: Mode) => open.find((one) => one.mode === mode)?.count ?? 0;
  return { inFlight: { live: of("live"), test: of("test") }, errors };
}

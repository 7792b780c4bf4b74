import type { Database } from "./client.ts";
import type { Mode } from "./schema.ts";

/** Figures of the whole gateway for its operators: the use of today, and the webhooks that wait. */

export interface UseTotal {
  mode: Mode;
  calls: number;
  /** Calls with a hold that ended with an error. */
  errors: number;
  credits: number;
}

export interface UseOfAccount extends UseTotal {
  account: string;
}

const mostAccounts = 5;

/** The use of today (UTC) by mode, and of the accounts that spent most. */
export async function usageToday(
  db: Database,
): Promise<{ totals: UseTotal[]; accounts: UseOfAccount[] }> {
  // One look into the index for each account and mode: no index begins with the day. clock_timestamp() in place of
  // now() would read all days of each account.
  const rows = await db.answer(
    db.sql<(UseTotal & { account: string | null })[]>`
      with today as materialized (
        select a.name as account, m.mode, d.calls, d.errors, d.credits
        from accounts a cross join (values ('live'), ('test')) m (mode)
          cross join lateral (
            select sum(u.calls)::float8 as calls, sum(u.errors)::float8 as errors, sum(u.credits)::float8 as credits
            from usage_days u where u.account_id = a.id and u.mode = m.mode
              and u.day = (now() at time zone 'UTC')::date) d
        where d.calls > 0)
      select null as account, mode, sum(calls) as calls, sum(errors) as errors, sum(credits) as credits
      from today group by mode
      union all (
        select account, mode, calls, errors, credits from today
        order by mode, credits desc, calls desc, account limit ${mostAccounts})`,
    5_000,
  );
  const accounts = rows.flatMap(({ account, ...row }) =>
    account === null ? [] : [{ ...row, account }],
  );
  const totals = rows.flatMap(({ account, ...row }) => (account === null ? [row] : []));
  return { totals, accounts };
}

export const mostBusyAccounts = 10;

/** The accounts with most calls that ended within the last hour, of those that got a hold. */
export async function busiestAccounts(
  db: Database,
  most = mostBusyAccounts,
): Promise<UseOfAccount[]> {
  return db.answer(
    db.sql<UseOfAccount[]>`
      with busiest as (
        select account_id, mode, count(*) as calls, count(error_type) as errors, sum(credits) as credits
        from usage where at > now() - interval '1 hour'
        group by account_id, mode order by calls desc, account_id, mode limit ${most})
      select a.name as account, b.mode, b.calls::float8, b.errors::float8, b.credits::float8
      from busiest b join accounts a on a.id = b.account_id
      order by b.calls desc, a.name, b.mode`,
    5_000,
  );
}

/** Dollars that upstreams reported for today (UTC), and the requests sent to them. */
export async function costToday(db: Database): Promise<{ dollars: number; requests: number }> {
  const [row] = await db.answer(
    db.sql<{ dollars: number; requests: number }[]>`
      select coalesce(sum(dollars), 0)::float8 as dollars, coalesce(sum(calls), 0)::float8 as requests
      from upstream_days where day = (now() at time zone 'UTC')::date`,
  );
  return row ?? { dollars: 0, requests: 0 };
}

export interface WaitingWebhooks {
  /** Deliveries that are due, in the queue or on their way. */
  due: number;
  /** Seconds since the oldest of them became due; 0 when none is. */
  oldestSeconds: number;
  /** Deliveries that wait for their next attempt. */
  later: number;
  failingEndpoints: number;
  /** Unix time in milliseconds since which the first of them fails. */
  failingSince: number | null;
}

export async function waitingWebhooks(db: Database): Promise<WaitingWebhooks> {
  const [row] = await db.answer(
    db.sql<WaitingWebhooks[]>`
      select d.*, e.* from (
        select count(*) filter (where state = 'sending' or due_at <= clock_timestamp())::float8 as due,
          count(*) filter (where state = 'pending' and due_at > clock_timestamp())::float8 as later,
          coalesce(greatest(0, extract(epoch from clock_timestamp() - min(due_at))), 0)::float8 as "oldestSeconds"
        from webhook_deliveries where state in ('pending', 'sending')) d
      cross join (
        select count(*)::float8 as "failingEndpoints",
          extract(epoch from min(failing_since))::float8 * 1000 as "failingSince"
        from webhook_endpoints where failing_since is not null and off_since is null) e`,
  );
  return row ?? { due: 0, oldestSeconds: 0, later: 0, failingEndpoints: 0, failingSince: null };
}

import type { Database } from "./client.ts";

export interface Violation {
  rule: string;
  /** The account and mode, transaction or hold that breaks it. */
  subject: string;
  detail: string;
}

/** Every violated rule of the accounting, read in one statement and so one snapshot. Empty if all is well. */
export async function audit(db: Database): Promise<Violation[]> {
  return db.answer(
    db.sql<Violation[]>`
      select 'balance is the sum of its entries' as rule, owner as subject,
          format('balance %s, entries %s', balance, entries) as detail
        from (
          select b.account_id || '/' || b.mode as owner, b.balance, coalesce(sum(l.amount), 0) as entries
          from balances b
            left join ledger l on l.side = 'account' and l.account_id = b.account_id and l.mode = b.mode
          group by b.account_id, b.mode
        ) account where balance <> entries
      union all
      select 'balance and held are not negative, held is not above balance',
          account_id || '/' || mode, format('balance %s, held %s', balance, held)
        from balances where balance < 0 or held < 0 or held > balance
      union all
      select 'held is the sum of open holds', owner, format('held %s, holds %s', held, holds)
        from (
          select b.account_id || '/' || b.mode as owner, b.held, coalesce(sum(h.amount), 0) as holds
          from balances b
            left join holds h on h.state = 'open' and h.account_id = b.account_id and h.mode = b.mode
          group by b.account_id, b.mode
        ) account where held <> holds
      union all
      select 'held in a budget is the sum of open holds of its keys', owner, format('held %s, holds %s', held, holds)
        from (
          select concat_ws('/', g.account_id, g.mode, g.key_id, g.period) as owner, g.held,
            coalesce(sum(h.amount), 0) as holds
          from budgets g
            left join holds h on h.state = 'open' and h.account_id = g.account_id and h.mode = g.mode
              and (g.key_id = '' or budget_key_of(h.key_id) = g.key_id)
          group by g.account_id, g.mode, g.key_id, g.period
        ) budget where held <> holds
      union all
      select 'a budget counts every charge of its period', owner, format('charged %s, usage %s', charged, used)
        from (
          select concat_ws('/', g.account_id, g.mode, g.key_id, g.period) as owner, g.charged,
            coalesce(sum(u.credits), 0) as used
          from budgets g
            left join usage u on u.account_id = g.account_id and u.mode = g.mode
              and (g.key_id = '' or budget_key_of(u.key_id) = g.key_id)
              and u.at >= g.began and u.at < budget_renews(g.period, g.began)
          group by g.account_id, g.mode, g.key_id, g.period
        ) budget where charged < used
      union all
      select 'a transaction has two entries that sum to zero', transaction_id,
          format('%s entries, sum %s', count(*), sum(amount))
        from ledger group by transaction_id having sum(amount) <> 0 or count(*) <> 2
      union all
      select 'a transaction stays within one account and mode', transaction_id, count(*)::text
        from (select distinct transaction_id, account_id, mode from ledger) entry
        group by transaction_id having count(*) > 1
      union all
      select 'a settled hold has one settle, any other none', h.id,
          format('hold %s, %s settles', h.state, count(s.hold_id))
        from holds h left join settlements s on s.hold_id = h.id
        group by h.id, h.state having count(s.hold_id) <> (h.state = 'settled')::integer
      union all
      select 'a settle charges the amount in the ledger, at most its hold', s.hold_id,
          format('charged %s, held %s, entry %s', s.credits, h.amount, l.amount)
        from settlements s
          left join holds h on h.id = s.hold_id
          left join ledger l on l.transaction_id = s.hold_id and l.side = 'account'
        where h.id is null or s.credits > h.amount or s.credits <> -coalesce(l.amount, 0)
      union all
      select 'a charge belongs to a settle', l.transaction_id, l.amount::text
        from ledger l where l.side = 'revenue'
          and not exists (select 1 from settlements s where s.hold_id = l.transaction_id)`,
    60_000,
  );
}

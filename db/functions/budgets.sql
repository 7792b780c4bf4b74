-- Budgets: the most that an account, or one of its keys, may spend in a day, a week or a month of UTC. Every
-- decision is made under the lock of the balance: reserve_calls (calls.sql) and start_batch_items (batch-items.sql)
-- enforce budgets with these functions.

create or replace function budget_began(period text, moment timestamptz) returns timestamptz
language sql stable as $$ select date_trunc(period, moment, 'UTC') $$;

create or replace function budget_renews(period text, began timestamptz) returns timestamptz
language sql stable as $$
  select (began at time zone 'UTC' + ('1 ' || period)::interval) at time zone 'UTC'
$$;

-- The key that budgets name: the latest of those that replaced each other. Empty for calls without a key.
create or replace function budget_key_of(for_key text) returns text language sql stable as $$
  select coalesce((select k.budget_key from api_keys k where k.id = for_key), for_key, '')
$$;

-- The credits that all budgets of a key leave to spend; null for a key without a budget.
create or replace function budget_room(for_account bigint, in_mode text, for_key text, moment timestamptz)
returns bigint language sql stable as $$
  select min(greatest(0, g.credits - g.held
    - case when g.began >= budget_began(g.period, moment) then g.charged else 0 end))
  from budgets g
  where g.account_id = for_account and g.mode = in_mode and g.key_id in ('', budget_key_of(for_key))
$$;

create or replace function hold_in_budgets(
  for_account bigint, in_mode text, for_key text, amount bigint, moment timestamptz)
returns void language sql as $$
  update budgets g set held = g.held + amount,
    charged = case when g.began >= budget_began(g.period, moment) then g.charged else 0 end,
    began = greatest(g.began, budget_began(g.period, moment))
  where g.account_id = for_account and g.mode = in_mode and g.key_id in ('', budget_key_of(for_key))
$$;

-- Updates the budgets of a hold in the statement that settles or releases it.
create or replace function close_in_budgets() returns trigger language plpgsql as $$
declare
  spent bigint;
  moment timestamptz;
  told record;
begin
  select s.credits, s.at into spent, moment from settlements s where s.hold_id = new.id;
  moment := coalesce(moment, clock_timestamp());
  for told in
    update budgets g set held = g.held - new.amount,
      charged = coalesce(spent, 0)
        + case when g.began >= budget_began(g.period, moment) then g.charged else 0 end,
      began = greatest(g.began, budget_began(g.period, moment))
    where g.account_id = new.account_id and g.mode = new.mode
      and g.key_id in ('', budget_key_of(new.key_id))
    returning g.*
  loop
    continue when told.told = told.began
      or told.charged * 100 < told.credits * told.alert_percent or coalesce(spent, 0) = 0;
    update budgets g set told = g.began
      where g.account_id = told.account_id and g.mode = told.mode and g.key_id = told.key_id
        and g.period = told.period;
    perform emit_webhooks(jsonb_build_array(jsonb_build_object(
      'account_id', told.account_id, 'mode', told.mode, 'type', 'budget.threshold',
      'subject', gen_random_uuid(),
      'data', jsonb_strip_nulls(jsonb_build_object('mode', told.mode,
        'of', case told.key_id when '' then 'account' else 'key' end,
        'key_id', nullif(told.key_id, ''), 'period', told.period, 'credits', told.credits,
        'charged', told.charged, 'alert_percent', told.alert_percent,
        'renews_at', to_char(budget_renews(told.period, told.began) at time zone 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS"Z"'))))));
  end loop;
  return null;
end $$;

-- Sets a budget, or removes it if `limit_credits` is null. Credits already spent and held count. False if there is
-- no such account and mode.
create or replace function set_budget(for_account bigint, in_mode text, for_key text, in_period text,
  limit_credits bigint, alert integer, by_whom text) returns boolean language plpgsql as $$
declare
  start timestamptz;
  of_key text;
  keys text[];
  former jsonb;
begin
  perform 1 from balances b where b.account_id = for_account and b.mode = in_mode for update;
  if not found then
    return false;
  end if;
  of_key := budget_key_of(for_key);
  keys := of_key || array(
    select k.id from api_keys k
    where k.account_id = for_account and k.mode = in_mode and k.budget_key = of_key);
  start := budget_began(in_period, clock_timestamp());
  select jsonb_build_object('credits', g.credits, 'alert_percent', g.alert_percent) into former from budgets g
    where g.account_id = for_account and g.mode = in_mode and g.key_id = of_key and g.period = in_period;
  if limit_credits is null then
    delete from budgets g where g.account_id = for_account and g.mode = in_mode
      and g.key_id = of_key and g.period = in_period;
  else
    insert into budgets as g
      (account_id, mode, key_id, period, credits, alert_percent, began, charged, held)
    values (for_account, in_mode, of_key, in_period, limit_credits, alert, start,
      (select coalesce(sum(u.credits), 0) from usage u
        where u.account_id = for_account and u.mode = in_mode and u.at >= start
          and (of_key = '' or u.key_id = any (keys))),
      (select coalesce(sum(h.amount), 0) from holds h
        where h.state = 'open' and h.account_id = for_account and h.mode = in_mode
          and (of_key = '' or h.key_id = any (keys))))
    on conflict (account_id, mode, key_id, period) do update
      set credits = excluded.credits, alert_percent = excluded.alert_percent, told = null;
    update holds h set budgeted = true
      where h.state = 'open' and h.account_id = for_account and h.mode = in_mode and not h.budgeted;
  end if;
  update balances b set budgeted = exists (
      select 1 from budgets g where g.account_id = for_account and g.mode = in_mode)
    where b.account_id = for_account and b.mode = in_mode;
  insert into budget_changes (who, account_id, mode, key_id, period, credits, alert_percent)
    values (by_whom, for_account, in_mode, of_key, in_period, limit_credits,
      case when limit_credits is not null then alert end);
  perform note_change('budget', concat_ws(' ', a.name, in_mode, nullif(of_key, ''), in_period), for_account, former,
    case when limit_credits is not null
      then jsonb_build_object('credits', limit_credits, 'alert_percent', alert) end, '')
    from accounts a where a.id = for_account;
  return true;
end $$;

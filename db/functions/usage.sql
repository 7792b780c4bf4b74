-- Sums of `usage` by day (UTC) and operation: a report reads a row for each instead of a row for each call.

-- Adds new rows to the sums. A trigger, so that no statement that counts a call can forget it, and statements
-- of an earlier release add too. The statements hold the locks of their balances, so no two of them add to the
-- same row at once.
create or replace function sum_usage() returns trigger language plpgsql as $$
begin
  insert into usage_days as d
  select a.account_id, a.mode, (a.at at time zone 'UTC')::date, a.operation,
    count(*), count(a.error_type), sum(a.credits), sum(a.records)
  from added a group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (account_id, mode, day, operation) do update
  set calls = d.calls + excluded.calls, errors = d.errors + excluded.errors,
    credits = d.credits + excluded.credits, records = d.records + excluded.records;
  return null;
end $$;

-- Adds up the latest earlier day that is not in the sums; returns whether another one may be left. A day waits until
-- an hour after its end, when no statement that counts a call of it can still run, and the days before it wait too.
create or replace function sum_earlier_usage() returns boolean language plpgsql
set enable_seqscan = off as $$
declare
  summed date;
  since timestamptz;
begin
  select s.whole_from - 1 into summed from usage_sums s where isfinite(s.whole_from) for update skip locked;
  if summed is null or summed >= ((clock_timestamp() - interval '1 hour') at time zone 'UTC')::date then
    return false;
  end if;
  since := summed::timestamp at time zone 'UTC';
  if not exists (select 1 from usage u where u.at < since + interval '1 day') then
    update usage_sums set whole_from = '-infinity';
    return false;
  end if;
  delete from usage_days d where d.day = summed;
  insert into usage_days as d
  select u.account_id, u.mode, summed, u.operation,
    count(*), count(u.error_type), sum(u.credits), sum(u.records)
  from usage u where u.at >= since and u.at < since + interval '1 day'
  group by 1, 2, 4 order by 1, 2, 4
  on conflict (account_id, mode, day, operation) do update
  set calls = d.calls + excluded.calls, errors = d.errors + excluded.errors,
    credits = d.credits + excluded.credits, records = d.records + excluded.records;
  update usage_sums set whole_from = summed;
  return true;
end $$;

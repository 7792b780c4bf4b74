-- Cost of upstreams.

-- `told`: [{upstream, operation, calls, dollars}], the totals at the time `at`. The function adds the increase since
-- the last totals; a repetition, or older totals, add nothing. Totals that fell come from a Redis that lost its
-- data, and count in full.
create or replace function note_upstream_totals(told jsonb, at timestamptz) returns void
language plpgsql as $$
declare
  one record;
  before upstream_totals;
  more_calls bigint;
  more_dollars numeric;
begin
  for one in
    select * from jsonb_to_recordset(told) as t(upstream text, operation text, calls bigint, dollars numeric)
    order by upstream, operation
  loop
    insert into upstream_totals values (one.upstream, one.operation, '-infinity', 0, 0)
      on conflict do nothing;
    select * into before from upstream_totals u
      where u.upstream = one.upstream and u.operation = one.operation for update;
    continue when at <= before.told_at;
    more_calls := one.calls - case when one.calls < before.calls then 0 else before.calls end;
    more_dollars := one.dollars - case when one.dollars < before.dollars then 0 else before.dollars end;
    update upstream_totals u set told_at = at, calls = one.calls, dollars = one.dollars
      where u.upstream = one.upstream and u.operation = one.operation;
    continue when more_calls = 0 and more_dollars = 0;
    insert into upstream_days as d
      values ((at at time zone 'UTC')::date, one.upstream, one.operation, more_calls, more_dollars)
      on conflict (day, upstream, operation) do update
        set calls = d.calls + excluded.calls, dollars = d.dollars + excluded.dollars;
  end loop;
end $$;

-- Charges what was delivered, once per hold and never more than the hold, and frees the rest. A call is
-- not charged after `not_after`, when its caller has been told that it failed: a statement may reach a
-- database that was frozen long after it was sent.
create or replace function settle_calls(calls jsonb, grace interval)
returns table (kind text, credits bigint, records integer, truncated boolean, available bigint)
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
  moment timestamptz;
begin
  perform lock_balances_of(array(
    select c.request_id from jsonb_to_recordset(calls) as c (request_id text)));
  moment := clock_timestamp();

  if exists (
    select 1 from jsonb_to_recordset(calls) as c (request_id text, body_apart boolean)
    where c.body_apart and not exists (select 1 from bodies b where b.request_id = c.request_id)
      and not exists (select 1 from settlements s where s.hold_id = c.request_id)
  ) then
    raise exception 'a body was to be stored before the settle';
  end if;

  return query
  with input as (
    select c.*, row_number() over (partition by c.request_id order by c.position) as turn
    from rows from (jsonb_to_recordset(calls) as (
      request_id text, credits bigint, records integer, truncated boolean, status integer,
      duration_ms integer, content_type text, body text, body_apart boolean, not_after float8
    )) with ordinality as c (
      request_id, credits, records, truncated, status,
      duration_ms, content_type, body, body_apart, not_after, position)
  ), due as (
    select i.*, h.account_id, h.mode, h.key_id, h.operation, h.amount, h.idempotency_key,
      least(i.credits, h.amount) as charge
    from input i cross join lateral (select * from holds h where h.id = i.request_id offset 0) h
    where i.turn = 1 and h.state = 'open' and h.deadline + grace > moment
      and (i.not_after is null or to_timestamp(i.not_after / 1000) > moment)
  ), priced as (
    select d.*, (b.balance - b.held + sum(d.amount - d.charge)
      over (partition by d.account_id, d.mode order by d.position))::bigint as available
    from due d join balances b on b.account_id = d.account_id and b.mode = d.mode
  ), closed as (
    update holds h set state = 'settled' from priced p where h.id = p.request_id
  ), settled as (
    insert into settlements
    select p.request_id, p.charge, p.records, p.truncated, p.available, p.status, moment from priced p
  ), moved as (
    update balances b set balance = b.balance - s.charge, held = b.held - s.amount
    from (
      select account_id, mode, sum(charge)::bigint as charge, sum(amount)::bigint as amount
      from priced group by account_id, mode
    ) s
    where b.account_id = s.account_id and b.mode = s.mode
  ), entered as (
    insert into ledger
    select p.request_id, e.side, p.account_id, p.mode, e.sign * p.charge, p.operation, moment
    from priced p cross join (values ('account', -1), ('revenue', 1)) as e (side, sign)
    where p.charge > 0
  ), counted as (
    insert into usage
    select p.request_id, p.account_id, p.mode, p.key_id, p.operation, p.status,
      case p.status when 404 then 'not_found' end, p.charge, p.records, p.duration_ms, moment
    from priced p
  ), kept as (
    update replays r
    set state = 'final', content_type = p.content_type, body = decode(p.body, 'base64'),
      body_apart = coalesce(p.body_apart, false)
    from priced p
    where p.content_type is not null and r.request_id = p.request_id
      and r.account_id = p.account_id and r.mode = p.mode and r.key = p.idempotency_key
  ), freed as (
    delete from replays r using priced p
    where p.content_type is null and r.request_id = p.request_id
      and r.account_id = p.account_id and r.mode = p.mode and r.key = p.idempotency_key
  )
  select
    case when p.request_id is not null and i.turn = 1 then 'settled'
      when p.request_id is not null or s.hold_id is not null then 'already'
      else 'expired' end,
    coalesce(s.credits, p.charge), coalesce(s.records, p.records),
    coalesce(s.truncated, p.truncated), coalesce(s.available, p.available)
  from input i
    left join priced p on p.request_id = i.request_id
    left join lateral (select * from settlements s where s.hold_id = i.request_id offset 0) s on true
  order by i.position;
end $$;

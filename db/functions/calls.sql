-- A call's credits. Each function takes an array of calls and returns one row per call. Balances are
-- locked first and in the order of their ids; every decision about an account is made under that lock.
--
-- `offset 0` and `enable_seqscan` keep the planner on the primary keys: where tables grew since they were last
-- analysed, the planner would scan them, or the index of open holds with all its dead entries. With `plan_cache_mode`
-- a session plans each statement once, and not anew for its first five calls, or for each.

create or replace function lock_balances_of(ids text[]) returns void language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  perform 1 from balances b
    where (b.account_id, b.mode) in (select h.account_id, h.mode from holds h where h.id = any (ids))
    order by b.account_id, b.mode
    for update;
end $$;

-- Looks up the replays of Idempotency-Keys: one row per key, in their order, null for a free key, with the bytes of
-- the account's stored answers. Bodies that are stored apart are omitted. The key of a batch has no hold, and a
-- fingerprint that no call has.
create or replace function look_up_keys(scopes jsonb, grace interval, kept_for interval)
returns table (
  request_id text, fingerprint text, state text, content_type text, body bytea, body_apart boolean,
  operation text, amount bigint, deadline float8,
  status integer, credits bigint, records integer, truncated boolean, available bigint, kept bigint)
language plpgsql stable set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
  select f.request_id, f.fingerprint, f.state, f.content_type, f.body, f.body_apart,
    f.operation, f.amount, f.deadline, f.status, f.credits, f.records, f.truncated, f.available,
    coalesce(k.bytes, 0)
  from rows from (jsonb_to_recordset(scopes) as (account_id bigint, mode text, key text))
      with ordinality as c (account_id, mode, key, position)
    left join kept_bytes k on k.account_id = c.account_id and k.mode = c.mode
    left join lateral (
      select r.request_id, r.fingerprint, r.state, r.content_type, r.body, r.body_apart,
        h.operation, h.amount, extract(epoch from h.deadline)::float8 * 1000 as deadline,
        s.status, s.credits, s.records, s.truncated, s.available
      from replays r
        left join holds h on h.id = r.request_id
        left join settlements s on s.hold_id = r.request_id
      where r.account_id = c.account_id and r.mode = c.mode and r.key = c.key
        and r.created_at > clock_timestamp() - kept_for
        and (r.state = 'final' or h.state = 'open' and h.deadline + grace > clock_timestamp())
      offset 0
    ) f on true
  order by c.position;
end $$;

-- Holds credits and claims the idempotency key. Idempotent for a call that already has its hold, so that callers may
-- repeat it after a lost connection. A call whose budgets leave less than its minimum is `insufficient` as well;
-- `available` distinguishes the two cases. A call whose `not_after` (Unix time in milliseconds) has passed is
-- `late` and holds nothing: its caller was refused, and a statement may reach a frozen database long after it
-- was sent. A call of a revoked key is `revoked`, if its process `knows_revoked`: the previous release does not.
create or replace function reserve_calls(calls jsonb, grace interval, kept_for interval)
returns table (kind text, amount bigint, available bigint) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  call record;
  earlier record;
  moment timestamptz;
  owner bigint;
  owner_mode text;
  free bigint;
  -- a key of this owner has a budget, or all its keys together
  watched boolean;
  allowed bigint;
  taken bigint := 0;
  kinds text[] := array_fill(null::text, array[jsonb_array_length(calls)]);
  amounts bigint[] := array_fill(0::bigint, array[jsonb_array_length(calls)]);
  frees bigint[] := array_fill(0::bigint, array[jsonb_array_length(calls)]);
begin
  -- A hold need not survive a crash of the database: without a hold nothing is charged. The settle is
  -- durable, and its flush covers the earlier hold.
  perform set_config('synchronous_commit', 'off', true);
  perform 1 from balances b
    where (b.account_id, b.mode) in (
      select c.account_id, c.mode from jsonb_to_recordset(calls) as c (account_id bigint, mode text))
    order by b.account_id, b.mode
    for update;
  moment := clock_timestamp();

  for call in
    select c.*, c.knows_revoked and is_revoked(c.key_id) as revoked
    from rows from (jsonb_to_recordset(calls) as (
      request_id text, account_id bigint, mode text, key_id text, operation text, minimum bigint,
      most bigint, deadline float8, idempotency_key text, fingerprint text, not_after float8,
      knows_revoked boolean
    )) with ordinality as c (
      request_id, account_id, mode, key_id, operation, minimum,
      most, deadline, idempotency_key, fingerprint, not_after, knows_revoked, position)
    order by c.account_id, c.mode, c.position
  loop
    if (owner, owner_mode) is distinct from (call.account_id, call.mode) then
      if taken <> 0 then
        update balances b set held = b.held + taken where b.account_id = owner and b.mode = owner_mode;
      end if;
      owner := call.account_id;
      owner_mode := call.mode;
      taken := 0;
      select b.balance - b.held, b.budgeted into free, watched from balances b
        where b.account_id = owner and b.mode = owner_mode;
      if not found then
        raise exception 'account % has no % balance', owner, owner_mode;
      end if;
    end if;

    select h.amount, h.state into earlier from holds h where h.id = call.request_id;
    if found then
      if earlier.state <> 'open' then
        raise exception 'hold % is %', call.request_id, earlier.state;
      end if;
      kinds[call.position] := 'held';
      amounts[call.position] := earlier.amount;
      frees[call.position] := free;
      continue;
    end if;

    if to_timestamp(call.not_after / 1000) <= moment then
      kinds[call.position] := 'late';
      frees[call.position] := free;
      continue;
    end if;

    if call.revoked then
      kinds[call.position] := 'revoked';
      frees[call.position] := free;
      continue;
    end if;

    if call.idempotency_key is not null then
      insert into replays (account_id, mode, key, fingerprint, request_id, created_at)
        values (owner, owner_mode, call.idempotency_key, call.fingerprint, call.request_id, moment)
        on conflict do nothing;
      if not found then
        select r.request_id, r.state, r.created_at, h.state as hold, h.amount, h.key_id, h.operation,
            h.deadline, h.created_at as began
          into earlier
          from replays r left join holds h on h.id = r.request_id
          where r.account_id = owner and r.mode = owner_mode and r.key = call.idempotency_key;
        if earlier.created_at > moment - kept_for
          and (earlier.state = 'final' or earlier.hold = 'open' and earlier.deadline + grace > moment) then
          kinds[call.position] := 'taken';
          frees[call.position] := free;
          continue;
        end if;
        if earlier.hold = 'open' then
          update holds set state = 'void' where id = earlier.request_id;
          insert into usage values (earlier.request_id, owner, owner_mode, earlier.key_id,
            earlier.operation, 504, 'upstream_unavailable', 0, 0,
            extract(epoch from moment - earlier.began) * 1000, moment);
          free := free + earlier.amount;
          taken := taken - earlier.amount;
        end if;
        delete from bodies where request_id = earlier.request_id;
        update replays r
          set fingerprint = call.fingerprint, request_id = call.request_id, state = 'running',
            content_type = null, body = null, body_apart = false, joined = false, created_at = moment
          where r.account_id = owner and r.mode = owner_mode and r.key = call.idempotency_key;
      end if;
    end if;

    allowed := free;
    if watched then
      allowed := least(free, budget_room(owner, owner_mode, call.key_id, moment));
    end if;
    if allowed < greatest(call.minimum, 1) then
      delete from replays r
        where r.account_id = owner and r.mode = owner_mode and r.key = call.idempotency_key;
      kinds[call.position] := 'insufficient';
    else
      amounts[call.position] := least(allowed, greatest(call.most, call.minimum, 1));
      insert into holds values (call.request_id, owner, owner_mode, call.key_id, call.operation,
        amounts[call.position], 'open', to_timestamp(call.deadline / 1000), call.idempotency_key, moment, watched);
      if watched then
        perform hold_in_budgets(owner, owner_mode, call.key_id, amounts[call.position], moment);
      end if;
      free := free - amounts[call.position];
      taken := taken + amounts[call.position];
      kinds[call.position] := 'held';
    end if;
    frees[call.position] := free;
  end loop;

  if taken <> 0 then
    update balances b set held = b.held + taken where b.account_id = owner and b.mode = owner_mode;
  end if;
  return query select * from unnest(kinds, amounts, frees);
end $$;

-- Charges delivered records, once per hold and never more than the hold, and releases the rest. After `not_after` a
-- call is not charged, because its caller has received a failure: a frozen database may run the statement long
-- after it was sent.
create or replace function settle_calls(calls jsonb, grace interval)
returns table (kind text, credits bigint, records integer, truncated boolean, available bigint)
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
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

-- Marks running calls that a request with their key has joined; false for a call that no longer runs. The lock of
-- the balance excludes a release `unless_joined`.
create or replace function join_calls(calls jsonb) returns table (joined boolean) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  ids text[] := array(select c ->> 'request_id' from jsonb_array_elements(calls) c);
begin
  -- A crash that loses a mark ends its request too.
  perform set_config('synchronous_commit', 'off', true);
  perform lock_balances_of(ids);
  update replays r set joined = true from holds h
    where h.id = any (ids) and h.state = 'open' and r.account_id = h.account_id and r.mode = h.mode
      and r.key = h.idempotency_key and r.request_id = h.id and r.state = 'running' and not r.joined;
  return query
  select exists (
    select 1 from holds h join replays r
        on r.account_id = h.account_id and r.mode = h.mode and r.key = h.idempotency_key
      where h.id = i.id and h.state = 'open' and r.request_id = h.id and r.joined)
  from unnest(ids) with ordinality as i (id, position)
  order by i.position;
end $$;

-- Releases holds and frees their idempotency keys; no effect on a hold that is not open, nor with `unless_joined`
-- on a call that another request has joined.
create or replace function release_calls(calls jsonb)
returns table (released boolean) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  moment timestamptz;
begin
  -- A release that a crash loses is repaired when its hold expires.
  perform set_config('synchronous_commit', 'off', true);
  perform lock_balances_of(array(
    select c.request_id from jsonb_to_recordset(calls) as c (request_id text)));
  moment := clock_timestamp();

  return query
  with input as (
    select c.*, row_number() over (partition by c.request_id order by c.position) as turn
    from rows from (jsonb_to_recordset(calls) as (
      request_id text, status integer, error_type text, duration_ms integer, unless_joined boolean
    )) with ordinality as c (request_id, status, error_type, duration_ms, unless_joined, position)
  ), due as (
    select i.*, h.account_id, h.mode, h.key_id, h.operation, h.amount, h.idempotency_key
    from input i cross join lateral (select * from holds h where h.id = i.request_id offset 0) h
    where i.turn = 1 and h.state = 'open'
      and not (coalesce(i.unless_joined, false) and exists (
        select 1 from replays r
        where r.account_id = h.account_id and r.mode = h.mode and r.key = h.idempotency_key
          and r.request_id = i.request_id and r.joined))
  ), closed as (
    update holds h set state = 'void' from due d where h.id = d.request_id
  ), moved as (
    update balances b set held = b.held - s.amount
    from (select account_id, mode, sum(amount)::bigint as amount from due group by account_id, mode) s
    where b.account_id = s.account_id and b.mode = s.mode
  ), counted as (
    insert into usage
    select d.request_id, d.account_id, d.mode, d.key_id, d.operation, d.status, d.error_type, 0, 0,
      d.duration_ms, moment
    from due d
  ), freed as (
    delete from replays r using due d
    where r.request_id = d.request_id
      and r.account_id = d.account_id and r.mode = d.mode and r.key = d.idempotency_key
  ), dropped as (
    delete from bodies b using due d where b.request_id = d.request_id
  )
  select d.request_id is not null and i.turn = 1
  from input i left join due d on d.request_id = i.request_id
  order by i.position;
end $$;

-- Voids up to `at_most` holds whose deadline passed longer than `grace` ago; returns how many.
create or replace function void_expired(grace interval, at_most integer) returns integer language plpgsql as $$
declare
  calls jsonb;
begin
  select jsonb_agg(jsonb_build_object('request_id', h.id, 'status', 504,
      'error_type', 'upstream_unavailable',
      'duration_ms', (extract(epoch from clock_timestamp() - h.created_at) * 1000)::integer))
    into calls
    from (
      select * from holds
      where state = 'open' and deadline + grace <= clock_timestamp()
      order by deadline limit at_most
    ) h;
  if calls is null then
    return 0;
  end if;
  perform release_calls(calls);
  return jsonb_array_length(calls);
end $$;

-- Jobs: one statement accepts a job; one charges and ends it and stores its events.

-- Reserves calls like reserve_calls, and inserts those with a hold as jobs in the same transaction. A call of an
-- account whose stored answers have reached `most_kept` bytes gets `full`, and nothing is held. `created` is Unix
-- time in milliseconds.
create or replace function hand_in_jobs(calls jsonb, grace interval, kept_for interval)
returns table (kind text, amount bigint, available bigint, created float8) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  usual text := current_setting('synchronous_commit');
  due jsonb;
  places bigint[];
  kinds text[];
  amounts bigint[];
  frees bigint[];
begin
  select coalesce(jsonb_agg(c.call order by c.position), '[]'), array_agg(c.position order by c.position)
    into due, places
    from jsonb_array_elements(calls) with ordinality as c (call, position)
    where not exists (
      select 1 from kept_bytes k
      where k.account_id = (c.call ->> 'account_id')::bigint and k.mode = c.call ->> 'mode'
        and k.bytes >= (c.call ->> 'most_kept')::bigint);

  with reserved as materialized (
    select r.* from reserve_calls(due, grace, kept_for)
      with ordinality as r (kind, amount, available, place)
  ), input as (
    select c.* from rows from (jsonb_to_recordset(due) as (
      request_id text, account_id bigint, mode text, key_id text, operation text, version text,
      idempotency_key text, call text, owner text, fields text
    )) with ordinality as c (
      request_id, account_id, mode, key_id, operation, version,
      idempotency_key, call, owner, fields, place)
  ), noted as (
    insert into jobs (request_id, account_id, mode, key_id, operation, version, idempotency_key, call,
      owner, fields)
    select i.request_id, i.account_id, i.mode, i.key_id, i.operation, i.version, i.idempotency_key,
      i.call, i.owner, i.fields
    from input i join reserved r using (place) where r.kind = 'held'
    on conflict (request_id) do nothing
  )
  select array_agg(r.kind order by r.place), array_agg(r.amount order by r.place),
      array_agg(r.available order by r.place)
    into kinds, amounts, frees
    from reserved r;
  -- Nobody waits for an accepted job, so its row must survive a crash.
  perform set_config('synchronous_commit', usual, true);

  -- A separate statement sees rows that another transaction inserted while this one waited for locks.
  return query
  select coalesce(a.kind, 'full'), coalesce(a.amount, 0), coalesce(a.available, 0),
    extract(epoch from j.created_at)::float8 * 1000
  from jsonb_array_elements(calls) with ordinality as c (call, position)
    left join unnest(places, kinds, amounts, frees) as a (position, kind, amount, available)
      on a.position = c.position
    left join jobs j on j.request_id = c.call ->> 'request_id'
  order by c.position;
end $$;

-- Ends jobs, once each, and emits their events in the same transaction. A failure releases its hold; a call that was
-- charged meanwhile ends as charged.
create or replace function end_and_tell_jobs(ends jsonb) returns table (state text) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  usual text := current_setting('synchronous_commit');
  failures jsonb;
  states text[];
begin
  select jsonb_agg(e) into failures from jsonb_array_elements(ends) e where e ? 'error_type';
  if failures is not null then
    perform release_calls(failures);
    perform set_config('synchronous_commit', usual, true);
  end if;

  with input as (
    select c.*, row_number() over (partition by c.request_id order by c.position) as turn
    from rows from (jsonb_to_recordset(ends) as (
      request_id text, status integer, retry_after integer, error_type text, error_message text,
      error text, started_at float8
    )) with ordinality as c (
      request_id, status, retry_after, error_type, error_message, error, started_at, position)
  ), changed as (
    update jobs j set
      state = case when coalesce(s.status, i.status) = 200 then 'succeeded' else 'failed' end,
      status = coalesce(s.status, i.status),
      retry_after = case when s.status is null then i.retry_after end,
      error_type = case when s.status is null then i.error_type
        when s.status = 404 then 'not_found' end,
      error_message = case when s.status is null then i.error_message end,
      error = case when s.status is null then i.error end,
      started_at = coalesce(j.started_at, to_timestamp(i.started_at / 1000)),
      ended_at = clock_timestamp(),
      call = null,
      owner = null
    from input i left join lateral (
      select * from settlements s where s.hold_id = i.request_id offset 0) s on true
    where j.request_id = i.request_id and i.turn = 1 and j.state in ('queued', 'running')
    returning j.request_id, j.state
  )
  select array_agg(coalesce(c.state, j.state) order by i.position) into states
  from input i
    left join changed c on c.request_id = i.request_id
    left join jobs j on j.request_id = i.request_id;

  perform tell_jobs(array(select e ->> 'request_id' from jsonb_array_elements(ends) e));
  return query select unnest(states);
end $$;

-- Emits the ends of jobs, each once, however often the function is called, and clears their owner.
create or replace function tell_jobs(ids text[]) returns void language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  events jsonb;
begin
  select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'account_id', j.account_id, 'mode', j.mode, 'type', 'job.ended',
      'subject', j.request_id || '/' || j.state,
      'url', (select a.url from webhook_addresses a
        where a.subject = j.request_id and a.account_id = j.account_id and a.mode = j.mode),
      'data', jsonb_build_object('request_id', j.request_id, 'operation', j.operation,
        'mode', j.mode, 'state', j.state))))
    into events
    from jobs j
    where j.request_id = any (ids) and j.state not in ('queued', 'running')
      and exists (select 1 from webhook_endpoints w
        where w.account_id = j.account_id and w.mode = j.mode and w.off_since is null);
  if events is not null then
    perform emit_webhooks(events);
  end if;
  update jobs j set owner = null
    where j.request_id = any (ids) and j.owner is not null and j.state not in ('queued', 'running');
end $$;

-- Charges jobs like settle_calls, and ends those that are charged, with their `started_at`.
create or replace function settle_jobs(calls jsonb, grace interval)
returns table (kind text, credits bigint, records integer, truncated boolean, available bigint, state text)
language plpgsql as $$
#variable_conflict use_column
declare
  settled jsonb;
  ends jsonb;
  places bigint[];
begin
  select jsonb_agg(jsonb_build_object('kind', s.kind, 'credits', s.credits, 'records', s.records,
      'truncated', s.truncated, 'available', s.available) order by s.position),
    array_agg(s.position order by s.position) filter (where s.kind <> 'expired')
    into settled, places
    from settle_calls(calls, grace)
      with ordinality as s (kind, credits, records, truncated, available, position);
  select jsonb_agg(jsonb_build_object('request_id', c.call -> 'request_id', 'status', c.call -> 'status',
      'started_at', c.call -> 'started_at') order by c.position)
    into ends
    from jsonb_array_elements(calls) with ordinality as c (call, position)
    where c.position = any (places);
  return query
  with ended as materialized (
    select places[e.place] as position, e.state
    from end_and_tell_jobs(coalesce(ends, '[]')) with ordinality as e (state, place)
  )
  select s.kind, s.credits, s.records, s.truncated, s.available, e.state
  from rows from (jsonb_to_recordset(settled) as (
      kind text, credits bigint, records integer, truncated boolean, available bigint
    )) with ordinality as s (kind, credits, records, truncated, available, position)
    left join ended e on e.position = s.position
  order by s.position;
end $$;

drop function if exists cancel_jobs(text[], bigint, text);

-- Cancels jobs of an account; returns one row per job. Only a call whose hold is released here is cancelled: the
-- lock of the balance decides whether settle or release comes first. `because` and `reason` as in cancel_batch.
create or replace function cancel_jobs(ids text[], owner_account bigint, owner_mode text,
  because text default null, reason text default null)
returns table (request_id text, operation text, cancelled boolean, state text) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  usual text := current_setting('synchronous_commit');
  calls jsonb;
  freed text[];
begin
  select jsonb_agg(jsonb_build_object('request_id', j.request_id, 'status', 499,
      'error_type', 'cancelled', 'duration_ms',
      (extract(epoch from clock_timestamp() - j.created_at) * 1000)::integer) order by j.request_id)
    into calls
    from jobs j
    where j.request_id = any (ids) and j.account_id = owner_account and j.mode = owner_mode
      and j.state in ('queued', 'running');
  if calls is not null then
    select array_agg(c.request_id) into freed
      from rows from (jsonb_to_recordset(calls) as (request_id text), release_calls(calls))
        as c (request_id, released)
      where c.released;
    perform set_config('synchronous_commit', usual, true);
    update jobs j set state = 'cancelled', ended_at = clock_timestamp(), call = null,
        error_type = because, error_message = reason
      where j.request_id = any (freed) and j.state in ('queued', 'running');
  end if;
  return query
  select j.request_id, j.operation, j.request_id = any (coalesce(freed, '{}')), case
      when j.state in ('succeeded', 'failed', 'cancelled') then j.state
      when s.status = 200 then 'succeeded' else 'failed' end
  from jobs j left join lateral (
    select * from settlements s where s.hold_id = j.request_id offset 0) s on true
  where j.request_id = any (ids) and j.account_id = owner_account and j.mode = owner_mode;
end $$;

-- Takes over jobs whose owner's lease has expired, oldest first.
create or replace function adopt_jobs(new_owner text, at_most integer)
returns setof jobs language sql as $$
  update jobs set owner = new_owner where request_id in (
    select j.request_id from jobs j
    where j.owner is not null
      and not exists (
        select 1 from job_owners o where o.id = j.owner and o.until > clock_timestamp())
    order by j.created_at limit at_most for update skip locked)
  returning *
$$;

-- Takes back jobs whose hand-in had no answer and whose callers were refused: voids their holds, frees their
-- keys, deletes their rows. `fate` is `gone`; `kept` where a caller has learned of the job since, or it is charged
-- (its `owner` then leaves it to the next process); `open` where the hand-in has not come and still may. The lock
-- of the balance excludes a hand-in under way, and a later one is `late`.
create or replace function take_back_jobs(calls jsonb) returns table (fate text) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  usual text := current_setting('synchronous_commit');
  moment timestamptz;
  here text[];
  kept text[];
  refused jsonb;
begin
  perform 1 from balances b
    where (b.account_id, b.mode) in (
      select c.account_id, c.mode from jsonb_to_recordset(calls) as c (account_id bigint, mode text))
    order by b.account_id, b.mode
    for update;
  moment := clock_timestamp();
  here := array(
    select j.request_id from jobs j
    where j.request_id in (select c ->> 'request_id' from jsonb_array_elements(calls) c)
    order by j.request_id for update);
  kept := array(
    select j.request_id from jobs j
    where j.request_id = any (here)
      and (j.confirmed or exists (select 1 from settlements s where s.hold_id = j.request_id)));
  select jsonb_agg(jsonb_build_object('request_id', j.request_id, 'status', 503,
      'error_type', 'upstream_unavailable',
      'duration_ms', (extract(epoch from moment - j.created_at) * 1000)::integer) order by j.request_id)
    into refused
    from jobs j where j.request_id = any (here) and j.request_id <> all (kept);
  if refused is not null then
    perform release_calls(refused);
    perform set_config('synchronous_commit', usual, true);
    delete from jobs j where j.request_id = any (here) and j.request_id <> all (kept);
  end if;
  update jobs j set owner = ''
    from jsonb_to_recordset(calls) as c (request_id text, owner text)
    where j.request_id = c.request_id and j.request_id = any (kept) and j.owner = c.owner;
  return query
  select case when c.call ->> 'request_id' = any (kept) then 'kept'
    when c.call ->> 'request_id' = any (here)
      or coalesce(to_timestamp((c.call ->> 'not_after')::float8 / 1000) <= moment, true) then 'gone'
    else 'open' end
  from jsonb_array_elements(calls) with ordinality as c (call, position)
  order by c.position;
end $$;

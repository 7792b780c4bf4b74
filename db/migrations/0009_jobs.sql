-- Calls that are carried out without a waiting caller. Whoever is named in `owner` carries the call out,
-- or has yet to tell its end; a process that is no longer in `job_owners` has left its calls to the others.

create table job_owners (
  id text primary key,
  until timestamptz not null
);

create table jobs (
  request_id text primary key,
  account_id bigint not null,
  mode text not null,
  key_id text not null,
  operation text not null,
  -- of the contract in which it was asked
  version text not null,
  -- the key under which `replays` remembers the answer
  idempotency_key text not null,
  -- JSON of what the call is understood from; gone with its end
  call text,
  batch_id text,
  item integer,
  state text not null default 'queued'
    check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  status integer,
  -- of a failure; other answers, a 404 too, are replays
  retry_after integer,
  error_type text,
  error_message text,
  error text,
  owner text
);
create index jobs_listed on jobs (account_id, mode, created_at, request_id) where batch_id is null;
create index jobs_batch on jobs (batch_id, item) where batch_id is not null;
create index jobs_owned on jobs (owner) where owner is not null;
create index jobs_age on jobs (created_at);

-- Reserves as reserve_calls does, and notes what is held as jobs in the same transaction.
create function accept_jobs(calls jsonb, grace interval, kept_for interval)
returns table (kind text, amount bigint, available bigint) language plpgsql
set enable_seqscan = off as $$
#variable_conflict use_column
declare
  usual text := current_setting('synchronous_commit');
begin
  return query
  with reserved as materialized (
    select r.* from reserve_calls(calls, grace, kept_for)
      with ordinality as r (kind, amount, available, position)
  ), input as (
    select c.* from rows from (jsonb_to_recordset(calls) as (
      request_id text, account_id bigint, mode text, key_id text, operation text, version text,
      idempotency_key text, call text, batch_id text, item integer, owner text
    )) with ordinality as c (
      request_id, account_id, mode, key_id, operation, version,
      idempotency_key, call, batch_id, item, owner, position)
  ), noted as (
    insert into jobs (request_id, account_id, mode, key_id, operation, version, idempotency_key, call,
      batch_id, item, owner)
    select i.request_id, i.account_id, i.mode, i.key_id, i.operation, i.version, i.idempotency_key,
      i.call, i.batch_id, i.item, i.owner
    from input i join reserved r using (position) where r.kind = 'held'
    on conflict (request_id) do nothing
  )
  select r.kind, r.amount, r.available from reserved r order by r.position;
  -- Who was told that a call is accepted may go away.
  perform set_config('synchronous_commit', usual, true);
end $$;

-- Ends jobs, once each. A failure gives its hold back in the same transaction; where the call has been
-- charged meanwhile that is how it ended. The owner keeps those whose end is yet to be told.
create function end_jobs(ends jsonb) returns table (state text) language plpgsql
set enable_seqscan = off as $$
#variable_conflict use_column
declare
  usual text := current_setting('synchronous_commit');
  failures jsonb;
begin
  select jsonb_agg(e) into failures from jsonb_array_elements(ends) e where e ? 'error_type';
  if failures is not null then
    perform release_calls(failures);
    perform set_config('synchronous_commit', usual, true);
  end if;

  return query
  with input as (
    select c.*, row_number() over (partition by c.request_id order by c.position) as turn
    from rows from (jsonb_to_recordset(ends) as (
      request_id text, status integer, retry_after integer, error_type text, error_message text,
      error text, started_at float8, told boolean
    )) with ordinality as c (
      request_id, status, retry_after, error_type, error_message, error, started_at, told, position)
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
      owner = case when not coalesce(i.told, false) then j.owner end
    from input i left join lateral (
      select * from settlements s where s.hold_id = i.request_id offset 0) s on true
    where j.request_id = i.request_id and i.turn = 1 and j.state in ('queued', 'running')
    returning j.request_id, j.state
  )
  select coalesce(c.state, j.state)
  from input i
    left join changed c on c.request_id = i.request_id
    left join jobs j on j.request_id = i.request_id
  order by i.position;
end $$;

-- Cancels jobs of an account; one row for each that it has. Only a call whose hold is given back here is
-- cancelled: settle and release decide between themselves under the lock of the balance.
create function cancel_jobs(ids text[], owner_account bigint, owner_mode text)
returns table (request_id text, operation text, cancelled boolean, state text) language plpgsql
set enable_seqscan = off as $$
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
    update jobs j set state = 'cancelled', ended_at = clock_timestamp(), call = null
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

-- Takes over what nobody carries out any more, the oldest first.
create function adopt_jobs(new_owner text, at_most integer)
returns setof jobs language sql as $$
  update jobs set owner = new_owner where request_id in (
    select j.request_id from jobs j
    where j.owner is not null
      and not exists (
        select 1 from job_owners o where o.id = j.owner and o.until > clock_timestamp())
    order by j.created_at limit at_most for update skip locked)
  returning *
$$;

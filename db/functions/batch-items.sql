-- Items of a batch, from waiting to their line in the results. Locks are taken in one order: balances, then
-- batches, then items.

-- The request id is the same in every process that carries the item out, so a second process joins the job of the
-- first. Stable, not immutable: only so does Postgres inline the function, because the functions in it are stable.
create or replace function item_request_id(public_id text, number integer, attempt integer) returns text
language sql stable as $$
  select 'svc_' || left(encode(sha256(convert_to(
    public_id || ':' || number || ':' || attempt, 'UTF8')), 'hex'), 32)
$$;

drop function if exists start_batch_items(bigint, text, integer, text, interval, integer);

-- Starts up to `at_most` waiting items of a pool whose pause is over, and holds their credits. An item whose full
-- price exceeds the remaining credits waits while other items of its batch run and release theirs; if none runs,
-- it gets the remaining credits, like any call. `kind`: held; refused, if its minimum is not available; wait, one
-- more row if further items wait for credits.
--
-- `behind`: only items with a higher number. Without this bound the search for the first waiting item passes the
-- dead index entries of all items that have started since the table was last vacuumed.
--
-- A crawl whose credits are exhausted ends instead of refusing its items. `with_crawls`: a process of an earlier
-- release cannot carry out the items of a crawl.
create or replace function start_batch_items(
  for_batch bigint, in_pool text, at_most integer, new_owner text, grace interval,
  behind integer default -1, with_crawls boolean default false)
returns table (kind text, number integer, request_id text, operation text, input text, attempt integer,
  tries integer, amount bigint, deadline float8, available bigint, crawl text)
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  batch record;
  of_crawl crawls;
  is_crawl boolean;
  item record;
  free bigint;
  room bigint;
  watched boolean;
  needed bigint;
  taken bigint := 0;
  moment timestamptz;
  calls jsonb[] := '{}';
  chosen integer[] := '{}';
  refused integer[] := '{}';
  waits boolean := false;
begin
  perform set_config('synchronous_commit', 'off', true);
  select b.account_id, b.mode into batch from batches b where b.id = for_batch;
  select b.balance - b.held, b.budgeted into free, watched from balances b
    where b.account_id = batch.account_id and b.mode = batch.mode for update;
  select * into batch from batches b where b.id = for_batch for update;
  -- The process that received the batch may still take it back.
  if batch.state is distinct from 'running' or batch.began_at is null then
    return;
  end if;
  -- The batch was accepted while its key was revoked.
  if is_revoked(batch.key_id) then
    perform cancel_batch(batch.public_id, batch.account_id, batch.mode, 'unauthorized',
      'The key ' || batch.key_id || ' was revoked');
    return;
  end if;
  moment := clock_timestamp();
  select * into of_crawl from crawls c where c.batch_id = for_batch;
  is_crawl := found;
  if is_crawl then
    if not with_crawls then
      return;
    end if;
    at_most := least(at_most, crawl_room(of_crawl, moment));
    if at_most <= 0 then
      return query select 'wait', 0, '', '', '', 0, 0, 0::bigint, 0::float8, free, null::text;
      return;
    end if;
  end if;
  room := least(free, coalesce(batch.max_credits - batch.charged - batch.held, free));
  if watched then
    room := least(room, budget_room(batch.account_id, batch.mode, batch.key_id, moment));
  end if;

  for item in
    select i.* from batch_items i
    where i.batch_id = for_batch and i.pool = in_pool and i.owner is null and i.number > behind
      and (i.not_before is null or i.not_before <= moment)
    order by i.number limit at_most
  loop
    needed := greatest(item.most, item.minimum, 1);
    if room < needed and batch.held + taken > 0 then
      waits := true;
      exit;
    end if;
    if room < greatest(item.minimum, 1) and is_crawl then
      if batch.running = 0 and taken = 0 then
        perform stop_crawl(for_batch);
        return;
      end if;
      exit;
    end if;
    if room < greatest(item.minimum, 1) then
      refused := refused || item.number;
      continue;
    end if;
    needed := least(needed, room);
    room := room - needed;
    taken := taken + needed;
    chosen := chosen || item.number;
    calls := calls || jsonb_build_object(
      'request_id', item_request_id(batch.public_id, item.number, item.attempt),
      'account_id', batch.account_id, 'mode', batch.mode, 'key_id', batch.key_id,
      'operation', item.operation, 'minimum', item.minimum, 'most', needed,
      'deadline', extract(epoch from moment)::float8 * 1000 + item.lasts_ms);
  end loop;

  if chosen || refused <> '{}' then
    if chosen <> '{}' and exists (
      select 1 from reserve_calls(to_jsonb(calls), grace, interval '1 day') r where r.kind <> 'held'
    ) then
      raise exception 'an item of batch % found no credits', batch.public_id;
    end if;
    update batch_items i set owner = new_owner
      where i.batch_id = for_batch and i.number = any (chosen || refused);
    update batches b set queued = b.queued - cardinality(chosen || refused),
        running = b.running + cardinality(chosen || refused), held = b.held + taken
      where b.id = for_batch;
    if is_crawl then
      update crawls c set next_start = clock_timestamp() + p.pause * interval '1 ms'
        from crawl_pause(of_crawl) as p (pause)
        where c.batch_id = for_batch and p.pause > 0;
    end if;
  end if;

  return query
  select case when i.number = any (chosen) then 'held' else 'refused' end, i.number,
    item_request_id(batch.public_id, i.number, i.attempt), i.operation, i.input, i.attempt,
    i.tries, h.amount, extract(epoch from h.deadline)::float8 * 1000, free - taken, i.crawl::text
  from batch_items i
    left join lateral (
      select * from holds h
      where h.id = item_request_id(batch.public_id, i.number, i.attempt) offset 0) h on true
  where i.batch_id = for_batch and i.number = any (chosen || refused)
  order by i.number;
  -- Further items of a crawl wait for those that run.
  if waits or is_crawl then
    return query select 'wait', 0, '', '', '', 0, 0, 0::bigint, 0::float8, free - taken, null::text;
  end if;
end $$;

-- Ends items, once each, in the given order. `outcome`: settle, for a call that is charged; fail, for a call that
-- is not; again, which puts the item back as a new call after `pause_ms`, and counts as one of its tries unless
-- `uncounted`. An item that ends after its batch was
-- cancelled is cancelled as well and costs nothing. Each failure emits an event, also when the batch ends with it.
-- An item of a crawl may have `found`; its page may be dropped, which is free and gives no line.
-- `kind`: ended; dropped; cancelled; again; expired, if its hold is gone and the item is still to be ended; gone, if the
-- item had ended before.
create or replace function end_batch_items(ends jsonb, grace interval)
returns table (kind text, credits bigint, sequence bigint, batch_ended boolean)
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  usual text := current_setting('synchronous_commit');
  known jsonb;
  paid jsonb := '{}';
  back jsonb;
  of_crawls boolean;
begin
  perform lock_balances_of(array(
    select e.request_id from jsonb_to_recordset(ends) as e (request_id text)));
  perform 1 from batches b
    where b.id in (select e.batch_id from jsonb_to_recordset(ends) as e (batch_id bigint))
    order by b.id for update;

  -- The outcome of each item that this attempt still owns, by position.
  select jsonb_object_agg(e.position, case
      when b.state = 'cancelling' then 'cancelled' else e.outcome end)
    into known
    from (
      select c.*, row_number() over (partition by c.request_id order by c.position) as turn
      from rows from (jsonb_to_recordset(ends) as (
        batch_id bigint, number integer, request_id text, outcome text
      )) with ordinality as c (batch_id, number, request_id, outcome, position)
    ) e
      join batches b on b.id = e.batch_id
      join batch_items i on i.batch_id = e.batch_id and i.number = e.number and i.owner is not null
    where e.turn = 1 and e.request_id = item_request_id(b.public_id, i.number, i.attempt);
  known := coalesce(known, '{}');
  of_crawls := exists (
    select 1 from jsonb_to_recordset(ends) as e (batch_id bigint) join crawls c on c.batch_id = e.batch_id);
  if of_crawls then
    known := crawl_outcomes(ends, known);
  end if;

  with due as (
    select e.value as call, e.position
    from jsonb_array_elements(ends) with ordinality as e (value, position)
    where known ->> e.position::text = 'settle'
  ), asked as (
    select coalesce(jsonb_agg(d.call - 'body' - 'content_type' - 'found' order by d.position), '[]') as calls,
      array_agg(d.position order by d.position) as positions
    from due d
  )
  select coalesce(jsonb_object_agg(a.positions[s.place], jsonb_build_object('kind', s.kind,
      'credits', s.credits, 'records', s.records, 'truncated', s.truncated, 'available', s.available)), '{}')
    into paid
    from asked a cross join lateral settle_calls(a.calls, grace)
      with ordinality as s (kind, credits, records, truncated, available, place);

  select jsonb_agg((e.value - 'found' - 'body') || case known ->> e.position::text
      when 'cancelled' then jsonb_build_object('status', 499, 'error_type', 'cancelled') else '{}' end
      order by e.position)
    into back
    from jsonb_array_elements(ends) with ordinality as e (value, position)
    where known ->> e.position::text in ('fail', 'again', 'cancelled', 'drop');
  if back is not null then
    perform release_calls(back);
    -- A crash may lose a release, but not the end of an item.
    perform set_config('synchronous_commit', usual, true);
  end if;
  if of_crawls then
    perform grow_crawls(ends, known, paid);
  end if;

  return query
  with input as (
    select e.*, k.outcome, p.paid, coalesce((h.amount), 0) as held,
      case when k.outcome is null then 'gone'
        when p.paid ->> 'kind' = 'expired' then 'expired'
        when k.outcome in ('settle', 'fail') then 'ended'
        when k.outcome = 'drop' then 'dropped'
        else k.outcome end as verdict
    from rows from (jsonb_to_recordset(ends) as (
      batch_id bigint, number integer, request_id text, status integer, error_type text,
      body text, parts integer, kept bigint, pause_ms bigint, uncounted boolean
    )) with ordinality as e (
      batch_id, number, request_id, status, error_type, body, parts, kept, pause_ms, uncounted, position)
      cross join lateral (select known ->> e.position::text as outcome) k
      cross join lateral (select paid -> e.position::text as paid) p
      left join lateral (select * from holds h where h.id = e.request_id offset 0) h on true
  ), ended as (
    select i.*, b.sequence + row_number() over (partition by i.batch_id order by i.position) as place
    from input i join batches b on b.id = i.batch_id
    where i.verdict = 'ended'
  ), left_items as (
    delete from batch_items t using input i
    where t.batch_id = i.batch_id and t.number = i.number and i.verdict in ('ended', 'dropped', 'cancelled')
    returning t.batch_id, t.number, t.custom_id,
      case when i.status <> 200 then to_jsonb(t) - 'owner' end as item
  ), told as (
    insert into batch_results
    select e.batch_id, e.place, l.custom_id, e.request_id, e.status,
      coalesce((e.paid ->> 'credits')::bigint, 0), coalesce((e.paid ->> 'records')::integer, 0),
      coalesce((e.paid ->> 'truncated')::boolean, false), (e.paid ->> 'available')::bigint,
      decode(e.body, 'base64'), e.parts, l.item
    from ended e join left_items l on l.batch_id = e.batch_id and l.number = e.number
  ), put_back as (
    update batch_items t set owner = null, attempt = t.attempt + 1,
      tries = t.tries + case when i.uncounted then 0 else 1 end,
      not_before = clock_timestamp() + nullif(i.pause_ms, 0) * interval '1 ms'
    from input i
    where t.batch_id = i.batch_id and t.number = i.number and i.verdict = 'again'
  ), sums as (
    select i.batch_id,
      count(*) filter (where i.verdict = 'ended') as ended,
      count(*) filter (where i.verdict = 'ended' and i.status = 200) as succeeded,
      count(*) filter (where i.verdict = 'dropped') as dropped,
      count(*) filter (where i.verdict = 'cancelled') as cancelled,
      count(*) filter (where i.verdict = 'again') as again,
      coalesce(sum(i.held) filter (where i.verdict <> 'expired'), 0)::bigint as held,
      coalesce(sum((i.paid ->> 'credits')::bigint), 0)::bigint as charged,
      coalesce(sum(i.kept) filter (where i.verdict = 'ended'), 0)::bigint as kept
    from input i where i.verdict <> 'gone' group by i.batch_id
  ), counted as (
    update batches b set
      total = b.total - s.dropped,
      queued = b.queued + s.again,
      running = b.running - s.ended - s.dropped - s.cancelled - s.again,
      succeeded = b.succeeded + s.succeeded,
      failed = b.failed + s.ended - s.succeeded,
      cancelled = b.cancelled + s.cancelled,
      held = b.held - s.held,
      charged = b.charged + s.charged,
      kept = b.kept + s.kept,
      sequence = b.sequence + s.ended,
      state = case when b.queued + b.running - s.ended - s.dropped - s.cancelled > 0 then b.state
        when b.state = 'cancelling' then 'cancelled' else 'ended' end,
      ended_at = case when b.queued + b.running - s.ended - s.dropped - s.cancelled = 0 then clock_timestamp() end
    from sums s where b.id = s.batch_id
    returning b.id, b.public_id, b.account_id, b.mode, b.state, b.sequence, s.kept
  ), noted as (
    insert into kept_changes (account_id, mode, bytes)
    select c.account_id, c.mode, c.kept from counted c where c.kept <> 0
  ), events as (
    select c.account_id, c.mode, batch_event(c.account_id, c.mode, 'batch.item_failed', e.request_id,
      c.public_id, jsonb_build_object('custom_id', l.custom_id, 'request_id', e.request_id)) as event
    from ended e join left_items l on l.batch_id = e.batch_id and l.number = e.number
      join counted c on c.id = e.batch_id
    where e.status <> 200
    union all
    select c.account_id, c.mode, batch_event(c.account_id, c.mode, 'batch.ended',
      batch_end(c.public_id, c.sequence, c.state), c.public_id, jsonb_build_object('state', c.state))
    from counted c where c.state in ('cancelled', 'ended')
  ), emitted as (
    select emit_webhooks(jsonb_agg(v.event)) as made from events v
    where exists (select 1 from webhook_endpoints w
      where w.account_id = v.account_id and w.mode = v.mode and w.off_since is null)
    having count(*) > 0
  )
  select i.verdict, (i.paid ->> 'credits')::bigint, e.place,
    coalesce(c.state in ('cancelled', 'ended'), false)
  from input i
    -- The join makes Postgres run `emitted`, so that events are emitted in every case.
    cross join (select count(m.made) from emitted m) of_events
    left join ended e on e.position = i.position
    left join counted c on c.id = i.batch_id and i.verdict <> 'gone'
  order by i.position;
end $$;

drop function if exists adopt_batch_items(text, integer);

-- Takes over items whose owner's lease has expired. An item without an open hold has no `amount`.
create or replace function adopt_batch_items(new_owner text, at_most integer, with_crawls boolean default false)
returns table (batch_id bigint, kind text, number integer, request_id text, operation text, input text,
  attempt integer, tries integer, amount bigint, deadline float8, available bigint, crawl text)
language sql as $$
  with lost as (
    select i.batch_id, i.number from batch_items i
    where i.owner is not null and i.owner <> new_owner and (with_crawls or i.crawl is null) and not exists (
      select 1 from job_owners o where o.id = i.owner and o.until > clock_timestamp())
    limit at_most for update skip locked
  ), taken as (
    update batch_items i set owner = new_owner from lost l
    where i.batch_id = l.batch_id and i.number = l.number
    returning i.*
  )
  select t.batch_id, case when h.id is null then 'lost' else 'held' end, t.number,
    item_request_id(b.public_id, t.number, t.attempt), t.operation, t.input, t.attempt, t.tries,
    h.amount, extract(epoch from h.deadline)::float8 * 1000, null::bigint, t.crawl::text
  from taken t join batches b on b.id = t.batch_id
    left join lateral (
      select * from holds h
      where h.id = item_request_id(b.public_id, t.number, t.attempt) and h.state = 'open' offset 0
    ) h on true
$$;

-- Starting items of a batch costs what they are, not what has started before them.

-- What it calls is stable, so that as an immutable function it could not be made part of the statements that
-- use it: each of four uses for an item was a call of its own.
alter function item_request_id(text, integer, integer) stable;

-- As before; only items behind a number, where one is told. Without it the way to the first waiting item leads
-- past what is left in the index of all that were started since the table was last cleaned.
drop function start_batch_items(bigint, text, integer, text, interval);
create function start_batch_items(
  for_batch bigint, in_pool text, at_most integer, new_owner text, grace interval,
  behind integer default -1)
returns table (kind text, number integer, request_id text, operation text, input text, attempt integer,
  tries integer, amount bigint, deadline float8, available bigint)
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
  batch record;
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
  if batch.state is distinct from 'running' then
    return;
  end if;
  moment := clock_timestamp();
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
  end if;

  return query
  select case when i.number = any (chosen) then 'held' else 'refused' end, i.number,
    item_request_id(batch.public_id, i.number, i.attempt), i.operation, i.input, i.attempt,
    i.tries, h.amount, extract(epoch from h.deadline)::float8 * 1000, free - taken
  from batch_items i
    left join lateral (
      select * from holds h
      where h.id = item_request_id(batch.public_id, i.number, i.attempt) offset 0) h on true
  where i.batch_id = for_batch and i.number = any (chosen || refused)
  order by i.number;
  if waits then
    return query select 'wait', 0, '', '', '', 0, 0, 0::bigint, 0::float8, free - taken;
  end if;
end $$;

-- A job by two statements: one that takes it in, one that charges it, ends it and writes down whom to tell.
-- What earlier releases ask for stays as it was.

-- As accept_jobs, and in the same statement: an account whose kept answers fill their space (`most_kept`,
-- in bytes, of each call) is told so, `full`, and nothing is set aside. `created` is Unix time in milliseconds.
create function hand_in_jobs(calls jsonb, grace interval, kept_for interval)
returns table (kind text, amount bigint, available bigint, created float8) language plpgsql
set enable_seqscan = off as $$
#variable_conflict use_column
declare
  due jsonb;
  places bigint[];
  kinds text[];
  amounts bigint[];
  frees bigint[];
begin
  select jsonb_agg(c.call order by c.position), array_agg(c.position order by c.position)
    into due, places
    from jsonb_array_elements(calls) with ordinality as c (call, position)
    where not exists (
      select 1 from kept_bytes k
      where k.account_id = (c.call ->> 'account_id')::bigint and k.mode = c.call ->> 'mode'
        and k.bytes >= (c.call ->> 'most_kept')::bigint);
  select array_agg(a.kind order by a.place), array_agg(a.amount order by a.place),
      array_agg(a.available order by a.place)
    into kinds, amounts, frees
    from accept_jobs(coalesce(due, '[]'), grace, kept_for)
      with ordinality as a (kind, amount, available, place);
  return query
  select coalesce(a.kind, 'full'), coalesce(a.amount, 0), coalesce(a.available, 0),
    extract(epoch from j.created_at)::float8 * 1000
  from jsonb_array_elements(calls) with ordinality as c (call, position)
    left join unnest(places, kinds, amounts, frees) as a (position, kind, amount, available)
      on a.position = c.position
    left join jobs j on j.request_id = c.call ->> 'request_id'
  order by c.position;
end $$;

-- Tells whoever registered for it, or was named with the job, how jobs of no batch have ended; each once,
-- however often it is asked for. Their owner is done with them.
create function tell_jobs(ids text[]) returns void language plpgsql
set enable_seqscan = off as $$
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
    where j.request_id = any (ids) and j.state not in ('queued', 'running') and j.batch_id is null
      and exists (select 1 from webhook_endpoints w
        where w.account_id = j.account_id and w.mode = j.mode and w.off_since is null);
  if events is not null then
    perform emit_webhooks(events);
  end if;
  update jobs j set owner = null
    where j.request_id = any (ids) and j.owner is not null and j.state not in ('queued', 'running');
end $$;

-- Ends jobs as end_jobs does and tells of it in the same transaction.
create function end_and_tell_jobs(ends jsonb) returns table (state text) language plpgsql as $$
#variable_conflict use_column
declare
  states text[];
begin
  select array_agg(e.state order by e.position) into states
    from end_jobs(ends) with ordinality as e (state, position);
  perform tell_jobs(array(select e ->> 'request_id' from jsonb_array_elements(ends) e));
  return query select unnest(states);
end $$;

-- Charges jobs as settle_calls does, and ends those that are charged, with `started_at` of each.
create function settle_jobs(calls jsonb, grace interval)
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
      'started_at', c.call -> 'started_at', 'told', true) order by c.position)
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

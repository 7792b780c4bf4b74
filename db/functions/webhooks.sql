-- Events and their deliveries.

-- Stores a delivery of each event for each of its receivers; returns the number of deliveries. An event is
-- `account_id`, `mode`, `type`, `subject` (its identity: a second event with the same subject is dropped), `data`;
-- with `url` it is sent to that address as well, with `endpoint` to that endpoint only.
create or replace function emit_webhooks(events jsonb, most_pending integer default 10000)
returns integer language plpgsql as $$
#variable_conflict use_column
declare
  moment timestamptz := clock_timestamp();
  made integer;
begin
  with input as (
    select 'evt_' || left(encode(sha256(convert_to(
        concat_ws('/', e.account_id, e.mode, e.type, e.subject), 'UTF8')), 'hex'), 32) as id,
      e.*
    from jsonb_to_recordset(events) as e (
      account_id bigint, mode text, type text, subject text, data jsonb, url text, endpoint text)
  ), target as (
    select distinct on (i.id, w.id) i.id as event_id, i.account_id, i.mode, i.type, i.data,
      w.id as endpoint_id, case when w.url is null then i.url end as url,
      case when w.url is null
        then concat_ws('/', w.id, lower(substring(i.url from '^[^:]+://[^/?#]+'))) else w.id end as lane
    from input i join webhook_endpoints w on w.account_id = i.account_id and w.mode = i.mode
    where w.off_since is null and case
      when i.endpoint is not null then w.id = i.endpoint
      when w.url is null then i.url is not null
      else i.type = any (w.events) end
  ), fresh as (
    select t.* from target t where not exists (select 1 from webhook_events e where e.id = t.event_id)
  ), waiting as (
    select o.account_id, o.mode, (
        select count(*) from (
          select 1 from webhook_deliveries d
          where d.account_id = o.account_id and d.mode = o.mode and d.state in ('pending', 'sending')
          limit most_pending) d) as deliveries
    from (select distinct account_id, mode from fresh) o
  ), kept as (
    select f.* from fresh f join waiting w on w.account_id = f.account_id and w.mode = f.mode
    where w.deliveries < most_pending
  ), written as (
    insert into webhook_events (id, account_id, mode, type, body, created_at)
    select distinct on (k.event_id) k.event_id, k.account_id, k.mode, k.type,
      format('{"type":%s,"timestamp":%s,"data":%s}', to_json(k.type),
        to_json(to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
        coalesce(k.data, '{}')),
      moment
    from kept k
    on conflict do nothing
    returning id
  ), due as (
    insert into webhook_deliveries
      (id, event_id, endpoint_id, account_id, mode, url, lane, due_at, expires_at, created_at)
    select 'whd_' || replace(gen_random_uuid()::text, '-', ''), k.event_id, k.endpoint_id,
      k.account_id, k.mode, k.url, k.lane, moment, moment + interval '24 hours', moment
    from kept k join written on written.id = k.event_id
    returning 1
  ), lost as (
    update webhook_endpoints w set dropped = w.dropped + f.events
    from (
      select f.endpoint_id, count(*) as events
      from fresh f join waiting o on o.account_id = f.account_id and o.mode = f.mode
      where o.deliveries >= most_pending group by f.endpoint_id
    ) f
    where w.id = f.endpoint_id
  )
  select count(*) into made from due;
  return made;
end $$;

-- Leases due deliveries: each lane has at most `per_lane` in flight (one while its endpoint only fails), all lanes
-- together at most `at_most`, those of one account at most a quarter of that. The account with the fewest in flight
-- is next. Only one process leases at a time, so that these concurrency limits hold for all.
create or replace function take_webhooks(per_lane integer, at_most integer, lease interval)
returns table (
  delivery text, attempt integer, event text, url text, body text, secret bytea, former_secret bytea)
language plpgsql as $$
#variable_conflict use_column
declare
  moment timestamptz := clock_timestamp();
  room integer;
begin
  if not pg_try_advisory_xact_lock(7240614) then
    return;
  end if;
  update webhook_deliveries d set state = 'pending', due_at = moment, leased_until = null
    where d.state = 'sending' and d.leased_until <= moment;
  select at_most - count(*) into room from webhook_deliveries d where d.state = 'sending';
  if room <= 0 then
    return;
  end if;

  return query
  with recursive lanes as (
    (select d.lane from webhook_deliveries d where d.state = 'pending' order by d.lane limit 1)
    union all
    select (select d.lane from webhook_deliveries d
        where d.state = 'pending' and d.lane > l.lane order by d.lane limit 1)
      from lanes l where l.lane is not null
  ), sending as (
    select d.account_id, count(*) as deliveries from webhook_deliveries d
    where d.state = 'sending' group by d.account_id
  ), waiting as (
    select p.id, p.due_at, coalesce(s.deliveries, 0)
      + row_number() over (partition by p.account_id order by p.due_at) as turn
    from lanes l cross join lateral (
      select d.id, d.due_at, d.account_id from webhook_deliveries d
        join webhook_endpoints w on w.id = d.endpoint_id
      where d.state = 'pending' and d.lane = l.lane and d.due_at <= moment
      order by d.due_at
      limit greatest(0, (
          select case when w.failing_since is null then per_lane else 1 end
          from webhook_endpoints w where w.id = split_part(l.lane, '/', 1))
        - (select count(*) from webhook_deliveries s where s.state = 'sending' and s.lane = l.lane))
    ) p left join sending s on s.account_id = p.account_id
    where l.lane is not null
  ), due as (
    select w.id from waiting w where w.turn <= greatest(1, at_most / 4)
    order by w.turn, w.due_at limit room
  )
  update webhook_deliveries d
    set state = 'sending', attempts = d.attempts + 1, leased_until = moment + lease
  from due, webhook_events e, webhook_endpoints w
  where d.id = due.id and d.state = 'pending' and e.id = d.event_id and w.id = d.endpoint_id
  returning d.id, d.attempts, d.event_id, coalesce(d.url, w.url), e.body, w.secret,
    case when w.former_until > moment then w.former_secret end;
end $$;

-- Ends the pending deliveries of endpoints that are switched off. They stay in the log and can be replayed.
create or replace function end_webhooks(endpoints text[]) returns void language sql as $$
  update webhook_deliveries d set state = 'failed', ended_at = clock_timestamp()
    where d.endpoint_id = any (endpoints) and d.state = 'pending';
$$;

-- Stores the results of attempts, each once. A result is `delivery`, `attempt`, `delivered`, `gone`, `pause_ms`
-- until the next attempt, and `told`, its entry in the log. An endpoint that has only failed for three days, or
-- reports that it is gone, is switched off; the function returns these endpoints.
create or replace function record_webhooks(heard jsonb)
returns table (endpoint text) language plpgsql as $$
#variable_conflict use_column
declare
  moment timestamptz := clock_timestamp();
  switched text[];
begin
  with answer as (
    select distinct on (a.delivery, a.attempt) a.*
    from jsonb_to_recordset(heard) as a (
      delivery text, attempt integer, delivered boolean, gone boolean, pause_ms float8, told jsonb)
  ), changed as (
    update webhook_deliveries d set
      state = case when a.delivered then 'delivered'
        when a.gone or d.expires_at <= moment or w.off_since is not null then 'failed'
        else 'pending' end,
      ended_at = case when a.delivered or a.gone or d.expires_at <= moment or w.off_since is not null
        then moment end,
      due_at = least(moment + a.pause_ms * interval '1 ms', greatest(d.expires_at, moment)),
      leased_until = null,
      answers = case when jsonb_array_length(d.answers) >= 5 then d.answers - 0 else d.answers end
        || jsonb_build_array(a.told)
    from answer a, webhook_endpoints w
    where d.id = a.delivery and d.attempts = a.attempt and d.state = 'sending' and w.id = d.endpoint_id
    returning d.endpoint_id, a.delivered, a.gone
  ), sum as (
    select c.endpoint_id, bool_or(c.delivered) as delivered, bool_or(c.gone) as gone
    from changed c group by c.endpoint_id order by c.endpoint_id
  ), judged as (
    select w.id, s.delivered,
      case when w.off_since is not null then w.off_reason
        when s.delivered then null
        when s.gone then 'gone'
        when w.failing_since <= moment - interval '3 days' then 'failing' end as reason,
      w.off_since is null as was_on
    from sum s join webhook_endpoints w on w.id = s.endpoint_id
    where w.url is not null and (not s.delivered or w.failing_since is not null)
  ), updated as (
    update webhook_endpoints w set
      failing_since = case when j.delivered then null else coalesce(w.failing_since, moment) end,
      off_reason = j.reason,
      off_since = case when j.reason is not null then coalesce(w.off_since, moment) end
    from judged j where w.id = j.id
    returning w.id, j.was_on and w.off_since is not null as went_off
  )
  select array_agg(u.id) into switched from updated u where u.went_off;
  if switched is not null then
    perform end_webhooks(switched);
    return query select unnest(switched);
  end if;
end $$;

-- The lock of the account row keeps two concurrent calls from both adding the last endpoint. A row without an
-- address stands for the addresses of single jobs and batches, and does not count. A repetition with the same id
-- changes nothing; `late`, and nothing is added, once `not_after` (Unix time in milliseconds) has passed.
drop function if exists add_webhook_endpoint(text, bigint, text, text, text, text[], bytea, integer);
create or replace function add_webhook_endpoint(new_id text, for_account bigint, in_mode text, address text,
  about text, kinds text[], new_secret bytea, most integer, not_after float8 default null)
returns text language plpgsql as $$
begin
  perform 1 from accounts where id = for_account for update;
  if exists (select 1 from webhook_endpoints w where w.id = new_id and w.account_id = for_account) then
    return 'added';
  end if;
  if to_timestamp(not_after / 1000) <= clock_timestamp() then
    return 'late';
  end if;
  if address is not null and (select count(*) from webhook_endpoints w
      where w.account_id = for_account and w.mode = in_mode and w.url is not null) >= most then
    return 'endpoint_limit';
  end if;
  insert into webhook_endpoints (id, account_id, mode, url, description, events, secret)
    values (new_id, for_account, in_mode, address, about, kinds, new_secret)
    on conflict do nothing;
  return case when found then 'added' else 'endpoint_exists' end;
end $$;

-- `change` has the members that change: url, description, events, enabled.
create or replace function change_webhook_endpoint(old_id text, for_account bigint, in_mode text, change jsonb)
returns text language plpgsql as $$
begin
  update webhook_endpoints w set
    url = coalesce(change ->> 'url', w.url),
    description = coalesce(change ->> 'description', w.description),
    events = case when change ? 'events'
      then array(select jsonb_array_elements_text(change -> 'events')) else w.events end,
    off_since = case change ->> 'enabled' when 'true' then null
      when 'false' then coalesce(w.off_since, clock_timestamp()) else w.off_since end,
    off_reason = case change ->> 'enabled' when 'true' then null
      when 'false' then coalesce(w.off_reason, 'owner') else w.off_reason end,
    failing_since = case when change ->> 'enabled' = 'true' or change ? 'url' then null
      else w.failing_since end
    where w.id = old_id and w.account_id = for_account and w.mode = in_mode and w.url is not null;
  if not found then
    return 'endpoint_unknown';
  end if;
  if change ->> 'enabled' = 'false' then
    perform end_webhooks(array[old_id]);
  end if;
  return 'changed';
exception when unique_violation then
  return 'endpoint_exists';
end $$;

-- Claims the Idempotency-Key of a write to the gateway itself for 24 hours. Returns null to the request that has the
-- key now, and the row of the earlier request to a repeated one; an object with `late` alone once `not_after` (Unix
-- time in milliseconds) has passed. `secret` is in hexadecimal digits.
create or replace function claim_write(write jsonb) returns jsonb language plpgsql as $$
declare
  earlier own_writes;
begin
  select * into earlier from own_writes w
    where w.account_id = (write ->> 'account_id')::bigint and w.mode = write ->> 'mode'
      and w.key = write ->> 'key' and w.request_id = write ->> 'request_id';
  if not found then
    if to_timestamp((write ->> 'not_after')::float8 / 1000) <= clock_timestamp() then
      return '{"late": true}';
    end if;
    insert into own_writes as w (account_id, mode, key, fingerprint, request_id, subject, secret)
      values ((write ->> 'account_id')::bigint, write ->> 'mode', write ->> 'key', write ->> 'fingerprint',
        write ->> 'request_id', write ->> 'subject', decode(write ->> 'secret', 'hex'))
      on conflict (account_id, mode, key) do update set fingerprint = excluded.fingerprint,
        request_id = excluded.request_id, subject = excluded.subject, secret = excluded.secret,
        answered = false, created_at = clock_timestamp()
      where w.created_at <= clock_timestamp() - interval '24 hours';
    if found then
      return null;
    end if;
    update own_writes w set answered = w.answered or w.fingerprint = write ->> 'fingerprint'
      where w.account_id = (write ->> 'account_id')::bigint and w.mode = write ->> 'mode'
        and w.key = write ->> 'key'
      returning * into earlier;
  end if;
  return jsonb_build_object('fingerprint', earlier.fingerprint, 'request_id', earlier.request_id,
    'subject', earlier.subject, 'secret', encode(earlier.secret, 'hex'));
end $$;

-- Budgets: the most that an account, or one of its keys, may spend in a day, a week or a month of UTC.
-- What is held for a call counts as spent until it is settled or given back, so no number of parallel calls
-- passes a budget. All of it is decided under the lock of the balance. A charge belongs to the period of its
-- settle, like the row of `usage`; a hold to the one that is current.

create table budgets (
  account_id bigint not null,
  mode text not null,
  -- empty: of all keys of the account and mode together
  key_id text not null default '',
  period text not null check (period in ('day', 'week', 'month')),
  credits bigint not null check (credits >= 0),
  -- part of it at which the account is told
  alert_percent integer not null default 80 check (alert_percent between 1 and 100),
  -- beginning of the period that `charged` is of
  began timestamptz not null,
  charged bigint not null default 0 check (charged >= 0),
  held bigint not null default 0 check (held >= 0),
  -- beginning of the last period whose alert was sent
  told timestamptz,
  primary key (account_id, mode, key_id, period),
  foreign key (account_id, mode) references balances
) with (fillfactor = 50);

-- Who decided what; a budget that was taken away has no credits.
create table budget_changes (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  who text not null,
  account_id bigint not null,
  mode text not null,
  key_id text not null,
  period text not null,
  credits bigint,
  alert_percent integer
);
create index budget_changes_account on budget_changes (account_id, id);
create trigger budget_changes_append_only before update or delete or truncate on budget_changes
  for each statement execute function refuse_change();

-- Whether there is a budget at all: who has none pays for a look at a row that is read in any case.
alter table balances add column budgeted boolean not null default false;
alter table holds add column budgeted boolean not null default false;

create function budget_began(period text, moment timestamptz) returns timestamptz
language sql stable as $$ select date_trunc(period, moment, 'UTC') $$;

create function budget_renews(period text, began timestamptz) returns timestamptz
language sql stable as $$
  select (began at time zone 'UTC' + ('1 ' || period)::interval) at time zone 'UTC'
$$;

-- What the budgets of a key leave; null where it has none.
create function budget_room(for_account bigint, in_mode text, for_key text, moment timestamptz)
returns bigint language sql stable as $$
  select min(greatest(0, g.credits - g.held
    - case when g.began >= budget_began(g.period, moment) then g.charged else 0 end))
  from budgets g
  where g.account_id = for_account and g.mode = in_mode and g.key_id in ('', coalesce(for_key, ''))
$$;

create function hold_in_budgets(
  for_account bigint, in_mode text, for_key text, amount bigint, moment timestamptz)
returns void language sql as $$
  update budgets g set held = g.held + amount,
    charged = case when g.began >= budget_began(g.period, moment) then g.charged else 0 end,
    began = greatest(g.began, budget_began(g.period, moment))
  where g.account_id = for_account and g.mode = in_mode and g.key_id in ('', coalesce(for_key, ''))
$$;

-- However a hold ends, its budgets hear of it in the same statement.
create function close_in_budgets() returns trigger language plpgsql as $$
declare
  spent bigint;
  moment timestamptz;
  told record;
begin
  select s.credits, s.at into spent, moment from settlements s where s.hold_id = new.id;
  moment := coalesce(moment, clock_timestamp());
  for told in
    update budgets g set held = g.held - new.amount,
      charged = coalesce(spent, 0)
        + case when g.began >= budget_began(g.period, moment) then g.charged else 0 end,
      began = greatest(g.began, budget_began(g.period, moment))
    where g.account_id = new.account_id and g.mode = new.mode
      and g.key_id in ('', coalesce(new.key_id, ''))
    returning g.*
  loop
    continue when told.told = told.began
      or told.charged * 100 < told.credits * told.alert_percent or coalesce(spent, 0) = 0;
    update budgets g set told = g.began
      where g.account_id = told.account_id and g.mode = told.mode and g.key_id = told.key_id
        and g.period = told.period;
    perform emit_webhooks(jsonb_build_array(jsonb_build_object(
      'account_id', told.account_id, 'mode', told.mode, 'type', 'budget.threshold',
      'subject', gen_random_uuid(),
      'data', jsonb_strip_nulls(jsonb_build_object('mode', told.mode,
        'of', case told.key_id when '' then 'account' else 'key' end,
        'key_id', nullif(told.key_id, ''), 'period', told.period, 'credits', told.credits,
        'charged', told.charged, 'alert_percent', told.alert_percent,
        'renews_at', to_char(budget_renews(told.period, told.began) at time zone 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS"Z"'))))));
  end loop;
  return null;
end $$;
create trigger hold_closed after update of state on holds
  for each row when (old.state = 'open' and new.state <> 'open' and new.budgeted)
  execute function close_in_budgets();

-- Sets a budget, or takes it away where `limit_credits` is null. What is spent and held already counts.
-- False where there is no such account and mode.
create function set_budget(for_account bigint, in_mode text, for_key text, in_period text,
  limit_credits bigint, alert integer, by_whom text) returns boolean language plpgsql as $$
declare
  start timestamptz;
begin
  perform 1 from balances b where b.account_id = for_account and b.mode = in_mode for update;
  if not found then
    return false;
  end if;
  start := budget_began(in_period, clock_timestamp());
  if limit_credits is null then
    delete from budgets g where g.account_id = for_account and g.mode = in_mode
      and g.key_id = for_key and g.period = in_period;
  else
    insert into budgets as g
      (account_id, mode, key_id, period, credits, alert_percent, began, charged, held)
    values (for_account, in_mode, for_key, in_period, limit_credits, alert, start,
      (select coalesce(sum(u.credits), 0) from usage u
        where u.account_id = for_account and u.mode = in_mode and u.at >= start
          and (for_key = '' or u.key_id = for_key)),
      (select coalesce(sum(h.amount), 0) from holds h
        where h.state = 'open' and h.account_id = for_account and h.mode = in_mode
          and (for_key = '' or h.key_id = for_key)))
    on conflict (account_id, mode, key_id, period) do update
      set credits = excluded.credits, alert_percent = excluded.alert_percent, told = null;
    update holds h set budgeted = true
      where h.state = 'open' and h.account_id = for_account and h.mode = in_mode and not h.budgeted;
  end if;
  update balances b set budgeted = exists (
      select 1 from budgets g where g.account_id = for_account and g.mode = in_mode)
    where b.account_id = for_account and b.mode = in_mode;
  insert into budget_changes (who, account_id, mode, key_id, period, credits, alert_percent)
    values (by_whom, for_account, in_mode, for_key, in_period, limit_credits,
      case when limit_credits is not null then alert end);
  return true;
end $$;

-- Sets credits aside and claims the idempotency key. Runs again without effect for a call it has
-- already served, so that a lost connection can be answered by a repetition. A call whose budgets leave less
-- than its least price is `insufficient` as well; `available` tells the two apart.
create or replace function reserve_calls(calls jsonb, grace interval, kept_for interval)
returns table (kind text, amount bigint, available bigint) language plpgsql
set enable_seqscan = off as $$
declare
  call record;
  earlier record;
  moment timestamptz;
  owner bigint;
  owner_mode text;
  free bigint;
  -- some key of this owner has a budget, or all of them together
  watched boolean;
  allowed bigint;
  taken bigint := 0;
  kinds text[] := array_fill(null::text, array[jsonb_array_length(calls)]);
  amounts bigint[] := array_fill(0::bigint, array[jsonb_array_length(calls)]);
  frees bigint[] := array_fill(0::bigint, array[jsonb_array_length(calls)]);
begin
  -- A hold need not survive a crash of the database: without it nothing is charged. The settle is
  -- durable, and its flush covers the hold before it.
  perform set_config('synchronous_commit', 'off', true);
  perform 1 from balances b
    where (b.account_id, b.mode) in (
      select c.account_id, c.mode from jsonb_to_recordset(calls) as c (account_id bigint, mode text))
    order by b.account_id, b.mode
    for update;
  moment := clock_timestamp();

  for call in
    select c.* from rows from (jsonb_to_recordset(calls) as (
      request_id text, account_id bigint, mode text, key_id text, operation text, minimum bigint,
      most bigint, deadline float8, idempotency_key text, fingerprint text
    )) with ordinality as c (
      request_id, account_id, mode, key_id, operation, minimum,
      most, deadline, idempotency_key, fingerprint, position)
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
            content_type = null, body = null, body_apart = false, created_at = moment
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

-- As before; what budgets leave bounds what may be begun.
create or replace function start_batch_items(
  for_batch bigint, in_pool text, at_most integer, new_owner text, grace interval)
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
    where i.batch_id = for_batch and i.pool = in_pool and i.owner is null
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

-- The old key ends after `overlap`; with none it ends now. Its budgets, and what is spent of them, go on with
-- the new one.
create or replace function rotate_api_key(old_id text, new_id text, new_digest bytea, overlap interval)
returns text language plpgsql as $$
declare
  former record;
  outcome text;
  ends timestamptz := clock_timestamp() + overlap;
begin
  select k.* into former from api_keys k where k.id = old_id
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp());
  if not found then
    return 'key_unknown';
  end if;
  perform 1 from accounts where id = former.account_id for update;
  update api_keys k set expires_at = least(k.expires_at, ends) where k.id = old_id;
  outcome := create_api_key(new_id, former.account_id, former.mode, new_digest);
  if outcome <> 'created' then
    update api_keys k set expires_at = former.expires_at where k.id = old_id;
    return outcome;
  end if;
  insert into budgets (account_id, mode, key_id, period, credits, alert_percent, began, charged, told)
    select g.account_id, g.mode, new_id, g.period, g.credits, g.alert_percent, g.began, g.charged, g.told
    from budgets g
    where g.account_id = former.account_id and g.mode = former.mode and g.key_id = old_id;
  return outcome;
end $$;

-- Batches as a whole.

-- Begins a batch and claims its key among the keys of calls, with a fingerprint that no call has. `id`: the new
-- batch. A null `id` means that the key has an owner: a batch, which is returned, or a call. The lock of the
-- balance comes first, because the hold shows whether a call has the key, and a statement that waited for the row
-- of the key would still see the holds from before its wait.
create or replace function create_batch(
  id_told text, for_account bigint, in_mode text, for_key text, in_version text, with_scenario text,
  named text, by_owner text, grace interval, kept_for interval)
returns table (id bigint, public_id text, answer text, fingerprint text) language plpgsql as $$
#variable_conflict use_column
begin
  if named is not null then
    perform 1 from balances b where b.account_id = for_account and b.mode = in_mode for update;
    return query select null::bigint, b.public_id, b.answer, b.fingerprint from batches b
      where b.account_id = for_account and b.mode = in_mode and b.idempotency_key = named;
    if found then
      return;
    end if;
    return query select null::bigint, null::text, null::text, null::text from replays r
      where r.account_id = for_account and r.mode = in_mode and r.key = named
        and r.created_at > clock_timestamp() - kept_for
        and (r.state = 'final' or exists (select 1 from holds h
          where h.id = r.request_id and h.state = 'open' and h.deadline + grace > clock_timestamp()));
    if found then
      return;
    end if;
    delete from bodies d using replays r
      where r.account_id = for_account and r.mode = in_mode and r.key = named
        and d.request_id = r.request_id;
    insert into replays as r (account_id, mode, key, fingerprint, request_id, state, body)
      values (for_account, in_mode, named, id_told, id_told, 'final', '')
      on conflict (account_id, mode, key) do update
        set fingerprint = excluded.fingerprint, request_id = excluded.request_id, state = 'final',
          content_type = null, body = '', body_apart = false, created_at = now();
  end if;
  return query
    insert into batches as b (public_id, account_id, mode, key_id, version, scenario, idempotency_key, owner)
    values (id_told, for_account, in_mode, for_key, in_version, with_scenario, named, by_owner)
    returning b.id, null::text, null::text, null::text;
end $$;

drop function if exists cancel_batch(text, bigint, text);

-- Cancels a batch: no further item starts, and running items are not charged. `because` and `reason` name the
-- cause where the caller does not cancel it. Null if the account has no such batch.
create or replace function cancel_batch(id_told text, owner_account bigint, owner_mode text,
  because text default null, reason text default null) returns bigint
language plpgsql as $$
declare
  batch record;
begin
  select * into batch from batches b
    where b.public_id = id_told and b.account_id = owner_account and b.mode = owner_mode
      and b.state <> 'receiving'
    for update;
  if not found then
    return null;
  end if;
  if batch.state = 'running' then
    update batches b set state = case when b.running = 0 then 'cancelled' else 'cancelling' end,
        cancelled = b.cancelled + b.queued, queued = 0, error_type = because, error_message = reason,
        ended_at = case when b.running = 0 then clock_timestamp() end
      where b.id = batch.id;
    delete from batch_items i where i.batch_id = batch.id and i.owner is null;
    if batch.running = 0 then
      perform emit_webhooks(jsonb_build_array(batch_event(batch.account_id, batch.mode, 'batch.ended',
        batch_end(batch.public_id, batch.sequence, 'cancelled'), batch.public_id,
        jsonb_build_object('state', 'cancelled'))));
    end if;
  end if;
  return batch.id;
end $$;

drop function if exists retry_batch(text, bigint, text);

-- Puts back the failed items of a batch that was not cancelled, each as a new call with all its tries. The batch
-- belongs to the retrying key from then on. `retry_id` names the request: its repetition changes nothing. Null if
-- the account has no such batch; -1 if the batch was cancelled, or its key revoked; -2, and nothing changes, once
-- `not_after` (Unix time in milliseconds) has passed.
create or replace function retry_batch(id_told text, owner_account bigint, owner_mode text,
  by_key text default null, retry_id text default null, not_after float8 default null) returns bigint
language plpgsql set enable_seqscan = off as $$
declare
  batch record;
  moved integer;
  pages integer;
begin
  select * into batch from batches b
    where b.public_id = id_told and b.account_id = owner_account and b.mode = owner_mode
      and b.state <> 'receiving'
    for update;
  if not found then
    return null;
  end if;
  if retry_id = any (batch.retries) then
    return batch.id;
  end if;
  if to_timestamp(not_after / 1000) <= clock_timestamp() then
    return -2;
  end if;
  if batch.state in ('cancelling', 'cancelled') or is_revoked(coalesce(by_key, batch.key_id)) then
    return -1;
  end if;
  if retry_id is not null then
    -- The latest hundred, so that the row stays small.
    update batches b
      set retries = (b.retries || retry_id)[greatest(1, cardinality(b.retries) - 98):]
      where b.id = batch.id;
  end if;
  with failed as (
    delete from batch_results r where r.batch_id = batch.id and r.item is not null returning r.item
  ), back as (
    insert into batch_items (batch_id, number, pool, operation, custom_id, input, minimum, most, lasts_ms,
        attempt, owner, crawl)
    select t.batch_id, t.number, t.pool, t.operation, t.custom_id, t.input, t.minimum, t.most, t.lasts_ms,
      t.attempt + 1, null, t.crawl
    from failed f cross join lateral jsonb_populate_record(null::batch_items, f.item) t
    returning crawl
  )
  select count(*), count(*) filter (where (crawl ->> 'kind')::integer = 0) into moved, pages from back;
  if moved > 0 then
    update crawls c set open = c.open + pages where c.batch_id = batch.id;
    update batches b set queued = b.queued + moved, failed = b.failed - moved, state = 'running',
        key_id = coalesce(by_key, b.key_id),
        ended_at = null, began_at = case when b.state = 'ended' then clock_timestamp() else b.began_at end,
        began_with = case when b.state = 'ended' then b.succeeded + b.failed - moved else b.began_with end
      where b.id = batch.id;
  end if;
  return batch.id;
end $$;

-- Subject of one end of a batch. A retried batch that is cancelled before an item ends keeps its sequence.
create or replace function batch_end(public_id text, sequence bigint, state text) returns text
language sql immutable as $$
  select public_id || '/' || sequence || case state when 'cancelled' then '/cancelled' else '' end
$$;

-- An event for `emit_webhooks`. The end of a batch is also sent to the address named with the batch; failures of
-- items are sent only to endpoints registered for them.
create or replace function batch_event(
  account_id bigint, mode text, type text, subject text, batch text, data jsonb) returns jsonb
language sql stable as $$
  select jsonb_strip_nulls(jsonb_build_object('account_id', account_id, 'mode', mode, 'type', type,
    'subject', subject, 'url', (
      select a.url from webhook_addresses a where a.subject = batch and type = 'batch.ended'),
    'data', data || jsonb_build_object('batch_id', batch, 'mode', mode)))
$$;

-- Begins a batch as create_batch does; `late`, and nothing is begun, once `not_after` (Unix time in
-- milliseconds) has passed. The lock keeps discard_batch apart.
create or replace function begin_batch(
  id_told text, for_account bigint, in_mode text, for_key text, in_version text, with_scenario text,
  named text, by_owner text, grace interval, kept_for interval, not_after float8)
returns table (id bigint, public_id text, answer text, fingerprint text, late boolean)
language plpgsql as $$
#variable_conflict use_column
begin
  perform 1 from balances b where b.account_id = for_account and b.mode = in_mode for update;
  if to_timestamp(not_after / 1000) <= clock_timestamp() then
    return query select null::bigint, null::text, null::text, null::text, true;
    return;
  end if;
  return query select b.id, b.public_id, b.answer, b.fingerprint, false
    from create_batch(id_told, for_account, in_mode, for_key, in_version, with_scenario, named, by_owner,
      grace, kept_for) b;
end $$;

drop function if exists discard_batch(text, bigint, text, float8);

-- Deletes a batch that is still being received, with its items and its key; with `accepted_too` also one that was
-- accepted and whose items may not start yet. Returns `gone`; `accepted`, and then nothing changes; `open` where
-- the batch has not begun and may begin until `not_after`.
create or replace function discard_batch(id_told text, for_account bigint, in_mode text, not_after float8,
  accepted_too boolean default false)
returns text language plpgsql as $$
declare
  batch record;
begin
  perform 1 from balances b where b.account_id = for_account and b.mode = in_mode for update;
  select b.id, b.state, b.idempotency_key, b.began_at, b.kept into batch from batches b
    where b.public_id = id_told and b.account_id = for_account and b.mode = in_mode for update;
  if not found then
    return case when to_timestamp(not_after / 1000) > clock_timestamp() then 'open' else 'gone' end;
  end if;
  if batch.state <> 'receiving'
    and not (accepted_too and batch.state = 'running' and batch.began_at is null) then
    return 'accepted';
  end if;
  if batch.kept <> 0 then
    insert into kept_changes (account_id, mode, bytes) values (for_account, in_mode, -batch.kept);
  end if;
  delete from batch_items i where i.batch_id = batch.id;
  delete from batches b where b.id = batch.id;
  delete from replays r
    where r.account_id = for_account and r.mode = in_mode and r.key = batch.idempotency_key
      and r.request_id = id_told;
  return 'gone';
end $$;

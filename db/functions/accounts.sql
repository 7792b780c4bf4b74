-- Accounts, their credits and their keys.

-- Refuses every change of an append-only table, which is its own audit log.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;

-- Returns the new balance; null if the account has none in this mode. Credits of the same `grant_id` are added once.
drop function if exists add_credits(bigint, text, bigint, text);
create or replace function add_credits(for_account bigint, in_mode text, credits bigint, reason text,
  grant_id text default null) returns bigint language plpgsql as $$
declare
  after bigint;
  id text := coalesce(grant_id, 'grant_' || gen_random_uuid());
begin
  -- A repeated statement waits for the first one.
  select b.balance into after from balances b
    where b.account_id = for_account and b.mode = in_mode for update;
  if exists (select 1 from ledger l where l.transaction_id = id) then
    return after;
  end if;
  update balances b set balance = b.balance + credits
    where b.account_id = for_account and b.mode = in_mode
    returning b.balance into after;
  if not found then
    return null;
  end if;
  insert into ledger (transaction_id, side, account_id, mode, amount, reason) values
    (id, 'account', for_account, in_mode, credits, reason),
    (id, 'grants', for_account, in_mode, -credits, reason);
  perform note_change('credits', a.name || ' ' || in_mode, for_account,
    jsonb_build_object('balance', after - credits), jsonb_build_object('balance', after), reason)
    from accounts a where a.id = for_account;
  return after;
end $$;

-- Returns the new id; null if the name is taken.
create or replace function create_account(account_name text, test_credits bigint) returns bigint language plpgsql as $$
declare
  created bigint;
begin
  insert into accounts (name) values (account_name) on conflict do nothing returning id into created;
  if not found then
    return null;
  end if;
  insert into balances (account_id, mode) values (created, 'live'), (created, 'test');
  perform note_change('account', account_name, created, null,
    jsonb_build_object('rate_per_second', a.rate_per_second, 'max_in_flight', a.max_in_flight), '')
    from accounts a where a.id = created;
  if test_credits > 0 then
    perform add_credits(created, 'test', test_credits, 'opening balance');
  end if;
  return created;
end $$;

-- Emits one event each time that the balance falls below `alert_below`.
create or replace function tell_low_balance() returns trigger language plpgsql as $$
begin
  perform emit_webhooks(jsonb_build_array(jsonb_build_object(
    'account_id', new.account_id, 'mode', new.mode, 'type', 'balance.low',
    'subject', gen_random_uuid(),
    'data', jsonb_build_object('mode', new.mode, 'balance', new.balance, 'threshold', new.alert_below))));
  return null;
end $$;

-- An account and mode may have two valid keys, neither revoked nor expired. The lock of the account row keeps two
-- concurrent calls from both creating the second one.
create or replace function create_api_key(new_id text, for_account bigint, in_mode text, new_digest bytea)
returns text language plpgsql as $$
begin
  perform 1 from accounts where id = for_account for update;
  if not found then
    return 'account_unknown';
  end if;
  if (select count(*) from api_keys k
      where k.account_id = for_account and k.mode = in_mode and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > clock_timestamp())) >= 2 then
    return 'key_limit';
  end if;
  insert into api_keys (id, account_id, mode, digest) values (new_id, for_account, in_mode, new_digest);
  perform note_change('key', new_id, for_account, null, jsonb_build_object('state', 'valid', 'mode', in_mode), '');
  return 'created';
end $$;

create or replace function is_revoked(key text) returns boolean language plpgsql stable as $$
begin
  return exists (select from api_keys k where k.id = key and k.revoked_at is not null);
end $$;

-- The old key ends after `overlap`, at once if that is zero. Both keys, and those that they replaced, share the
-- budgets, which from then on name the new key.
create or replace function rotate_api_key(old_id text, new_id text, new_digest bytea, overlap interval)
returns text language plpgsql as $$
declare
  former record;
  outcome text;
  shared text;
  ends timestamptz := clock_timestamp() + overlap;
begin
  select k.* into former from api_keys k where k.id = old_id
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp());
  if not found then
    return 'key_unknown';
  end if;
  perform 1 from accounts where id = former.account_id for update;
  -- Every decision about a budget is made under this lock, and revoke_api_key takes it before it changes the key.
  perform 1 from balances b where b.account_id = former.account_id and b.mode = former.mode for update;
  update api_keys k set expires_at = least(k.expires_at, ends) where k.id = old_id;
  outcome := create_api_key(new_id, former.account_id, former.mode, new_digest);
  if outcome <> 'created' then
    update api_keys k set expires_at = former.expires_at where k.id = old_id;
    return outcome;
  end if;
  perform note_change('key', old_id, former.account_id, jsonb_build_object('state', 'valid'),
    jsonb_build_object('state', 'replaced', 'replaced_by', new_id, 'until', utc_text(least(former.expires_at, ends))), '');
  shared := budget_key_of(old_id);
  update api_keys k set budget_key = new_id
    where k.account_id = former.account_id and k.mode = former.mode and shared in (k.id, k.budget_key);
  update budgets g set key_id = new_id
    where g.account_id = former.account_id and g.mode = former.mode and g.key_id = shared;
  return outcome;
end $$;

-- Revokes a key and ends its unfinished work: its jobs and batches are cancelled, and nothing more is charged for
-- them. Calls with a waiting caller end as usual. False if there is no such key.
create or replace function revoke_api_key(revoked text) returns boolean language plpgsql as $$
declare
  owner record;
  reason text := 'The key ' || revoked || ' was revoked';
begin
  select k.account_id, k.mode, k.revoked_at into owner from api_keys k where k.id = revoked;
  if not found then
    return false;
  end if;
  -- Calls are reserved under this lock, so a later one finds the key revoked and an earlier one is found below.
  perform 1 from balances b where b.account_id = owner.account_id and b.mode = owner.mode for update;
  update api_keys k set revoked_at = coalesce(k.revoked_at, clock_timestamp()) where k.id = revoked;
  if owner.revoked_at is null then
    perform note_change('key', revoked, owner.account_id, jsonb_build_object('state', 'valid'),
      jsonb_build_object('state', 'revoked'), '');
  end if;
  perform cancel_jobs(array(
      select j.request_id from jobs j
      where j.account_id = owner.account_id and j.mode = owner.mode and j.key_id = revoked
        and j.state in ('queued', 'running')),
    owner.account_id, owner.mode, 'unauthorized', reason);
  perform cancel_batch(b.public_id, b.account_id, b.mode, 'unauthorized', reason) from batches b
    where b.account_id = owner.account_id and b.mode = owner.mode and b.key_id = revoked
      and b.state = 'running';
  return true;
end $$;

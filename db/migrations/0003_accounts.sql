create function add_credits(for_account bigint, in_mode text, credits bigint, reason text)
returns bigint language plpgsql as $$
declare
  after bigint;
  id text := 'grant_' || gen_random_uuid();
begin
  update balances b set balance = b.balance + credits
    where b.account_id = for_account and b.mode = in_mode
    returning b.balance into after;
  if not found then
    return null;
  end if;
  insert into ledger (transaction_id, side, account_id, mode, amount, reason) values
    (id, 'account', for_account, in_mode, credits, reason),
    (id, 'grants', for_account, in_mode, -credits, reason);
  return after;
end $$;

-- Returns null when the name is taken.
create function create_account(account_name text, test_credits bigint) returns bigint language plpgsql as $$
declare
  created bigint;
begin
  insert into accounts (name) values (account_name) on conflict do nothing returning id into created;
  if not found then
    return null;
  end if;
  insert into balances (account_id, mode) values (created, 'live'), (created, 'test');
  if test_credits > 0 then
    perform add_credits(created, 'test', test_credits, 'opening balance');
  end if;
  return created;
end $$;

-- A valid key is neither revoked nor expired. The account row is locked so that two cannot both be the second.
create function create_api_key(new_id text, for_account bigint, in_mode text, new_digest bytea)
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
  return 'created';
end $$;

-- The old key ends after `overlap`; with none it ends now.
create function rotate_api_key(old_id text, new_id text, new_digest bytea, overlap interval)
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
  end if;
  return outcome;
end $$;

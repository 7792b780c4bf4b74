-- Begins a batch and claims its key, which stands among those of calls with a fingerprint that none of them
-- has. `id`: of the batch that was begun. Else the key has an owner: a batch, which is told, or a call.
-- The lock of the balance comes first: whether a call has the key is read from its hold, and one statement
-- that waits for the row of the key still sees the holds of before it waited.
create function create_batch(
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

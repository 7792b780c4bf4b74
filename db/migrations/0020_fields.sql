-- Members of its records that the caller of a job asked for, joined by commas; null where it wants them all.
-- A batch has them for all of its items. An answer of a job is kept whole, a line of a batch is not.
alter table jobs add column fields text;
alter table batches add column fields text;

-- As before, with `fields`.
create or replace function accept_jobs(calls jsonb, grace interval, kept_for interval)
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
      idempotency_key text, call text, batch_id text, item integer, owner text, fields text
    )) with ordinality as c (
      request_id, account_id, mode, key_id, operation, version,
      idempotency_key, call, batch_id, item, owner, fields, position)
  ), noted as (
    insert into jobs (request_id, account_id, mode, key_id, operation, version, idempotency_key, call,
      batch_id, item, owner, fields)
    select i.request_id, i.account_id, i.mode, i.key_id, i.operation, i.version, i.idempotency_key,
      i.call, i.batch_id, i.item, i.owner, i.fields
    from input i join reserved r using (position) where r.kind = 'held'
    on conflict (request_id) do nothing
  )
  select r.kind, r.amount, r.available from reserved r order by r.position;
  -- Who was told that a call is accepted may go away.
  perform set_config('synchronous_commit', usual, true);
end $$;

-- What `emit_webhooks` takes. The address of a batch is told of its end; failures of items go to those
-- only who registered for them.
create or replace function batch_event(
  account_id bigint, mode text, type text, subject text, batch text, data jsonb) returns jsonb
language sql stable as $$
  select jsonb_strip_nulls(jsonb_build_object('account_id', account_id, 'mode', mode, 'type', type,
    'subject', subject, 'url', (
      select a.url from webhook_addresses a where a.subject = batch and type = 'batch.ended'),
    'data', data || jsonb_build_object('batch_id', batch, 'mode', mode)))
$$;

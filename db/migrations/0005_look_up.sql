-- What Idempotency-Keys remember: one row per key asked for, in their order, empty for a key that is
-- free. A body that is stored apart is not brought along.
create function look_up_keys(scopes jsonb, grace interval, kept_for interval)
returns table (
  request_id text, fingerprint text, state text, content_type text, body bytea, body_apart boolean,
  operation text, amount bigint, deadline float8,
  status integer, credits bigint, records integer, truncated boolean, available bigint)
language plpgsql stable set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  select f.request_id, f.fingerprint, f.state, f.content_type, f.body, f.body_apart,
    f.operation, f.amount, f.deadline, f.status, f.credits, f.records, f.truncated, f.available
  from rows from (jsonb_to_recordset(scopes) as (account_id bigint, mode text, key text))
      with ordinality as c (account_id, mode, key, position)
    left join lateral (
      select r.request_id, r.fingerprint, r.state, r.content_type, r.body, r.body_apart,
        h.operation, h.amount, extract(epoch from h.deadline)::float8 * 1000 as deadline,
        s.status, s.credits, s.records, s.truncated, s.available
      from replays r
        join holds h on h.id = r.request_id
        left join settlements s on s.hold_id = r.request_id
      where r.account_id = c.account_id and r.mode = c.mode and r.key = c.key
        and r.created_at > clock_timestamp() - kept_for
        and (r.state = 'final' or h.state = 'open' and h.deadline + grace > clock_timestamp())
      offset 0
    ) f on true
  order by c.position;
end $$;

-- Bytes that an account's kept answers take at rest. Every change is a row of its own, so that calls of
-- one account never wait for each other; they are added up now and then.

create table kept_bytes (
  account_id bigint not null,
  mode text not null,
  bytes bigint not null,
  primary key (account_id, mode)
);
create table kept_changes (
  id bigint generated always as identity primary key,
  account_id bigint not null,
  mode text not null,
  bytes bigint not null
);
create index kept_changes_account on kept_changes (account_id, mode);

alter table bodies add column account_id bigint, add column mode text;

create function note_kept_replay() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into kept_changes (account_id, mode, bytes)
      values (old.account_id, old.mode, -octet_length(old.body));
  else
    insert into kept_changes (account_id, mode, bytes) values (new.account_id, new.mode,
      coalesce(octet_length(new.body), 0) - coalesce(octet_length(old.body), 0));
  end if;
  return null;
end $$;
create trigger kept_replay after update of body on replays
  for each row when ((new.body is null) is distinct from (old.body is null))
  execute function note_kept_replay();
create trigger dropped_replay after delete on replays
  for each row when (old.body is not null) execute function note_kept_replay();

-- A body from before this migration has no account and is not counted.
create function note_kept_body() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.account_id is not null then
    insert into kept_changes (account_id, mode, bytes)
      values (old.account_id, old.mode, -octet_length(old.body));
  end if;
  if tg_op <> 'DELETE' and new.account_id is not null then
    insert into kept_changes (account_id, mode, bytes)
      values (new.account_id, new.mode, octet_length(new.body));
  end if;
  return null;
end $$;
create trigger kept_body after insert or update or delete on bodies
  for each row execute function note_kept_body();

-- Adds up what has changed, of one account or of all; returns how many changes it took up.
create function add_up_kept(at_most integer, owner bigint default null, owner_mode text default null)
returns integer language plpgsql as $$
declare
  taken integer;
begin
  with gone as (
    delete from kept_changes where id in (
      select c.id from kept_changes c
      where owner is null or (c.account_id = owner and c.mode = owner_mode)
      limit at_most for update skip locked)
    returning account_id, mode, bytes
  ), sums as (
    select g.account_id, g.mode, sum(g.bytes)::bigint as bytes, count(*) as changes
    from gone g group by g.account_id, g.mode order by g.account_id, g.mode
  ), added as (
    insert into kept_bytes as k select s.account_id, s.mode, s.bytes from sums s
    on conflict (account_id, mode) do update set bytes = k.bytes + excluded.bytes
  )
  select coalesce(sum(s.changes), 0) into taken from sums s;
  return taken;
end $$;

-- Large ones count at once.
create function store_body(id text, stored bytea) returns void language plpgsql as $$
declare
  owner record;
begin
  select h.account_id, h.mode into owner from holds h where h.id = store_body.id;
  insert into bodies (request_id, body, account_id, mode)
    values (store_body.id, stored, owner.account_id, owner.mode)
    on conflict (request_id) do update set body = excluded.body;
  if owner.account_id is not null then
    perform add_up_kept(1000, owner.account_id, owner.mode);
  end if;
end $$;

-- As before, and how many bytes the account keeps.
drop function look_up_keys(jsonb, interval, interval);
create function look_up_keys(scopes jsonb, grace interval, kept_for interval)
returns table (
  request_id text, fingerprint text, state text, content_type text, body bytea, body_apart boolean,
  operation text, amount bigint, deadline float8,
  status integer, credits bigint, records integer, truncated boolean, available bigint, kept bigint)
language plpgsql stable set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  select f.request_id, f.fingerprint, f.state, f.content_type, f.body, f.body_apart,
    f.operation, f.amount, f.deadline, f.status, f.credits, f.records, f.truncated, f.available,
    coalesce(k.bytes, 0)
  from rows from (jsonb_to_recordset(scopes) as (account_id bigint, mode text, key text))
      with ordinality as c (account_id, mode, key, position)
    left join kept_bytes k on k.account_id = c.account_id and k.mode = c.mode
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

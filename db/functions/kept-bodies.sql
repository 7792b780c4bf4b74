-- Bytes of an account's stored answers. Each change is a row of its own, so that calls of one account never wait
-- for each other.

-- Adds up large bodies at once: between two periodic sums many of them could exceed the limit.
create or replace function store_body(id text, stored bytea) returns void language plpgsql as $$
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

create or replace function note_kept_replay() returns trigger language plpgsql as $$
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

-- A body without an account comes from release 0.1.0 and is not counted.
create or replace function note_kept_body() returns trigger language plpgsql as $$
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

-- Adds up to `at_most` changes to the sums, of one account or of all; returns how many.
create or replace function add_up_kept(at_most integer, owner bigint default null, owner_mode text default null)
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

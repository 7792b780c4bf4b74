-- The log of changes that operators make. The functions and triggers that make a change note it in the same
-- transaction, so that no change is without its row.

-- `gateway.actor` is a setting of the transaction (db/changes.ts): who, via, why. Without it the connection's name
-- stands for the program that made the change.
create or replace function note_change(of_kind text, of_target text, of_account bigint, was jsonb, is_now jsonb,
  reason text) returns void language plpgsql as $$
declare
  actor jsonb := coalesce(nullif(current_setting('gateway.actor', true), ''), '{}')::jsonb;
begin
  insert into changes (who, via, why, kind, target, account_id, before, after) values (
    coalesce(actor ->> 'who', nullif(current_setting('application_name'), ''), session_user),
    coalesce(actor ->> 'via', 'program'), coalesce(nullif(reason, ''), actor ->> 'why', ''),
    of_kind, of_target, of_account, was, is_now);
end $$;

-- A time as text, whatever the time zone of the connection.
create or replace function utc_text(moment timestamptz) returns text language sql stable as $$
  select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;

create or replace function effect_of(decision controls) returns jsonb language sql stable as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'effect', decision.effect, 'per_minute', decision.per_minute, 'until', utc_text(decision.until)))
$$;

create or replace function note_control() returns trigger language plpgsql as $$
declare
  former controls;
begin
  if new.kind = 'job' then
    perform note_change('job', new.target, null, null, effect_of(new), new.why);
    return null;
  end if;
  select c.* into former from controls c
    where c.kind = new.kind and c.target = new.target and c.id < new.id order by c.id desc limit 1;
  perform note_change('control', new.kind || ' ' || new.target,
    case new.kind when 'account' then (select a.id from accounts a where a.name = new.target)
      when 'key' then (select k.account_id from api_keys k where k.id = new.target) end,
    case when former.until <= new.at or former.effect is null then jsonb_build_object('effect', 'none')
      else effect_of(former) end,
    effect_of(new), new.why);
  return null;
end $$;

create or replace function note_limits() returns trigger language plpgsql as $$
begin
  perform note_change('limits', new.name, new.id,
    jsonb_build_object('disabled', old.disabled, 'rate_per_second', old.rate_per_second,
      'max_in_flight', old.max_in_flight),
    jsonb_build_object('disabled', new.disabled, 'rate_per_second', new.rate_per_second,
      'max_in_flight', new.max_in_flight), '');
  return null;
end $$;

-- Notes that an own credential was set, replaced, repriced, encrypted again (it keeps its id) or removed; never the
-- credential itself.
create or replace function note_credential() returns trigger language plpgsql as $$
declare
  of_account bigint := coalesce(new.account_id, old.account_id);
begin
  perform note_change('credential', a.name || ' ' || coalesce(new.names, old.names), of_account,
    case when tg_op <> 'INSERT' then jsonb_strip_nulls(jsonb_build_object(
      'price_percent', old.price_percent, 'per_second', old.per_second)) end,
    case when tg_op <> 'DELETE' then jsonb_strip_nulls(jsonb_build_object(
      'price_percent', new.price_percent, 'per_second', new.per_second,
      'replaced', case when tg_op = 'UPDATE' and old.sealed <> new.sealed and old.id <> new.id then true end,
      'encrypted_again', case when tg_op = 'UPDATE' and old.sealed <> new.sealed and old.id = new.id then true end))
      end, '')
    from accounts a where a.id = of_account;
  return null;
end $$;

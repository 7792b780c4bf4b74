-- One log of the changes that operators make: decisions, limits, credits, keys and budgets.
create table changes (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  who text not null check (who <> ''),
  -- 'page', 'command line' or 'program'
  via text not null,
  why text not null,
  -- 'control', 'job', 'account', 'limits', 'credits', 'key', 'budget' or 'webhook'
  kind text not null,
  target text not null check (target <> ''),
  -- null where the change concerns no account
  account_id bigint,
  before jsonb,
  after jsonb
);
create index changes_account on changes (account_id, id) where account_id is not null;
create index changes_kind on changes (kind, id);

-- Decisions and budgets of before are in the log too.
insert into changes (at, who, via, why, kind, target, account_id, before, after)
select earlier.at, coalesce(nullif(regexp_replace(earlier.who, ' ?\(command line\)$', ''), ''), 'unknown'),
  case when earlier.who like '%command line%' then 'command line' else 'page' end,
  earlier.why, earlier.kind, earlier.target, earlier.account_id, earlier.before, earlier.after
from (
  select c.at, c.who, c.why, case c.kind when 'job' then 'job' else 'control' end as kind,
    case c.kind when 'job' then c.target else c.kind || ' ' || c.target end as target,
    case c.kind when 'account' then (select a.id from accounts a where a.name = c.target)
      when 'key' then (select k.account_id from api_keys k where k.id = c.target) end as account_id,
    null::jsonb as before,
    jsonb_strip_nulls(jsonb_build_object('effect', c.effect, 'per_minute', c.per_minute,
      'until', to_char(c.until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))) as after
  from controls c
  union all
  select b.at, b.who, '', 'budget', concat_ws(' ', a.name, b.mode, nullif(b.key_id, ''), b.period), b.account_id, null,
    case when b.credits is not null
      then jsonb_build_object('credits', b.credits, 'alert_percent', b.alert_percent) end
  from budget_changes b join accounts a on a.id = b.account_id) earlier
order by earlier.at;

create trigger changes_append_only before update or delete or truncate on changes
  for each statement execute function refuse_change();

-- Their texts are in db/functions/changes.sql.
create function note_control() returns trigger language plpgsql as 'begin return null; end';
create function note_limits() returns trigger language plpgsql as 'begin return null; end';
create trigger control_noted after insert on controls for each row execute function note_control();
create trigger limits_noted after update of disabled, rate_per_second, max_in_flight on accounts
  for each row when ((old.disabled, old.rate_per_second, old.max_in_flight)
    is distinct from (new.disabled, new.rate_per_second, new.max_in_flight))
  execute function note_limits();

-- What operators decided about pools, upstreams, operations, accounts and keys: who, when, why and until
-- when. The latest row of a kind and target holds, unless its time is over; rows are never changed, so
-- that they are their own audit.
create table controls (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  who text not null check (who <> ''),
  why text not null check (why <> ''),
  -- 'job' rows only tell what was done to a job on the board
  kind text not null check (kind in ('pool', 'upstream', 'operation', 'account', 'key', 'job')),
  target text not null check (target <> ''),
  effect text not null,
  per_minute integer check (per_minute > 0),
  until timestamptz,
  check (
    kind = 'job'
    or effect = 'none'
    or kind = 'pool' and effect in ('pause', 'drain')
    or kind <> 'pool' and (effect = 'off' or effect = 'cap' and per_minute is not null))
);
create index controls_latest on controls (kind, target, id desc);
create trigger controls_append_only before update or delete or truncate on controls
  for each statement execute function refuse_change();

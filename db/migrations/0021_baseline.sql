-- Every table, index and trigger of a new database. Credits are whole numbers.

create table accounts (
  id bigint generated always as identity primary key,
  name text not null unique check (name <> ''),
  disabled boolean not null default false,
  rate_per_second integer not null default 60 check (rate_per_second > 0),
  max_in_flight integer not null default 20 check (max_in_flight > 0),
  created_at timestamptz not null default now()
);

-- An account has one balance per mode. Each of its calls rewrites it: free space on the page keeps these
-- updates cheap.
create table balances (
  account_id bigint not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  balance bigint not null default 0 check (balance >= 0),
  held bigint not null default 0,
  -- below this many credits the account gets an event
  alert_below bigint check (alert_below > 0),
  -- whether there is a budget at all: without one a call pays for a look at a row that is read in any case
  budgeted boolean not null default false,
  primary key (account_id, mode),
  constraint balances_held_check check (held >= 0 and held <= balance)
) with (fillfactor = 50);

create table api_keys (
  id text primary key,
  account_id bigint not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  -- HMAC-SHA-256 of the whole key under the server's pepper
  digest bytea not null check (length(digest) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index api_keys_owner on api_keys (account_id, mode);

-- Two entries per transaction, which sum to zero: the account's side and the gateway's side.
create table ledger (
  transaction_id text not null,
  side text not null check (side in ('account', 'revenue', 'grants')),
  account_id bigint not null,
  mode text not null check (mode in ('live', 'test')),
  amount bigint not null,
  reason text not null,
  at timestamptz not null default now(),
  primary key (transaction_id, side)
);
create index ledger_account on ledger (account_id, mode) where side = 'account';

create table holds (
  -- the request id
  id text primary key,
  account_id bigint not null,
  mode text not null,
  key_id text,
  operation text not null,
  amount bigint not null check (amount > 0),
  state text not null default 'open' check (state in ('open', 'settled', 'void')),
  deadline timestamptz not null,
  idempotency_key text,
  created_at timestamptz not null default now(),
  budgeted boolean not null default false
);
create index holds_open on holds (deadline) where state = 'open';

-- The primary key is what makes a second settle of a hold impossible.
create table settlements (
  hold_id text primary key,
  credits bigint not null check (credits >= 0),
  records integer not null check (records >= 0),
  truncated boolean not null,
  -- available credits after this settle
  available bigint not null check (available >= 0),
  status integer not null,
  at timestamptz not null default now()
);

create table replays (
  account_id bigint not null,
  mode text not null,
  key text not null,
  fingerprint text not null,
  request_id text not null,
  state text not null default 'running' check (state in ('running', 'final')),
  content_type text,
  body bytea,
  -- the body is a row of `bodies`
  body_apart boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (account_id, mode, key)
);
create index replays_age on replays (created_at);
alter table replays alter column body set storage external;

-- Response bodies too large to be written while a balance is locked.
create table bodies (
  request_id text primary key,
  body bytea not null,
  created_at timestamptz not null default now(),
  account_id bigint,
  mode text
);
create index bodies_age on bodies (created_at);
alter table bodies alter column body set storage external;

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

-- The usage of all accounts together is read by time; rows come in its order.
create table usage (
  request_id text primary key,
  account_id bigint not null,
  mode text not null,
  key_id text,
  operation text not null,
  status integer not null,
  error_type text,
  credits bigint not null,
  records integer not null,
  duration_ms integer not null,
  at timestamptz not null default now()
);
create index usage_account on usage (account_id, mode, at);
create index usage_at on usage using brin (at);

-- Budgets: the most that an account, or one of its keys, may spend in a day, a week or a month of UTC.
-- What is held for a call counts as spent until it is settled or given back, so no number of parallel calls
-- passes a budget. A charge belongs to the period of its settle, like the row of `usage`; a hold to the one
-- that is current.
create table budgets (
  account_id bigint not null,
  mode text not null,
  -- empty: of all keys of the account and mode together
  key_id text not null default '',
  period text not null check (period in ('day', 'week', 'month')),
  credits bigint not null check (credits >= 0),
  -- part of it at which the account gets an event
  alert_percent integer not null default 80 check (alert_percent between 1 and 100),
  -- beginning of the period that `charged` is of
  began timestamptz not null,
  charged bigint not null default 0 check (charged >= 0),
  held bigint not null default 0 check (held >= 0),
  -- beginning of the last period whose alert was sent
  told timestamptz,
  primary key (account_id, mode, key_id, period),
  foreign key (account_id, mode) references balances
) with (fillfactor = 50);

-- Who decided what; a budget that was taken away has no credits.
create table budget_changes (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  who text not null,
  account_id bigint not null,
  mode text not null,
  key_id text not null,
  period text not null,
  credits bigint,
  alert_percent integer
);
create index budget_changes_account on budget_changes (account_id, id);

-- Processes that carry out jobs and items, each for as long as it renews its row.
create table job_owners (
  id text primary key,
  until timestamptz not null
);

-- Calls that are carried out without a waiting caller. The process named in `owner` carries the call out, or
-- has yet to announce its end; a process without a row in `job_owners` has left its calls to the others.
create table jobs (
  request_id text primary key,
  account_id bigint not null,
  mode text not null,
  key_id text not null,
  operation text not null,
  -- of the contract that the caller used
  version text not null,
  -- the key under which `replays` remembers the answer
  idempotency_key text not null,
  -- JSON that the call is parsed from; gone with its end
  call text,
  batch_id text,
  item integer,
  state text not null default 'queued'
    check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  status integer,
  -- of a failure; other answers, a 404 too, are replays
  retry_after integer,
  error_type text,
  error_message text,
  error text,
  owner text,
  -- members of its records that the caller wants, joined by commas; null for all. The answer is kept whole
  fields text
);
create index jobs_listed on jobs (account_id, mode, created_at, request_id) where batch_id is null;
create index jobs_batch on jobs (batch_id, item) where batch_id is not null;
create index jobs_owned on jobs (owner) where owner is not null;
create index jobs_age on jobs (created_at);

-- Batches: many calls handed in at once. An item waits or runs in `batch_items` and, in the statement that
-- settles it, moves to `batch_results`; so each ends once, whoever carries it out and however often.
create table batches (
  id bigint generated always as identity primary key,
  public_id text not null unique,
  account_id bigint not null,
  mode text not null check (mode in ('live', 'test')),
  key_id text not null,
  version text not null,
  scenario text,
  idempotency_key text,
  fingerprint text,
  -- the answer to its POST; null while it is received
  answer text,
  -- the process that receives it
  owner text not null,
  state text not null default 'receiving'
    check (state in ('receiving', 'running', 'cancelling', 'cancelled', 'ended')),
  pools text[] not null default '{}',
  max_credits bigint,
  total integer not null default 0,
  queued integer not null default 0,
  running integer not null default 0,
  succeeded integer not null default 0,
  failed integer not null default 0,
  cancelled integer not null default 0,
  held bigint not null default 0,
  charged bigint not null default 0,
  -- of the latest line of the results
  sequence bigint not null default 0,
  -- bytes at rest: inputs and results
  kept bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  -- when it began, or began again, and how many items had ended by then: what an estimate is made from
  began_at timestamptz,
  began_with integer not null default 0,
  ended_at timestamptz,
  -- as of a job, for all of its items; a line of the results has only these members
  fields text,
  constraint batches_credits check (held >= 0 and charged + held <= coalesce(max_credits, charged + held)),
  constraint batches_counts check (queued >= 0 and running >= 0)
) with (fillfactor = 50);
create unique index batches_key on batches (account_id, mode, idempotency_key)
  where idempotency_key is not null;
create index batches_listed on batches (account_id, mode, id);
create index batches_open on batches (id) where state in ('running', 'cancelling');
create index batches_receiving on batches (id) where state = 'receiving';
create index batches_ended on batches (ended_at) where ended_at is not null;

create table batch_items (
  batch_id bigint not null,
  number integer not null,
  pool text not null,
  operation text not null,
  custom_id text not null,
  input text not null,
  minimum integer not null,
  -- credits for the most it can return
  most integer not null,
  -- time from its start to its latest answer
  lasts_ms integer not null,
  attempt integer not null default 0,
  -- the process that carries it out (`job_owners`); null while it waits
  owner text,
  -- how often it was put back since it was handed in, or since its batch was tried again
  tries integer not null default 0,
  -- while it waits: not before
  not_before timestamptz,
  primary key (batch_id, number)
) with (fillfactor = 80);
create index batch_items_waiting on batch_items (batch_id, pool, number) where owner is null;
create index batch_items_running on batch_items (owner) where owner is not null;

create table batch_results (
  batch_id bigint not null,
  sequence bigint not null,
  custom_id text not null,
  request_id text not null,
  status integer not null,
  credits bigint not null,
  records integer not null,
  truncated boolean not null,
  -- available credits after it; null where it was not settled
  available bigint,
  -- the answer without its billing, packed; empty where it is in parts
  body bytea not null,
  parts integer not null,
  -- of a failure: the item, to be tried again
  item jsonb,
  primary key (batch_id, sequence)
);
create index batch_results_failed on batch_results (batch_id) where item is not null;
alter table batch_results alter column body set storage external;

-- Large answers in parts, so that no process has to hold one as a whole to pass it on.
create table batch_parts (
  batch_id bigint not null,
  request_id text not null,
  part integer not null,
  bytes bytea not null,
  primary key (batch_id, request_id, part)
);
alter table batch_parts alter column bytes set storage external;

-- Events of an account, delivered to addresses of its own. A delivery is a row, written with the change that
-- its event is about: queues and processes may be lost, and it is delivered all the same.
create table webhook_endpoints (
  id text primary key,
  account_id bigint not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  -- null: stands for the addresses that single jobs and batches name, one row per account and mode
  url text,
  description text not null default '',
  events text[] not null default '{}',
  -- encrypted by the API
  secret bytea not null,
  -- signs as well until then
  former_secret bytea,
  former_until timestamptz,
  -- events that were not kept because too many waited already
  dropped bigint not null default 0,
  -- nothing but failures since
  failing_since timestamptz,
  off_since timestamptz,
  off_reason text check (off_reason in ('owner', 'failing', 'gone')),
  created_at timestamptz not null default now(),
  check ((off_since is null) = (off_reason is null))
);
create unique index webhook_endpoints_url on webhook_endpoints (account_id, mode, coalesce(url, ''));

create table webhook_events (
  -- derived from account, mode, type and subject: an event emitted twice is one
  id text primary key,
  account_id bigint not null,
  mode text not null,
  type text not null,
  -- as it is sent, to the byte
  body text not null,
  created_at timestamptz not null default now()
);
create index webhook_events_age on webhook_events (created_at);

create table webhook_deliveries (
  id text primary key,
  event_id text not null references webhook_events (id) on delete cascade,
  endpoint_id text not null references webhook_endpoints (id) on delete cascade,
  account_id bigint not null,
  mode text not null,
  -- where a single job or batch names it; otherwise it is the endpoint's
  url text,
  -- deliveries of one lane share its bound on how many are under way
  lane text not null,
  state text not null default 'pending'
    check (state in ('pending', 'sending', 'delivered', 'failed')),
  attempts integer not null default 0,
  due_at timestamptz not null,
  -- the last attempt is made then
  expires_at timestamptz not null,
  -- an attempt without a sign of life until then is made again
  leased_until timestamptz,
  -- of the last attempts, oldest first
  answers jsonb not null default '[]',
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  unique (event_id, endpoint_id)
);
create index webhook_deliveries_due on webhook_deliveries (lane, due_at) where state = 'pending';
create index webhook_deliveries_sending on webhook_deliveries (lane) where state = 'sending';
create index webhook_deliveries_open on webhook_deliveries (account_id, mode)
  where state in ('pending', 'sending');
create index webhook_deliveries_log on webhook_deliveries (endpoint_id, created_at, id);

-- Addresses that callers name with single jobs and batches.
create table webhook_addresses (
  -- id of the job or batch
  subject text primary key,
  account_id bigint not null,
  mode text not null,
  url text not null,
  created_at timestamptz not null default now()
);
create index webhook_addresses_age on webhook_addresses (created_at);

-- What became of a request that had a job, or got the answer of one that had: for operators, for a week.
-- No index on the time: rows come in its order, and so do their numbers.
create table stories (
  id bigint generated always as identity primary key,
  request_id text not null,
  -- of the call whose answer it is; that of the request itself where it was the first
  call_id text not null,
  account_id bigint not null,
  at timestamptz not null,
  story jsonb not null
);
create index stories_call on stories (call_id);
create index stories_request on stories (request_id) where request_id <> call_id;

-- What operators decided about pools, upstreams, operations, accounts and keys: who, when, why and until
-- when. The latest row of a kind and target holds, unless its time is over; rows are never changed, so
-- that they are their own audit.
create table controls (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  who text not null check (who <> ''),
  why text not null check (why <> ''),
  -- 'job' rows only record what was done to a job on the board
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

-- What the dashboards wanted of each pool and what there was, a row a minute, for a week.
create table capacity_history (
  at timestamptz not null,
  pool text not null,
  workers integer not null,
  desired integer not null,
  slots integer not null,
  calls_per_second double precision not null,
  p95_wait_ms double precision,
  target_ms integer not null,
  wall text not null,
  primary key (pool, at)
);
create index capacity_history_at on capacity_history using brin (at);

-- Requests to upstreams and the cost that those reported, by calendar day in UTC.
create table upstream_days (
  day date not null,
  upstream text not null,
  operation text not null,
  calls bigint not null,
  dollars numeric not null,
  primary key (day, upstream, operation)
);

-- How far the totals in Redis had risen when they were last added to a day.
create table upstream_totals (
  upstream text not null,
  operation text not null,
  told_at timestamptz not null,
  calls bigint not null,
  dollars numeric not null,
  primary key (upstream, operation)
);

-- A trigger needs its function by name; db/functions has the bodies.
create function refuse_change() returns trigger language plpgsql as 'begin end';
create function tell_low_balance() returns trigger language plpgsql as 'begin end';
create function note_kept_replay() returns trigger language plpgsql as 'begin end';
create function note_kept_body() returns trigger language plpgsql as 'begin end';
create function close_in_budgets() returns trigger language plpgsql as 'begin end';

create trigger ledger_append_only before update or delete or truncate on ledger
  for each statement execute function refuse_change();
create trigger budget_changes_append_only before update or delete or truncate on budget_changes
  for each statement execute function refuse_change();
create trigger controls_append_only before update or delete or truncate on controls
  for each statement execute function refuse_change();

create trigger balance_low after update of balance on balances
  for each row when (old.balance >= new.alert_below and new.balance < new.alert_below)
  execute function tell_low_balance();

create trigger kept_replay after update of body on replays
  for each row when ((new.body is null) is distinct from (old.body is null))
  execute function note_kept_replay();
create trigger dropped_replay after delete on replays
  for each row when (old.body is not null) execute function note_kept_replay();
create trigger kept_body after insert or update or delete on bodies
  for each row execute function note_kept_body();

create trigger hold_closed after update of state on holds
  for each row when (old.state = 'open' and new.state <> 'open' and new.budgeted)
  execute function close_in_budgets();

-- Every table, index and trigger of a new database. Credits are whole numbers.

create table accounts (
  id bigint generated always as identity primary key,
  name text not null unique check (name <> ''),
  disabled boolean not null default false,
  rate_per_second integer not null default 60 check (rate_per_second > 0),
  max_in_flight integer not null default 20 check (max_in_flight > 0),
  created_at timestamptz not null default now()
);

-- An account has one balance per mode. Every call updates its row: free space on the page keeps these updates
-- cheap.
create table balances (
  account_id bigint not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  balance bigint not null default 0 check (balance >= 0),
  held bigint not null default 0,
  -- below this many credits the account gets an event
  alert_below bigint check (alert_below > 0),
  -- true if any budget exists: calls read this row in any case, so without budgets they need no other look-up
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

-- The primary key makes a second settle of a hold impossible.
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

-- Bytes of an account's stored answers. Every change is a row of its own, so that calls of one account never
-- wait for each other; a periodic sum adds the changes up.
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

-- Rows are inserted in the order of time, so a brin index is enough to read all accounts together by time.
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
-- Held credits count as spent until the hold is settled or released, so parallel calls cannot exceed a budget.
-- A charge belongs to the period of its settle, like the row of `usage`; a hold belongs to the current period.
create table budgets (
  account_id bigint not null,
  mode text not null,
  -- empty for a budget of all keys of the account and mode together
  key_id text not null default '',
  period text not null check (period in ('day', 'week', 'month')),
  credits bigint not null check (credits >= 0),
  -- share of the budget at which the account gets an event
  alert_percent integer not null default 80 check (alert_percent between 1 and 100),
  -- beginning of the period that `charged` belongs to
  began timestamptz not null,
  charged bigint not null default 0 check (charged >= 0),
  held bigint not null default 0 check (held >= 0),
  -- beginning of the last period whose alert was sent
  told timestamptz,
  primary key (account_id, mode, key_id, period),
  foreign key (account_id, mode) references balances
) with (fillfactor = 50);

-- The audit log of budgets; a row without credits is a removed budget.
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

-- Leases of the processes that carry out jobs and items; a heartbeat of each process renews its row.
create table job_owners (
  id text primary key,
  until timestamptz not null
);

-- Calls that are carried out without a waiting caller. The process named in `owner` carries the call out, or
-- has yet to announce its end; the others take over the calls of a process without a lease in `job_owners`.
create table jobs (
  request_id text primary key,
  account_id bigint not null,
  mode text not null,
  key_id text not null,
  operation text not null,
  -- version of the contract that the caller used
  version text not null,
  -- the key under which `replays` remembers the answer
  idempotency_key text not null,
  -- JSON that the call is parsed from; null once the job has ended
  call text,
  batch_id text,
  item integer,
  state text not null default 'queued'
    check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  status integer,
  -- these columns are for failures; other answers, 404 included, are replays
  retry_after integer,
  error_type text,
  error_message text,
  error text,
  owner text,
  -- selected members of its records, joined by commas; null for all. The whole answer is stored
  fields text
);
create index jobs_listed on jobs (account_id, mode, created_at, request_id) where batch_id is null;
create index jobs_batch on jobs (batch_id, item) where batch_id is not null;
create index jobs_owned on jobs (owner) where owner is not null;
create index jobs_age on jobs (created_at);

-- Batches: many calls submitted at once. An item waits or runs in `batch_items`; the statement that settles it
-- moves it to `batch_results`, so each item ends once, however often and by whichever process it is run.
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
  -- the answer to its POST; null while the batch is received
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
  -- number of the latest line of the results
  sequence bigint not null default 0,
  -- bytes of stored inputs and results
  kept bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  -- time of its start or latest retry, and the items that had ended by then: the basis of the estimated end
  began_at timestamptz,
  began_with integer not null default 0,
  ended_at timestamptz,
  -- as in `jobs`, for all items; the lines of the results have only these members
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
  -- credits for the most records that the item can return
  most integer not null,
  -- time limit from its start to its answer
  lasts_ms integer not null,
  attempt integer not null default 0,
  -- the process that carries the item out (`job_owners`); null while the item waits
  owner text,
  -- how often the item was put back since it was submitted, or since the latest retry of its batch
  tries integer not null default 0,
  -- a waiting item does not start before this time
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
  -- available credits after the settle; null if there was none
  available bigint,
  -- the answer without its billing, compressed; empty if it is stored in parts
  body bytea not null,
  parts integer not null,
  -- for a failure: the item, for a retry
  item jsonb,
  primary key (batch_id, sequence)
);
create index batch_results_failed on batch_results (batch_id) where item is not null;
alter table batch_results alter column body set storage external;

-- Large answers in parts, so that no process needs memory for a whole one.
create table batch_parts (
  batch_id bigint not null,
  request_id text not null,
  part integer not null,
  bytes bytea not null,
  primary key (batch_id, request_id, part)
);
alter table batch_parts alter column bytes set storage external;

-- Events of an account, delivered to addresses of its own. A delivery is a row, written with the change that its
-- event reports, so it is delivered even if queues and processes are lost.
create table webhook_endpoints (
  id text primary key,
  account_id bigint not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  -- null for the row that stands for the addresses that single jobs and batches name, one per account and mode
  url text,
  description text not null default '',
  events text[] not null default '{}',
  -- encrypted by the API
  secret bytea not null,
  -- signs as well until `former_until`
  former_secret bytea,
  former_until timestamptz,
  -- events that were discarded because too many deliveries were pending
  dropped bigint not null default 0,
  -- every attempt since then has failed
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
  -- the exact bytes that are sent
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
  -- the address named by a single job or batch; null for the endpoint's address
  url text,
  -- deliveries of one lane share a concurrency limit
  lane text not null,
  state text not null default 'pending'
    check (state in ('pending', 'sending', 'delivered', 'failed')),
  attempts integer not null default 0,
  due_at timestamptz not null,
  -- time of the last attempt
  expires_at timestamptz not null,
  -- end of the lease: an attempt without a renewal or result by then is made again
  leased_until timestamptz,
  -- answers to the last attempts, oldest first
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

-- Call logs, from which operators see the timeline of a request, for a week: of requests that had a job, or got the
-- answer of one. The time needs no index, because ids have the same order.
create table stories (
  id bigint generated always as identity primary key,
  request_id text not null,
  -- request id of the call whose answer the request got; its own if it was the first
  call_id text not null,
  account_id bigint not null,
  at timestamptz not null,
  story jsonb not null
);
create index stories_call on stories (call_id);
create index stories_request on stories (request_id) where request_id <> call_id;

-- Decisions of operators about pools, upstreams, operations, accounts and keys. The latest row of a kind and target
-- is in force until its time is over. The table is append-only, so it is its own audit log.
create table controls (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  who text not null check (who <> ''),
  why text not null check (why <> ''),
  -- 'job' rows only record actions on jobs in Bull Board
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

-- Desired and actual capacity of each pool, one row per minute, for a week.
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

-- Requests to upstreams and the cost that upstreams reported, by calendar day in UTC.
create table upstream_days (
  day date not null,
  upstream text not null,
  operation text not null,
  calls bigint not null,
  dollars numeric not null,
  primary key (day, upstream, operation)
);

-- The totals in Redis when their increase was last added to a day.
create table upstream_totals (
  upstream text not null,
  operation text not null,
  told_at timestamptz not null,
  calls bigint not null,
  dollars numeric not null,
  primary key (upstream, operation)
);

-- Triggers refer to functions by name, so the functions must exist; db/functions has their bodies.
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

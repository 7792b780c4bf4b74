-- Credits are whole numbers. An account has one balance per mode.

create table accounts (
  id bigint generated always as identity primary key,
  name text not null unique check (name <> ''),
  disabled boolean not null default false,
  rate_per_second integer not null default 60 check (rate_per_second > 0),
  max_in_flight integer not null default 20 check (max_in_flight > 0),
  created_at timestamptz not null default now()
);

-- Every call of an account rewrites its balance: room on the page keeps these updates cheap.
create table balances (
  account_id bigint not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  balance bigint not null default 0 check (balance >= 0),
  held bigint not null default 0,
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

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger ledger_append_only before update or delete or truncate on ledger
  for each statement execute function refuse_change();

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
  created_at timestamptz not null default now()
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
  created_at timestamptz not null default now()
);
create index bodies_age on bodies (created_at);
alter table bodies alter column body set storage external;

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

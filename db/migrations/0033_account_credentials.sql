-- The accounts' own credentials for upstreams. The secret is encrypted by the processes that write and use it; the
-- database has no key for it.
create sequence account_credentials_id;
create table account_credentials (
  -- A changed credential has a new id, so that nothing of the former one is used for it.
  id bigint primary key default nextval('account_credentials_id'),
  account_id bigint not null references accounts (id),
  -- The variables that it replaces: DATAFORSEO_LOGIN+DATAFORSEO_PASSWORD
  names text not null check (names ~ '^[A-Z0-9_]+(\+[A-Z0-9_]+)*$'),
  sealed bytea not null,
  -- Requests a second; null for the upstream's own limit.
  per_second double precision check (per_second > 0),
  -- Price of a record in percent of the operation's own.
  price_percent integer not null default 100 check (price_percent between 0 and 100),
  changed_at timestamptz not null default clock_timestamp(),
  unique (account_id, names)
);
alter sequence account_credentials_id owned by account_credentials.id;

-- Its text is in db/functions/changes.sql.
create function note_credential() returns trigger language plpgsql as 'begin return null; end';
create trigger credential_noted after insert or update or delete on account_credentials
  for each row execute function note_credential();

-- The Idempotency-Keys of writes to the gateway itself: what a repeated request is answered from.
create table own_writes (
  account_id bigint not null,
  mode text not null,
  key text not null,
  fingerprint text not null,
  request_id text not null,
  -- Id of what the request made or changed.
  subject text not null,
  -- The secret that the request was answered, sealed for its endpoint.
  secret bytea,
  -- A repeated request was answered from this row, so the change stays.
  answered boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  primary key (account_id, mode, key)
);
create index own_writes_age on own_writes (created_at);

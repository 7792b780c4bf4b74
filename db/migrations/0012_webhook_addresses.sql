-- Where the callers of single jobs and batches want to be told of them.
create table webhook_addresses (
  -- id of the job or batch
  subject text primary key,
  account_id bigint not null,
  mode text not null,
  url text not null,
  created_at timestamptz not null default now()
);
create index webhook_addresses_age on webhook_addresses (created_at);

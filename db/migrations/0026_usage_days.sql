-- Sums of `usage` by day (UTC) and operation. Most changes are updates of one row, so pages have space for them.
create table usage_days (
  account_id bigint not null,
  mode text not null,
  day date not null,
  operation text not null,
  calls bigint not null,
  errors bigint not null,
  credits bigint not null,
  records bigint not null,
  primary key (account_id, mode, day, operation)
) with (fillfactor = 50);

-- One row: `usage_days` is complete from this day on. The day of this migration is not, because calls were counted
-- before its trigger; sweeps add that day and earlier ones later (`sum_earlier_usage`), one at a time.
create table usage_sums (
  one boolean primary key default true check (one),
  whole_from date not null
);
-- Lock first: no call is counted between the look into the table and the trigger.
lock table usage in share row exclusive mode;
insert into usage_sums (whole_from)
  select case when exists (select 1 from usage)
    then (clock_timestamp() at time zone 'UTC')::date + 1 else '-infinity' end;

-- Its text is in db/functions/usage.sql.
create function sum_usage() returns trigger language plpgsql as 'begin return null; end';
create trigger usage_summed after insert on usage
  referencing new table as added for each statement execute function sum_usage();

-- A caller has learned of the job since its hand-in (a repeated request with its key), so nobody takes it back.
-- The functions that hand in and take back change with this migration.
alter table jobs add column confirmed boolean not null default false;

-- Jobs belong to no batch: items of batches have tables of their own. `batch_id` and `item` are always null.

-- Takes the strongest lock first, against a deadlock: a transaction that has read jobs and then writes them would
-- wait for the lock of the new index, and this migration for the lock of the reader.
lock table jobs in access exclusive mode;
create index jobs_by_account on jobs (account_id, mode, created_at, request_id);
drop index jobs_listed;
drop index jobs_batch;

-- The keys that replace each other share their budgets. Keys that were rotated earlier keep the budgets that each
-- has.
alter table api_keys add column budget_key text;
-- Why a batch was cancelled, if its caller did not cancel it.
alter table batches add column error_type text, add column error_message text;

-- A daily call counts in its budget before it is made, so that a run that ends before the answer has counted it, and
-- a repeated statement counts it once. Null in rows of earlier releases. Credits are added once by an id, too: see
-- add_credits.
alter table canaries add column call_id text;

-- Call logs: the timelines of requests, for operators.

create or replace function tell_stories(told jsonb) returns void language plpgsql as $$
begin
  -- Call logs need not survive a crash: holds and settlements have the facts.
  perform set_config('synchronous_commit', 'off', true);
  insert into stories (request_id, call_id, account_id, at, story)
    select t.request_id, t.call_id, t.account_id, to_timestamp(t.at / 1000), t.story
    from jsonb_to_recordset(told) as t (
      request_id text, call_id text, account_id bigint, at float8, story jsonb);
end $$;

-- Deletes rows older than `kept` or beyond the newest `most`, up to `at_most` at once; returns how many.
create or replace function prune_stories(kept interval, most bigint, at_most integer)
returns integer language plpgsql as $$
declare
  last bigint;
  pruned integer;
begin
  select max(s.id) into last from stories s;
  delete from stories where id in (
    select o.id from (select s.id, s.at from stories s order by s.id limit at_most for update skip locked) o
    where o.at < now() - kept or o.id <= last - most);
  get diagnostics pruned = row_count;
  return pruned;
end $$;

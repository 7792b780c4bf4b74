-- Ends a decision in the name of the gateway; false if there is a later one about the same target. Several processes
-- may try it at once: the row's lock lets one of them through, and the next statement sees what that one wrote.
create or replace function end_control(of_id bigint, by_whom text, reason text) returns boolean language plpgsql as $$
declare
  one controls;
begin
  select c.* into one from controls c where c.id = of_id for update;
  if one.id is null or exists (
    select from controls c where c.kind = one.kind and c.target = one.target and c.id > of_id
  ) then
    return false;
  end if;
  insert into controls (who, why, kind, target, effect) values (by_whom, reason, one.kind, one.target, 'none');
  return true;
end $$;

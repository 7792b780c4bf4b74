-- Failed calls of a minute and pool, so that the overview can chart those of a day and a week.
alter table capacity_history add column failed integer, add column failed_live integer;

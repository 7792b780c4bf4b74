-- Operators may stop a single worker process from taking jobs: kind 'worker', effect 'pause'.
alter table controls drop constraint controls_kind_check;
alter table controls drop constraint controls_check;
alter table controls add constraint controls_kind_check
  check (kind in ('pool', 'upstream', 'operation', 'account', 'key', 'job', 'worker'));
alter table controls add constraint controls_check check (
  kind = 'job'
  or effect = 'none'
  or kind = 'pool' and effect in ('pause', 'drain')
  or kind = 'worker' and effect = 'pause'
  or kind not in ('pool', 'worker') and (effect = 'off' or effect = 'cap' and per_minute is not null));

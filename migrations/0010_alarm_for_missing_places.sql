-- An order that nobody can be sent for, because a place of it is not known, is mended by other people and by other means
-- than one for which nobody is free.
alter table planning_alarms
  drop constraint planning_alarms_kind_check,
  add constraint planning_alarms_kind_check
    check (kind in ('NO_COURIER_IN_TIME', 'PLACE_MISSING', 'COURIER_DARK', 'PROBLEM_REPORTED'));

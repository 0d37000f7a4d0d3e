-- Orders, couriers and restaurants that some worker could not process. The worker goes on without them; the operator's
-- overview lists them. A row that is no longer reported is over: nobody has to clear it.
create table set_aside (
  work text not null,
  kind text not null,
  id uuid not null,
  reason text not null,
  first_failed_at timestamptz not null,
  last_failed_at timestamptz not null,
  primary key (work, kind, id)
);
create index set_aside_by_age on set_aside (last_failed_at);

-- A phone in a pocket or a cellar is heard of without knowing where it is: then the place stays as old as it is.
alter table courier_positions add column located_at timestamptz;
update courier_positions set located_at = reported_at where latitude is not null;

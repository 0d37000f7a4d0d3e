-- What couriers reported is deleted with the history of its order, and found by when it came: rows are added at one end
-- of the index and taken from the other. It cannot lie in weeks, because its id has to be known however late it comes again.
create index courier_acts_by_time on courier_acts (received_at);

-- While nothing waits, every way of reading the queue looks equally cheap, and a statement planned then may go through
-- all that waits later, once for every endpoint. So each index serves the statements that name its condition and no
-- others. Both conditions hold for everything that waits: no due time is infinite.
drop index deliveries_due;
create index deliveries_due on deliveries (due_at) where leased_by is null and due_at > '-infinity';
drop index deliveries_waiting;
create index deliveries_waiting on deliveries (restaurant_id, endpoint, due_at)
  where leased_by is null and due_at < 'infinity';

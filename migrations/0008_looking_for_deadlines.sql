-- When to look next whether an order's deadline has passed: never later than the deadline, often before it. It is known
-- when the order is placed, so that approving and accepting, which set and clear the deadline, touch no index.
alter table orders add column look_at timestamptz;
update orders set look_at = deadline_at where deadline_at is not null;
create index orders_to_look_at on orders (look_at) where look_at is not null;
drop index orders_by_deadline;

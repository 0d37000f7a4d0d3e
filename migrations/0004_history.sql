-- History lies in weeks: what is too old goes by dropping a partition, at the same small cost however much it holds.
-- Weeks are made ahead of time by the service; what falls into no week lands in the partition for the rest.

create sequence attempt_ids as bigint;
create sequence order_history_ids as bigint;

alter table attempts rename to attempts_before;
drop index attempts_by_event;
drop index attempts_by_restaurant;
create table attempts (
  id bigint not null default nextval('attempt_ids'),
  event_id uuid not null,
  restaurant_id uuid not null,
  endpoint text not null,
  number integer not null,
  outcome text not null,
  url text,
  secret_id uuid,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  status integer,
  error_class text,
  error_text text,
  retry_after text,
  answer text,
  remote_address text,
  reused_connection boolean,
  resent boolean,
  dns_ms real,
  connect_ms real,
  tls_ms real,
  first_byte_ms real,
  total_ms real,
  next_attempt_at timestamptz,
  constraint attempts_outcome_known check (outcome in ('delivered', 'failed', 'discarded'))
) partition by range (started_at);
create index attempts_by_event on attempts (event_id);
create index attempts_by_restaurant on attempts (restaurant_id, id);
create table attempts_rest partition of attempts default;
insert into attempts select * from attempts_before;
drop table attempts_before;
select setval('attempt_ids', coalesce((select max(id) from attempts), 0) + 1, false);

alter table events rename to events_before;
drop index events_by_order;
alter table events_before drop constraint events_pkey, drop constraint events_restaurant_id_sequence_key;
create table events (
  id uuid not null,
  restaurant_id uuid not null,
  sequence bigint not null,
  order_id uuid not null,
  version integer not null,
  type text not null,
  from_state text not null,
  to_state text not null,
  actor text not null,
  occurred_at timestamptz not null,
  -- The exact bytes of every attempt.
  body text not null,
  constraint events_pkey primary key (id, occurred_at),
  constraint events_type_known check (type in ('order.status_changed', 'order.canceled'))
) partition by range (occurred_at);
create index events_by_restaurant on events (restaurant_id, sequence);
create index events_by_order on events (order_id, version);
create table events_rest partition of events default;
insert into events select * from events_before;
drop table events_before;

alter table order_history rename to order_history_before;
drop index order_history_by_order;
create table order_history (
  id bigint not null default nextval('order_history_ids'),
  order_id uuid not null,
  at timestamptz not null,
  kind text not null,
  actor text not null,
  courier_id uuid,
  detail text
) partition by range (at);
create index order_history_by_order on order_history (order_id, id);
create table order_history_rest partition of order_history default;
insert into order_history select * from order_history_before;
drop table order_history_before;
select setval('order_history_ids', coalesce((select max(id) from order_history), 0) + 1, false);

-- When the event happened, exactly: it leads to the one week in which the event lies.
alter table deliveries rename column created_at to occurred_at;
update deliveries d set occurred_at = e.occurred_at from events e where e.id = d.event_id;

-- What an integrator sent about a customer is erased some time after the order is finished.
alter table orders add column erased_at timestamptz;
create index orders_to_erase on orders (finished_at) where finished_at is not null and erased_at is null;

-- Most changes of state stay within their page and touch no index: rows leave room for their next version.
alter table orders set (fillfactor = 45);

-- For claiming fairly: which endpoints have something waiting, and what of it is due first.
create index deliveries_waiting on deliveries (restaurant_id, endpoint, due_at)
  where leased_by is null and due_at is not null;

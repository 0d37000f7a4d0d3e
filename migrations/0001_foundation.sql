-- Restaurants, orders, their events, and the webhooks on their way.
--
-- Hot tables (orders, events, deliveries, attempts) carry no foreign keys: each would lock the restaurant's row
-- once per insert. Restaurants and orders are never deleted while something points at them.

create table installation (
  is_only boolean primary key default true check (is_only),
  -- A known text sealed with the master key: starting with another key is refused instead of failing later.
  key_check bytea not null,
  created_at timestamptz not null default now()
);

create table restaurants (
  id uuid primary key,
  provider_restaurant_id text not null unique,
  name text not null,
  time_zone text not null,
  latitude double precision,
  longitude double precision,
  contact_email text,
  integration_enabled boolean not null default true,
  auto_approve boolean not null default false,
  rate_limit_per_minute integer not null default 300 check (rate_limit_per_minute > 0),
  preparation_minutes integer not null default 15 check (preparation_minutes >= 0),
  courier_wait_limit_minutes integer not null default 60 check (courier_wait_limit_minutes > 0),
  -- Null: an unapproved order waits for as long as it takes.
  approval_limit_minutes integer check (approval_limit_minutes > 0),
  -- Null: open at all times.
  opening_hours jsonb,
  delivery_metadata boolean not null default false,
  created_at timestamptz not null
);

create table api_keys (
  id uuid primary key,
  restaurant_id uuid not null references restaurants,
  key_hash bytea not null unique,
  prefix text not null,
  environment text not null check (environment in ('live', 'test')),
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index api_keys_by_restaurant on api_keys (restaurant_id);

create table basic_credentials (
  id uuid primary key,
  restaurant_id uuid not null references restaurants,
  username text not null unique,
  password_hash bytea not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index basic_credentials_by_restaurant on basic_credentials (restaurant_id);

create table webhook_secrets (
  id uuid primary key,
  restaurant_id uuid not null references restaurants,
  state text not null check (state in ('pending', 'active')),
  sealed_secret bytea not null,
  created_at timestamptz not null,
  activated_at timestamptz,
  unique (restaurant_id, state)
);

create table endpoints (
  restaurant_id uuid not null references restaurants,
  kind text not null check (kind in ('status', 'cancel')),
  url text,
  failing_since timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_error text,
  primary key (restaurant_id, kind)
);
create index endpoints_failing on endpoints (failing_since) where failing_since is not null;

create table couriers (
  id uuid primary key,
  name text not null,
  phone text,
  latitude double precision,
  longitude double precision,
  on_duty boolean not null default true,
  -- Null: the operator's pool, open to every restaurant.
  restaurant_id uuid references restaurants,
  created_at timestamptz not null
);

create table users (
  id uuid primary key,
  email text not null unique,
  role text not null check (role in ('restaurant', 'courier', 'operator')),
  restaurant_id uuid references restaurants,
  password_hash text not null,
  created_at timestamptz not null
);

create table audit_entries (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  restaurant_id uuid references restaurants,
  action text not null,
  detail jsonb not null default '{}'
);
create index audit_entries_by_restaurant on audit_entries (restaurant_id, id);

create sequence order_numbers start with 100001;

create table orders (
  id uuid primary key,
  restaurant_id uuid not null,
  provider_order_id text not null,
  order_number bigint not null unique,
  state text not null check (
    state in ('NEW', 'VALIDATED', 'ROUTED', 'ASSIGNED', 'ACCEPTED', 'PREPARED', 'ON_DELIVERY', 'DELIVERED', 'CANCELED')
  ),
  -- Counts transitions: event versions of one order run 1, 2, 3 without a gap.
  version integer not null,
  -- The instant of the last event, or of placing: the next event must be later.
  last_changed_at timestamptz not null,
  -- json, not jsonb: kept as sent, and jsonb would blow up numbers such as 1e300.
  content json not null,
  warnings json not null,
  issues json not null,
  courier_id uuid,
  courier_offered_at timestamptz,
  courier_accepted_at timestamptz,
  kitchen_ready_at timestamptz,
  -- Null: as soon as possible.
  wanted_at timestamptz,
  -- When the System acts by itself if nothing happens until then.
  deadline_at timestamptz,
  cancel_reason_id text,
  cancel_reason text,
  canceled_by text,
  created_at timestamptz not null,
  finished_at timestamptz,
  unique (restaurant_id, provider_order_id)
) with (fillfactor = 80);
create index orders_live on orders (restaurant_id, created_at) where finished_at is null;
create index orders_by_deadline on orders (deadline_at) where deadline_at is not null;

-- What happened to an order besides its transitions: offers, declines, food ready early.
create table order_history (
  id bigint generated always as identity primary key,
  order_id uuid not null,
  at timestamptz not null,
  kind text not null,
  actor text not null,
  courier_id uuid,
  detail text
);
create index order_history_by_order on order_history (order_id, id);

-- One row a restaurant, locked by each transaction that adds events: sequences are handed out in commit order and
-- without gaps, so a reader's cursor can never pass an event that commits late.
create table event_counters (
  restaurant_id uuid primary key references restaurants,
  last_sequence bigint not null default 0
) with (fillfactor = 50);

create table events (
  id uuid primary key,
  restaurant_id uuid not null,
  sequence bigint not null,
  order_id uuid not null,
  version integer not null,
  type text not null check (type in ('order.status_changed', 'order.canceled')),
  from_state text not null,
  to_state text not null,
  actor text not null,
  occurred_at timestamptz not null,
  -- The exact bytes of every attempt.
  body text not null,
  unique (restaurant_id, sequence)
);
create index events_by_order on events (order_id, version);

create table nodes (
  id bigint generated always as identity primary key,
  backend_pid integer not null,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now()
);

-- A row lives from the event's commit until a 2xx (or until somebody discards it), so the queue's size is what is
-- outstanding, whatever the history. What happened is told by attempts.
create table deliveries (
  event_id uuid primary key,
  restaurant_id uuid not null,
  endpoint text not null check (endpoint in ('status', 'cancel')),
  order_id uuid not null,
  version integer not null,
  attempts integer not null default 0,
  -- Steps on the ladder; a resend of something delivered long ago starts at its foot again.
  failures integer not null default 0,
  -- Null: held, because there is no URL or the integration is disabled.
  due_at timestamptz,
  leased_by bigint,
  created_at timestamptz not null
) with (
  -- A queue is emptied as fast as it is filled: its dead rows are to be cleared by their number, not by a share.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);
create index deliveries_due on deliveries (due_at) where leased_by is null and due_at is not null;
create index deliveries_leased on deliveries (leased_by) where leased_by is not null;
create index deliveries_by_order on deliveries (order_id, endpoint, version);
create index deliveries_held on deliveries (restaurant_id, endpoint) where due_at is null;
create index deliveries_failing on deliveries (restaurant_id, endpoint) where failures > 0;

create table attempts (
  id bigint generated always as identity primary key,
  event_id uuid not null,
  restaurant_id uuid not null,
  endpoint text not null,
  number integer not null,
  outcome text not null check (outcome in ('delivered', 'failed', 'discarded')),
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
  next_attempt_at timestamptz
);
create index attempts_by_event on attempts (event_id);
create index attempts_by_restaurant on attempts (restaurant_id, id);

-- Admission counts of the running minute. Losing them in a crash only forgives a minute.
create unlogged table rate_windows (
  restaurant_id uuid primary key,
  window_started_at timestamptz not null,
  used integer not null
) with (fillfactor = 50);

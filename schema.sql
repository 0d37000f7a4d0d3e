-- What the migrations add up to, written by `npm run waybill -- schema`. Not to be edited or applied by hand:
-- a test compares it with a freshly migrated database.

create sequence order_numbers as bigint start with 100001 increment by 1;

create table api_keys (
  id uuid not null,
  restaurant_id uuid not null,
  key_hash bytea not null,
  prefix text not null,
  environment text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants(id),
  constraint api_keys_environment_check CHECK (environment = ANY (ARRAY['live'::text, 'test'::text]))
);
CREATE INDEX api_keys_by_restaurant ON api_keys USING btree (restaurant_id);

create table attempts (
  id bigint not null generated always as identity,
  event_id uuid not null,
  restaurant_id uuid not null,
  endpoint text not null,
  number integer not null,
  outcome text not null,
  url text,
  secret_id uuid,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
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
  next_attempt_at timestamp with time zone,
  constraint attempts_pkey PRIMARY KEY (id),
  constraint attempts_outcome_check CHECK (outcome = ANY (ARRAY['delivered'::text, 'failed'::text, 'discarded'::text]))
);
CREATE INDEX attempts_by_event ON attempts USING btree (event_id);
CREATE INDEX attempts_by_restaurant ON attempts USING btree (restaurant_id, id);

create table audit_entries (
  id bigint not null generated always as identity,
  at timestamp with time zone not null,
  actor text not null,
  restaurant_id uuid,
  action text not null,
  detail jsonb not null default '{}'::jsonb,
  constraint audit_entries_pkey PRIMARY KEY (id),
  constraint audit_entries_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants(id)
);
CREATE INDEX audit_entries_by_restaurant ON audit_entries USING btree (restaurant_id, id);

create table basic_credentials (
  id uuid not null,
  restaurant_id uuid not null,
  username text not null,
  password_hash bytea not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint basic_credentials_pkey PRIMARY KEY (id),
  constraint basic_credentials_username_key UNIQUE (username),
  constraint basic_credentials_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants(id)
);
CREATE INDEX basic_credentials_by_restaurant ON basic_credentials USING btree (restaurant_id);

create table couriers (
  id uuid not null,
  name text not null,
  phone text,
  latitude double precision,
  longitude double precision,
  on_duty boolean not null default true,
  restaurant_id uuid,
  created_at timestamp with time zone not null,
  constraint couriers_pkey PRIMARY KEY (id),
  constraint couriers_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants(id)
);

create table deliveries (
  event_id uuid not null,
  restaurant_id uuid not null,
  endpoint text not null,
  order_id uuid not null,
  version integer not null,
  attempts integer not null default 0,
  failures integer not null default 0,
  due_at timestamp with time zone,
  leased_by bigint,
  created_at timestamp with time zone not null,
  constraint deliveries_pkey PRIMARY KEY (event_id),
  constraint deliveries_endpoint_check CHECK (endpoint = ANY (ARRAY['status'::text, 'cancel'::text]))
) with (autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
CREATE INDEX deliveries_by_order ON deliveries USING btree (order_id, endpoint, version);
CREATE INDEX deliveries_due ON deliveries USING btree (due_at) WHERE ((leased_by IS NULL) AND (due_at IS NOT NULL));
CREATE INDEX deliveries_failing ON deliveries USING btree (restaurant_id, endpoint) WHERE (failures > 0);
CREATE INDEX deliveries_held ON deliveries USING btree (restaurant_id, endpoint) WHERE (due_at IS NULL);
CREATE INDEX deliveries_leased ON deliveries USING btree (leased_by) WHERE (leased_by IS NOT NULL);

create table endpoints (
  restaurant_id uuid not null,
  kind text not null,
  url text,
  failing_since timestamp with time zone,
  last_success_at timestamp with time zone,
  last_failure_at timestamp with time zone,
  last_error text,
  constraint endpoints_pkey PRIMARY KEY (restaurant_id, kind),
  constraint endpoints_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants(id),
  constraint endpoints_kind_check CHECK (kind = ANY (ARRAY['status'::text, 'cancel'::text]))
);
CREATE INDEX endpoints_failing ON endpoints USING btree (failing_since) WHERE (failing_since IS NOT NULL);

create table event_counters (
  restaurant_id uuid not null,
  last_sequence bigint not null default 0,
  constraint event_counters_pkey PRIMARY KEY (restaurant_id),
  constraint event_counters_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants(id)
) with (fillfactor=50);

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
  occurred_at timestamp with time zone not null,
  body text not null,
  constraint events_pkey PRIMARY KEY (id),
  constraint events_restaurant_id_sequence_key UNIQUE (restaurant_id, sequence),
  constraint events_type_check CHECK (type = ANY (ARRAY['order.status_changed'::text, 'order.canceled'::text]))
);
CREATE INDEX events_by_order ON events USING btree (order_id, version);

create table installation (
  is_only boolean not null default true,
  key_check bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint installation_pkey PRIMARY KEY (is_only),
  constraint installation_is_only_check CHECK (is_only)
);

create table nodes (
  id bigint not null generated always as identity,
  backend_pid integer not null,
  started_at timestamp with time zone not null default now(),
  beat_at timestamp with time zone not null default now(),
  constraint nodes_pkey PRIMARY KEY (id)
);

create table order_history (
  id bigint not null generated always as identity,
  order_id uuid not null,
  at timestamp with time zone not null,
  kind text not null,
  actor text not null,
  courier_id uuid,
  detail text,
  constraint order_history_pkey PRIMARY KEY (id)
);
CREATE INDEX order_history_by_order ON order_history USING btree (order_id, id);

create table orders (
  id uuid not null,
  restaurant_id uuid not null,
  provider_order_id text not null,
  order_number bigint not null,
  state text not null,
  version integer not null,
  last_changed_at timestamp with time zone not null,
  content json not null,
  warnings json not null,
  issues json not null,
  courier_id uuid,
  courier_offered_at timestamp with time zone,
  courier_accepted_at timestamp with time zone,
  kitchen_ready_at timestamp with time zone,
  wanted_at timestamp with time zone,
  deadline_at timestamp with time zone,
  cancel_reason_id text,
  cancel_reason text,
  canceled_by text,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint orders_pkey PRIMARY KEY (id),
  constraint orders_order_number_key UNIQUE (order_number),
  constraint orders_restaurant_id_provider_order_id_key UNIQUE (restaurant_id, provider_order_id),
  constraint orders_state_check CHECK (state = ANY (ARRAY['NEW'::text, 'VALIDATED'::text, 'ROUTED'::text, 'ASSIGNED'::text, 'ACCEPTED'::text, 'PREPARED'::text, 'ON_DELIVERY'::text, 'DELIVERED'::text, 'CANCELED'::text]))
) with (fillfactor=80);
CREATE INDEX orders_by_deadline ON orders USING btree (deadline_at) WHERE (deadline_at IS NOT NULL);
CREATE INDEX orders_live ON orders USING btree (restaurant_id, created_at) WHERE (finished_at IS NULL);

create unlogged table rate_windows (
  restaurant_id uuid not null,
  window_started_at timestamp with time zone not null,
  used integer not null,
  constraint rate_windows_pkey PRIMARY KEY (restaurant_id)
) with (fillfactor=50);

create table restaurants (
  id uuid not null,
  provider_restaurant_id text not null,
  name text not null,
  time_zone text not null,
  latitude double precision,
  longitude double precision,
  contact_email text,
  integration_enabled boolean not null default true,
  auto_approve boolean not null default false,
  rate_limit_per_minute integer not null default 300,
  preparation_minutes integer not null default 15,
  courier_wait_limit_minutes integer not null default 60,
  approval_limit_minutes integer,
  opening_hours jsonb,
  delivery_metadata boolean not null default false,
  created_at timestamp with time zone not null,
  constraint restaurants_pkey PRIMARY KEY (id),
  constraint restaurants_provider_restaurant_id_key UNIQUE (provider_restaurant_id),
  constraint restaurants_approval_limit_minutes_check CHECK (approval_limit_minutes > 0),
  constraint restaurants_courier_wait_limit_minutes_check CHECK (courier_wait_limit_minutes > 0),
  constraint restaurants_preparation_minutes_check CHECK (preparation_minutes >= 0),
  constraint restaurants_rate_limit_per_minute_check CHECK (rate_limit_per_minute > 0)
);

create table schema_migrations (
  name text not null,
  hash text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table users (
  id uuid not null,
  email text not null,
  role text not null,
  restaurant_id uuid,
  password_hash text not null,
  created_at timestamp with time zone not null,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_key UNIQUE (email),
  constraint users_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants(id),
  constraint users_role_check CHECK (role = ANY (ARRAY['restaurant'::text, 'courier'::text, 'operator'::text]))
);

create table webhook_secrets (
  id uuid not null,
  restaurant_id uuid not null,
  state text not null,
  sealed_secret bytea not null,
  created_at timestamp with time zone not null,
  activated_at timestamp with time zone,
  constraint webhook_secrets_pkey PRIMARY KEY (id),
  constraint webhook_secrets_restaurant_id_state_key UNIQUE (restaurant_id, state),
  constraint webhook_secrets_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants(id),
  constraint webhook_secrets_state_check CHECK (state = ANY (ARRAY['pending'::text, 'active'::text]))
);

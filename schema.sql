-- What the migrations add up to, written by `npm run waybill -- schema`. Not to be edited or applied by hand:
-- a test compares it with a freshly migrated database.

create sequence attempt_ids as bigint start with 1 increment by 1;

create sequence order_history_ids as bigint start with 1 increment by 1;

create sequence order_numbers as bigint start with 100001 increment by 1;

create table account_links (
  token_hash bytea not null,
  user_id uuid not null,
  purpose text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint account_links_pkey PRIMARY KEY (token_hash),
  constraint account_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint account_links_purpose_check CHECK (purpose = ANY (ARRAY['invitation'::text, 'reset'::text]))
);
CREATE INDEX account_links_by_expiry ON account_links USING btree (expires_at);
CREATE INDEX account_links_by_user ON account_links USING btree (user_id);

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
  id bigint not null default nextval('attempt_ids'::regclass),
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
  metadata_at timestamp with time zone,
  constraint attempts_outcome_known CHECK (outcome = ANY (ARRAY['delivered'::text, 'failed'::text, 'discarded'::text]))
) partition by RANGE (started_at);
CREATE INDEX attempts_by_event ON ONLY attempts USING btree (event_id);
CREATE INDEX attempts_by_restaurant ON ONLY attempts USING btree (restaurant_id, id);
CREATE INDEX attempts_undelivered ON ONLY attempts USING btree (restaurant_id, id) WHERE (outcome <> 'delivered'::text);

create table audit_differences (
  kind text not null,
  subject text not null,
  restaurant_id uuid not null,
  detail text not null,
  first_seen_at timestamp with time zone not null,
  last_seen_pass bigint not null,
  constraint audit_differences_pkey PRIMARY KEY (kind, subject)
);

create table audit_entries (
  id bigint not null generated always as identity,
  at timestamp with time zone not null,
  actor text not null,
  restaurant_id uuid,
  action text not null,
  detail jsonb not null default '{}'::jsonb,
  client_address text,
  constraint audit_entries_pkey PRIMARY KEY (id),
  constraint audit_entries_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants(id)
);
CREATE INDEX audit_entries_by_restaurant ON audit_entries USING btree (restaurant_id, id);

create table audit_progress (
  is_only boolean not null default true,
  last_round_at timestamp with time zone,
  pass bigint not null default 1,
  pass_started_at timestamp with time zone,
  places jsonb not null default '{}'::jsonb,
  last_pass_ended_at timestamp with time zone,
  last_pass_seconds double precision,
  constraint audit_progress_pkey PRIMARY KEY (is_only),
  constraint audit_progress_is_only_check CHECK (is_only)
);

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

create table courier_acts (
  id uuid not null,
  courier_id uuid not null,
  order_id uuid not null,
  kind text not null,
  acted_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  constraint courier_acts_pkey PRIMARY KEY (id)
);
CREATE INDEX courier_acts_by_order ON courier_acts USING btree (order_id, acted_at);
CREATE INDEX courier_acts_by_time ON courier_acts USING btree (received_at);

create table courier_photos (
  courier_id uuid not null,
  media_type text not null,
  content bytea not null,
  changed_at timestamp with time zone not null,
  constraint courier_photos_pkey PRIMARY KEY (courier_id),
  constraint courier_photos_courier_id_fkey FOREIGN KEY (courier_id) REFERENCES couriers(id),
  constraint courier_photos_content_check CHECK (octet_length(content) <= 204800),
  constraint courier_photos_media_type_check CHECK (media_type = ANY (ARRAY['image/jpeg'::text, 'image/png'::text, 'image/webp'::text]))
);

create unlogged table courier_positions (
  courier_id uuid not null,
  latitude double precision,
  longitude double precision,
  reported_at timestamp with time zone not null,
  located_at timestamp with time zone,
  constraint courier_positions_pkey PRIMARY KEY (courier_id)
) with (fillfactor=50);

create table courier_shifts (
  id uuid not null,
  courier_id uuid not null,
  starts_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  constraint courier_shifts_pkey PRIMARY KEY (id),
  constraint courier_shifts_courier_id_fkey FOREIGN KEY (courier_id) REFERENCES couriers(id),
  constraint courier_shifts_check CHECK (ends_at > starts_at)
);
CREATE INDEX courier_shifts_by_courier ON courier_shifts USING btree (courier_id, ends_at);

create table couriers (
  id uuid not null,
  name text not null,
  phone text,
  latitude double precision,
  longitude double precision,
  on_duty boolean not null default true,
  restaurant_id uuid,
  created_at timestamp with time zone not null,
  vehicle text not null default 'BICYCLE'::text,
  capacity integer not null default 4,
  pay_per_order integer,
  duty_changed_at timestamp with time zone,
  constraint couriers_pkey PRIMARY KEY (id),
  constraint couriers_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants(id),
  constraint couriers_capacity_check CHECK (capacity >= 1 AND capacity <= 99),
  constraint couriers_pay_per_order_check CHECK (pay_per_order >= 0),
  constraint couriers_vehicle_check CHECK (vehicle = ANY (ARRAY['FOOT'::text, 'BICYCLE'::text, 'MOTORCYCLE'::text, 'CAR'::text]))
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
  occurred_at timestamp with time zone not null,
  constraint deliveries_pkey PRIMARY KEY (event_id),
  constraint deliveries_endpoint_check CHECK (endpoint = ANY (ARRAY['status'::text, 'cancel'::text]))
) with (autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
CREATE INDEX deliveries_by_order ON deliveries USING btree (order_id, endpoint, version);
CREATE INDEX deliveries_due ON deliveries USING btree (due_at) WHERE ((leased_by IS NULL) AND (due_at > '-infinity'::timestamp with time zone));
CREATE INDEX deliveries_failing ON deliveries USING btree (restaurant_id, endpoint) WHERE (failures > 0);
CREATE INDEX deliveries_held ON deliveries USING btree (restaurant_id, endpoint) WHERE (due_at IS NULL);
CREATE INDEX deliveries_leased ON deliveries USING btree (leased_by) WHERE (leased_by IS NOT NULL);
CREATE INDEX deliveries_waiting ON deliveries USING btree (restaurant_id, endpoint, due_at) WHERE ((leased_by IS NULL) AND (due_at < 'infinity'::timestamp with time zone));

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

create table epoch_sequences (
  epoch_id uuid not null,
  restaurant_id uuid not null,
  last_sequence bigint not null,
  constraint epoch_sequences_pkey PRIMARY KEY (epoch_id, restaurant_id),
  constraint epoch_sequences_epoch_id_fkey FOREIGN KEY (epoch_id) REFERENCES epochs(id),
  constraint epoch_sequences_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants(id)
);

create table epochs (
  id uuid not null,
  number bigint not null generated always as identity,
  cause text not null,
  started_at timestamp with time zone not null,
  data_until timestamp with time zone not null,
  dismissed_at timestamp with time zone,
  dismissed_by text,
  constraint epochs_pkey PRIMARY KEY (id),
  constraint epochs_number_key UNIQUE (number),
  constraint epochs_cause_check CHECK (cause = ANY (ARRAY['restored'::text, 'recovered'::text]))
);

create table erasures_left (
  order_id uuid not null,
  looked_at timestamp with time zone not null,
  constraint erasures_left_pkey PRIMARY KEY (order_id)
);
CREATE INDEX erasures_left_by_look ON erasures_left USING btree (looked_at);

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
  constraint events_pkey PRIMARY KEY (id, occurred_at),
  constraint events_type_known CHECK (type = ANY (ARRAY['order.status_changed'::text, 'order.canceled'::text]))
) partition by RANGE (occurred_at);
CREATE INDEX events_by_order ON ONLY events USING btree (order_id, version);
CREATE INDEX events_by_restaurant ON ONLY events USING btree (restaurant_id, sequence);

create table failing_spells (
  id uuid not null,
  restaurant_id uuid not null,
  endpoint text not null,
  failing_since timestamp with time zone not null,
  told_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  ending text,
  constraint failing_spells_pkey PRIMARY KEY (id),
  constraint failing_spells_restaurant_id_endpoint_fkey FOREIGN KEY (restaurant_id, endpoint) REFERENCES endpoints(restaurant_id, kind),
  constraint failing_spells_check CHECK ((ended_at IS NULL) = (ending IS NULL)),
  constraint failing_spells_ending_check CHECK (ending = ANY (ARRAY['recovered'::text, 'switched_off'::text])),
  constraint failing_spells_endpoint_check CHECK (endpoint = ANY (ARRAY['status'::text, 'cancel'::text]))
);
CREATE UNIQUE INDEX failing_spells_open ON failing_spells USING btree (restaurant_id, endpoint) WHERE (ended_at IS NULL);

create table installation (
  is_only boolean not null default true,
  key_check bytea not null,
  created_at timestamp with time zone not null default now(),
  seals_bound boolean,
  sealed_credential_key bytea,
  constraint installation_pkey PRIMARY KEY (is_only),
  constraint installation_is_only_check CHECK (is_only)
);

create table mail_outbox (
  id uuid not null,
  to_address text not null,
  subject text not null,
  sealed_body bytea,
  created_at timestamp with time zone not null,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null,
  last_error text,
  sent_at timestamp with time zone,
  refused_at timestamp with time zone,
  constraint mail_outbox_pkey PRIMARY KEY (id)
);
CREATE INDEX mail_outbox_by_age ON mail_outbox USING btree (created_at);
CREATE INDEX mail_outbox_due ON mail_outbox USING btree (next_attempt_at) WHERE ((sent_at IS NULL) AND (refused_at IS NULL));
CREATE INDEX mail_outbox_refused ON mail_outbox USING btree (refused_at) WHERE (refused_at IS NOT NULL);

create table nodes (
  id bigint not null generated always as identity,
  backend_pid integer not null,
  started_at timestamp with time zone not null default now(),
  beat_at timestamp with time zone not null default now(),
  constraint nodes_pkey PRIMARY KEY (id)
);

create table order_history (
  id bigint not null default nextval('order_history_ids'::regclass),
  order_id uuid not null,
  at timestamp with time zone not null,
  kind text not null,
  actor text not null,
  courier_id uuid,
  detail text
) partition by RANGE (at);
CREATE INDEX order_history_by_id ON ONLY order_history USING btree (id);
CREATE INDEX order_history_by_order ON ONLY order_history USING btree (order_id, id);

create table order_plans (
  order_id uuid not null,
  courier_id uuid,
  pickup_place integer,
  dropoff_place integer,
  pickup_at timestamp with time zone,
  dropoff_at timestamp with time zone,
  explanation json,
  locked_to uuid,
  planned_at timestamp with time zone,
  constraint order_plans_pkey PRIMARY KEY (order_id)
) with (fillfactor=70);
CREATE INDEX order_plans_by_courier ON order_plans USING btree (courier_id);

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
  erased_at timestamp with time zone,
  look_at timestamp with time zone,
  facts json,
  constraint orders_pkey PRIMARY KEY (id),
  constraint orders_order_number_key UNIQUE (order_number),
  constraint orders_restaurant_id_provider_order_id_key UNIQUE (restaurant_id, provider_order_id),
  constraint orders_state_check CHECK (state = ANY (ARRAY['NEW'::text, 'VALIDATED'::text, 'ROUTED'::text, 'ASSIGNED'::text, 'ACCEPTED'::text, 'PREPARED'::text, 'ON_DELIVERY'::text, 'DELIVERED'::text, 'CANCELED'::text]))
) with (fillfactor=50);
CREATE INDEX orders_by_courier ON orders USING btree (courier_id) WHERE ((finished_at IS NULL) AND (courier_id IS NOT NULL));
CREATE INDEX orders_live ON orders USING btree (restaurant_id, created_at) WHERE (finished_at IS NULL);
CREATE INDEX orders_to_erase ON orders USING btree (finished_at) WHERE ((finished_at IS NOT NULL) AND (erased_at IS NULL));
CREATE INDEX orders_to_look_at ON orders USING btree (look_at) WHERE (look_at IS NOT NULL);

create table planning_alarms (
  order_id uuid not null,
  kind text not null,
  courier_id uuid,
  detail text not null,
  raised_at timestamp with time zone not null,
  constraint planning_alarms_pkey PRIMARY KEY (order_id, kind),
  constraint planning_alarms_kind_check CHECK (kind = ANY (ARRAY['NO_COURIER_IN_TIME'::text, 'PLACE_MISSING'::text, 'COURIER_DARK'::text, 'PROBLEM_REPORTED'::text]))
);

create table planning_areas (
  id uuid not null,
  held_by uuid,
  held_until timestamp with time zone not null,
  replan_wanted boolean not null default false,
  planned_at timestamp with time zone,
  summary json,
  constraint planning_areas_pkey PRIMARY KEY (id)
) with (fillfactor=50);

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
  address text,
  phone text,
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
  needs text,
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table sessions (
  id uuid not null,
  user_id uuid not null,
  token text not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  ip_address text,
  user_agent text,
  acting_restaurant_id uuid,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_key UNIQUE (token),
  constraint sessions_acting_restaurant_id_fkey FOREIGN KEY (acting_restaurant_id) REFERENCES restaurants(id),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sessions_by_expiry ON sessions USING btree (expires_at);
CREATE INDEX sessions_by_user ON sessions USING btree (user_id);

create table set_aside (
  work text not null,
  kind text not null,
  id uuid not null,
  reason text not null,
  first_failed_at timestamp with time zone not null,
  last_failed_at timestamp with time zone not null,
  constraint set_aside_pkey PRIMARY KEY (work, kind, id)
);
CREATE INDEX set_aside_by_age ON set_aside USING btree (last_failed_at);

create unlogged table sign_in_budgets (
  key bytea not null,
  used integer not null,
  ends_at timestamp with time zone not null,
  constraint sign_in_budgets_pkey PRIMARY KEY (key)
) with (fillfactor=70);

create table support_cases (
  id uuid not null,
  restaurant_id uuid not null,
  endpoint text not null,
  spell_id uuid not null,
  failing_since timestamp with time zone not null,
  state text not null default 'open'::text,
  opened_at timestamp with time zone not null,
  contacted_at timestamp with time zone,
  resolved_at timestamp with time zone,
  resolution text,
  constraint support_cases_pkey PRIMARY KEY (id),
  constraint support_cases_spell_id_key UNIQUE (spell_id),
  constraint support_cases_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants(id),
  constraint support_cases_spell_id_fkey FOREIGN KEY (spell_id) REFERENCES failing_spells(id),
  constraint support_cases_check CHECK ((state = 'resolved'::text) = (resolved_at IS NOT NULL)),
  constraint support_cases_check1 CHECK ((resolved_at IS NULL) = (resolution IS NULL)),
  constraint support_cases_endpoint_check CHECK (endpoint = ANY (ARRAY['status'::text, 'cancel'::text])),
  constraint support_cases_resolution_check CHECK (resolution = ANY (ARRAY['recovered'::text, 'switched_off'::text, 'by_operator'::text])),
  constraint support_cases_state_check CHECK (state = ANY (ARRAY['open'::text, 'contacted'::text, 'resolved'::text]))
);
CREATE INDEX support_cases_by_age ON support_cases USING btree (opened_at);
CREATE INDEX support_cases_unresolved ON support_cases USING btree (opened_at) WHERE (state <> 'resolved'::text);

create table support_notes (
  id bigint not null generated always as identity,
  case_id uuid not null,
  at timestamp with time zone not null,
  actor text not null,
  note text not null,
  constraint support_notes_pkey PRIMARY KEY (id),
  constraint support_notes_case_id_fkey FOREIGN KEY (case_id) REFERENCES support_cases(id)
);
CREATE INDEX support_notes_by_case ON support_notes USING btree (case_id, id);

create table two_factors (
  id uuid not null,
  user_id uuid not null,
  secret text not null,
  backup_codes text not null,
  verified boolean not null default true,
  failed_verification_count integer not null default 0,
  locked_until timestamp with time zone,
  constraint two_factors_pkey PRIMARY KEY (id),
  constraint two_factors_user_id_key UNIQUE (user_id),
  constraint two_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table user_passwords (
  id uuid not null,
  user_id uuid not null,
  provider_id text not null default 'credential'::text,
  account_id text not null,
  password_hash text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint user_passwords_pkey PRIMARY KEY (id),
  constraint user_passwords_user_id_key UNIQUE (user_id),
  constraint user_passwords_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table users (
  id uuid not null,
  email text not null,
  role text not null,
  restaurant_id uuid,
  created_at timestamp with time zone not null,
  name text not null default ''::text,
  courier_id uuid,
  disabled_at timestamp with time zone,
  two_factor_enabled boolean not null default false,
  updated_at timestamp with time zone not null default now(),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_key UNIQUE (email),
  constraint users_courier_id_fkey FOREIGN KEY (courier_id) REFERENCES couriers(id),
  constraint users_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants(id),
  constraint users_restaurant_check CHECK (
CASE role
    WHEN 'owner'::text THEN restaurant_id IS NOT NULL
    WHEN 'staff'::text THEN restaurant_id IS NOT NULL
    WHEN 'operator'::text THEN restaurant_id IS NULL
    ELSE true
END),
  constraint users_role_check CHECK (role = ANY (ARRAY['owner'::text, 'staff'::text, 'courier'::text, 'operator'::text]))
);
CREATE INDEX users_by_courier ON users USING btree (courier_id);
CREATE INDEX users_by_restaurant ON users USING btree (restaurant_id);

create table verifications (
  id uuid not null,
  identifier text not null,
  value text not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint verifications_pkey PRIMARY KEY (id)
);
CREATE INDEX verifications_by_expiry ON verifications USING btree (expires_at);
CREATE INDEX verifications_by_identifier ON verifications USING btree (identifier);

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

CREATE OR REPLACE FUNCTION public.forget_stale_facts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.facts := null;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_erasure_left()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into erasures_left (order_id, looked_at) values (new.id, '-infinity') on conflict do nothing;
  return null;
end
$function$
;

CREATE TRIGGER orders_erased_in_part AFTER UPDATE OF erased_at ON orders FOR EACH ROW WHEN (old.erased_at IS NULL AND new.erased_at IS NOT NULL) EXECUTE FUNCTION keep_erasure_left();

CREATE TRIGGER orders_facts_follow_content BEFORE UPDATE OF content ON orders FOR EACH ROW WHEN (old.facts IS NOT NULL AND old.facts::text = new.facts::text AND old.content::text <> new.content::text) EXECUTE FUNCTION forget_stale_facts();

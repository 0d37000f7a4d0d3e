-- Couriers at work, the plan that says who carries what and why, and what couriers reported.

alter table couriers
  add column vehicle text not null default 'BICYCLE' check (vehicle in ('FOOT', 'BICYCLE', 'MOTORCYCLE', 'CAR')),
  -- In bags or boxes, as orders count them.
  add column capacity integer not null default 4 check (capacity between 1 and 99),
  -- Minor units of the order's currency. Null: couriers are not told what an offer pays.
  add column pay_per_order integer check (pay_per_order >= 0),
  add column duty_changed_at timestamptz;

create table courier_photos (
  courier_id uuid primary key references couriers,
  media_type text not null check (media_type in ('image/jpeg', 'image/png', 'image/webp')),
  content bytea not null check (octet_length(content) <= 204800),
  changed_at timestamptz not null
);

-- Whoever is on duty without a shift has no end in sight.
create table courier_shifts (
  id uuid primary key,
  courier_id uuid not null references couriers,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  check (ends_at > starts_at)
);
create index courier_shifts_by_courier on courier_shifts (courier_id, ends_at);

-- Only the last one of each, only on duty, and the place only for minutes. A crash forgets them; the next report
-- comes within seconds.
create unlogged table courier_positions (
  courier_id uuid primary key,
  latitude double precision,
  longitude double precision,
  reported_at timestamptz not null
) with (fillfactor = 50);

-- What couriers did and was applied, by the id that their page gave it: a report that comes again is known by it.
create table courier_acts (
  id uuid primary key,
  courier_id uuid not null,
  order_id uuid not null,
  kind text not null,
  acted_at timestamptz not null,
  received_at timestamptz not null
);
create index courier_acts_by_order on courier_acts (order_id, acted_at);

-- Newly placed orders have no courier, so this costs the intake nothing.
create index orders_by_courier on orders (courier_id) where finished_at is null and courier_id is not null;

-- One row for each order that is being planned, until it is delivered or cancelled.
create table order_plans (
  order_id uuid primary key,
  -- Null: it waits. The explanation says why and until when.
  courier_id uuid,
  -- The places of its two stops in that courier's route, from which the next plan begins.
  pickup_place integer,
  dropoff_place integer,
  pickup_at timestamptz,
  dropoff_at timestamptz,
  explanation json,
  -- The courier to whom an operator has tied it.
  locked_to uuid,
  planned_at timestamptz
) with (fillfactor = 70);
create index order_plans_by_courier on order_plans (courier_id);

-- One planner at a time works on an area. A holder that is not heard of loses it.
create table planning_areas (
  id uuid primary key,
  held_by uuid,
  held_until timestamptz not null,
  replan_wanted boolean not null default false,
  planned_at timestamptz,
  summary json
) with (fillfactor = 50);

-- What somebody has to look at now; a row is deleted when its cause is gone.
create table planning_alarms (
  order_id uuid not null,
  kind text not null check (kind in ('NO_COURIER_IN_TIME', 'COURIER_DARK', 'PROBLEM_REPORTED')),
  courier_id uuid,
  detail text not null,
  raised_at timestamptz not null,
  primary key (order_id, kind)
);

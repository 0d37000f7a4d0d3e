-- People who sign in. The tables sessions, user_passwords, verifications and two_factors belong to the authentication
-- library; their columns are named in src/accounts/auth.ts.

alter table users drop constraint users_role_check;
update users set role = 'owner' where role = 'restaurant';
alter table users
  add constraint users_role_check check (role in ('owner', 'staff', 'courier', 'operator')),
  add column name text not null default '',
  add column courier_id uuid references couriers (id),
  add column disabled_at timestamptz,
  add column two_factor_enabled boolean not null default false,
  add column updated_at timestamptz not null default now();
-- Whoever works for a restaurant has one, and an operator belongs to none.
alter table users
  add constraint users_restaurant_check check (
    case role when 'owner' then restaurant_id is not null
              when 'staff' then restaurant_id is not null
              when 'operator' then restaurant_id is null
              else true end);
create index users_by_restaurant on users (restaurant_id);
create index users_by_courier on users (courier_id);

-- A person who was invited has no row here until they choose a password.
create table user_passwords (
  id uuid primary key,
  user_id uuid not null unique references users (id) on delete cascade,
  -- The library keeps other ways of signing in in the same place: this one is `credential`, and its account the user.
  provider_id text not null default 'credential',
  account_id text not null,
  password_hash text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
insert into user_passwords (id, user_id, account_id, password_hash, created_at, updated_at)
  select id, id, id::text, password_hash, created_at, created_at from users;
alter table users drop column password_hash;

create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  -- Of no use alone: the cookie carries a signature with a key that is not in the database.
  token text not null unique,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  ip_address text,
  user_agent text,
  -- The restaurant as which an operator works at the moment.
  acting_restaurant_id uuid references restaurants (id)
);
create index sessions_by_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);

-- The library's short-lived notes: who is half way through signing in.
create table verifications (
  id uuid primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index verifications_by_identifier on verifications (identifier);
create index verifications_by_expiry on verifications (expires_at);

create table two_factors (
  id uuid primary key,
  user_id uuid not null unique references users (id) on delete cascade,
  -- Both are encrypted.
  secret text not null,
  backup_codes text not null,
  verified boolean not null default true,
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);

-- Links in mails. Only a hash is kept, and using one deletes it.
create table account_links (
  token_hash bytea primary key,
  user_id uuid not null references users (id) on delete cascade,
  purpose text not null check (purpose in ('invitation', 'reset')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index account_links_by_user on account_links (user_id);
create index account_links_by_expiry on account_links (expires_at);

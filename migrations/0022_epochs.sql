-- A database that was restored or recovered to an earlier moment has lost what came after it, and the numbers that it
-- hands out next were handed out before. Each such return begins an epoch. A database that has none is in its first.

create table epochs (
  id uuid primary key,
  number bigint generated always as identity unique,
  cause text not null check (cause in ('restored', 'recovered')),
  started_at timestamptz not null,
  -- The moment to which the data went back.
  data_until timestamptz not null,
  -- When an operator has read what cannot be known after it.
  dismissed_at timestamptz,
  dismissed_by text
);

-- The last event of each restaurant that the epoch has in common with the one before it.
create table epoch_sequences (
  epoch_id uuid not null references epochs (id),
  restaurant_id uuid not null references restaurants (id),
  last_sequence bigint not null,
  primary key (epoch_id, restaurant_id)
);

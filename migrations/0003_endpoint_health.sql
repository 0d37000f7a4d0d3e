-- Mail on its way, failing endpoints and what was told of them, support cases, and how far the audit has come.

-- A mail is enqueued in the transaction that decides about it, and sent by whichever node claims it.
create table mail_outbox (
  -- Also in the Message-ID, so that a mail that was sent twice can be recognised.
  id uuid primary key,
  to_address text not null,
  subject text not null,
  -- The text, sealed: it may hold a link that lets somebody in. Null once the mail is sent or refused.
  sealed_body bytea,
  created_at timestamptz not null,
  -- Counted when claimed; whoever reports a result names the attempt that it belongs to.
  attempts integer not null default 0,
  -- A claim moves it on by the length of a lease: a node that dies leaves the mail to the next one.
  next_attempt_at timestamptz not null,
  last_error text,
  sent_at timestamptz,
  -- The mail server refused the recipient for good.
  refused_at timestamptz
);
create index mail_outbox_due on mail_outbox (next_attempt_at) where sent_at is null and refused_at is null;
create index mail_outbox_refused on mail_outbox (refused_at) where refused_at is not null;
create index mail_outbox_by_age on mail_outbox (created_at);

-- A spell lasts from the first failure after the last success until the next success. It is written down when the
-- restaurant is told of it.
create table failing_spells (
  id uuid primary key,
  restaurant_id uuid not null,
  endpoint text not null check (endpoint in ('status', 'cancel')),
  failing_since timestamptz not null,
  told_at timestamptz not null,
  ended_at timestamptz,
  ending text check (ending in ('recovered', 'switched_off')),
  foreign key (restaurant_id, endpoint) references endpoints (restaurant_id, kind),
  check ((ended_at is null) = (ending is null))
);
create unique index failing_spells_open on failing_spells (restaurant_id, endpoint) where ended_at is null;

create table support_cases (
  id uuid primary key,
  restaurant_id uuid not null references restaurants,
  endpoint text not null check (endpoint in ('status', 'cancel')),
  -- One case a spell, whatever happens to it.
  spell_id uuid not null unique references failing_spells,
  failing_since timestamptz not null,
  state text not null default 'open' check (state in ('open', 'contacted', 'resolved')),
  opened_at timestamptz not null,
  contacted_at timestamptz,
  resolved_at timestamptz,
  resolution text check (resolution in ('recovered', 'switched_off', 'by_operator')),
  check ((state = 'resolved') = (resolved_at is not null)),
  check ((resolved_at is null) = (resolution is null))
);
create index support_cases_by_age on support_cases (opened_at);
create index support_cases_unresolved on support_cases (opened_at) where state <> 'resolved';

create table support_notes (
  id bigint generated always as identity primary key,
  case_id uuid not null references support_cases,
  at timestamptz not null,
  actor text not null,
  note text not null
);
create index support_notes_by_case on support_notes (case_id, id);

-- The audit walks all history again and again, one node at a time, and keeps its place here.
create table audit_progress (
  is_only boolean primary key default true check (is_only),
  last_round_at timestamptz,
  pass bigint not null default 1,
  pass_started_at timestamptz,
  -- Where each walk goes on; a walk that is not named starts from the beginning.
  places jsonb not null default '{}',
  last_pass_ended_at timestamptz,
  last_pass_seconds double precision
);

-- What the audit sees at present. A difference that a whole later pass did not see again is gone.
create table audit_differences (
  kind text not null,
  subject text not null,
  restaurant_id uuid not null,
  detail text not null,
  first_seen_at timestamptz not null,
  last_seen_pass bigint not null,
  primary key (kind, subject)
);

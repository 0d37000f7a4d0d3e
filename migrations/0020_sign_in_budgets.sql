-- How many wrong passwords each address, account and browser may still try, for all nodes and their processes together.
-- Keys are keyed hashes, so the table names nobody. Losing the counts in a crash forgives a quarter of an hour.
create unlogged table sign_in_budgets (
  key bytea primary key,
  used integer not null,
  ends_at timestamptz not null
) with (fillfactor = 70);

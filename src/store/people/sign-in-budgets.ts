// Counts sign-in attempts across all nodes. Windows follow the database's clock, so nodes with different clocks agree
// on when a window ends.
import type { Queryable } from '../database/database.ts';

export interface Budget {
  key: Buffer;
  limit: number;
}

export type Spending = { ok: true } | { ok: false; retryAfterSeconds: number };

const WINDOW = `interval '15 minutes'`;

// Either every budget is charged for the attempt or none is; none is charged while a row is missing. Rows are locked in
// key order, so that two attempts never deadlock. A window never ends later than one that starts now would: after the
// clock is set back, waiting for one whole window is still enough.
const SPEND = `
  with asked as (
    select b.key, a.most, b.ends_at <= now() as is_over, b.used, least(b.ends_at, now() + ${WINDOW}) as ends_at
    from unnest($1::bytea[], $2::int[]) as a(key, most)
    join sign_in_budgets b on b.key = a.key
    order by b.key
    for update of b
  ),
  verdict as (
    select count(*)::int as found, max(ends_at) filter (where not is_over and used >= most) as refused_until from asked
  ),
  spent as (
    update sign_in_budgets b
    set used = case when asked.is_over then 1 else asked.used + 1 end,
      ends_at = case when asked.is_over then now() + ${WINDOW} else asked.ends_at end
    from asked, verdict
    where b.key = asked.key and verdict.refused_until is null and verdict.found = cardinality($1::bytea[])
  )
  select found, ceil(extract(epoch from refused_until - now()))::int as wait_seconds from verdict`;

// Only for attempts that no budget rejects: otherwise rejected attempts at made-up accounts would fill the table.
const INSERT_BUDGETS = `
  insert into sign_in_budgets (key, used, ends_at)
  select key, 0, now() + ${WINDOW} from unnest($1::bytea[]) as a(key) order by key
  on conflict do nothing`;

// A row may disappear once, at any time: when it expires, or after a database crash.
const MAX_ROUNDS = 3;

/** Each key may appear only once. */
export async function spendBudgets(db: Queryable, budgets: readonly Budget[]): Promise<Spending> {
  const keys = budgets.map(({ key }) => key);
  const limits = budgets.map(({ limit }) => limit);
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const [verdict] = await db.query<{ found: number; waitSeconds: number | null }>(SPEND, [keys, limits]);
    if (verdict === undefined) break;
    if (verdict.waitSeconds !== null) return { ok: false, retryAfterSeconds: Math.max(1, verdict.waitSeconds) };
    if (verdict.found === keys.length) return { ok: true };
    await db.query(INSERT_BUDGETS, [keys]);
  }
  throw new Error('a sign-in budget vanished while it was being used');
}

/** Refunds the cost of one attempt. */
export async function refundBudgets(db: Queryable, keys: readonly Buffer[]): Promise<void> {
  await db.query(
    `with paid as (select key from sign_in_budgets where key = any ($1::bytea[]) order by key for update)
     update sign_in_budgets b set used = greatest(b.used - 1, 0) from paid where b.key = paid.key`,
    [keys],
  );
}

/** Every read counts expired budgets as unused; this only keeps the table small. */
export async function deleteExpiredBudgets(db: Queryable): Promise<void> {
  await db.query(
    `delete from sign_in_budgets
     where key in (select key from sign_in_budgets where ends_at <= now() for update skip locked)`,
  );
}

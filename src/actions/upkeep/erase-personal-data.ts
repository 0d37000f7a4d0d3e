// Erases personal data after its retention period: of finished orders, of orders that never finish, and what earlier
// erasures left because it was still needed. Nodes may run this concurrently; each claims different orders.
import { describeError, type SetAside } from '../../domain/upkeep/set-aside.ts';
import { DAY_MS, type Instant } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import { DatabaseUnavailable, type Database, type Queryable } from '../../store/database/database.ts';
import {
  claimErasuresLeft,
  claimFinishedOrders,
  claimForgottenOrders,
  eraseOrders,
  type ErasureScope,
} from '../../store/upkeep/erasure.ts';
import { runSplitting, type Failure } from '../../store/database/split-batch.ts';

export interface PersonalDataRetention {
  keepPersonalDataDays: number;
  /** Counted from the last change of an unfinished order. */
  keepUnfinishedDays: number;
}

type Deps = Pick<Platform, 'clock' | 'log'> & PersonalDataRetention & { db: Database; setAside: SetAside };

const MAX_ORDERS_PER_TRANSACTION = 200;
const MAX_TRANSACTIONS_PER_ROUND = 100;

export async function erasePersonalData(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const limit = MAX_ORDERS_PER_TRANSACTION;
  const finishedBefore = now - deps.keepPersonalDataDays * DAY_MS;
  const unchangedBefore = now - deps.keepUnfinishedDays * DAY_MS;
  const count = async (claim: (tx: Queryable, scope: ErasureScope) => Promise<string[]>) => {
    const ids: Claim = (tx, scope) => claim(tx, scope).then((claimed) => ({ looked: claimed.length, ids: claimed }));
    return eraseInBatches(deps, ids, now);
  };
  const finished = await count((tx, scope) => claimFinishedOrders(tx, { before: finishedBefore, limit, ...scope }));
  const forgotten = await count((tx, scope) => claimForgottenOrders(tx, { before: unchangedBefore, limit, ...scope }));
  const claim: Claim = (tx, scope) => claimErasuresLeft(tx, { before: finishedBefore, limit, now, ...scope });
  const left = await eraseInBatches(deps, claim, now);
  if (finished + forgotten + left === 0) return;
  deps.log.info({ event: 'history.erased', orders: finished, unfinished: forgotten, again: left });
}

interface Claimed {
  looked: number;
  ids: string[];
}

type Claim = (tx: Queryable, scope: ErasureScope) => Promise<Claimed>;

async function eraseInBatches(deps: Deps, claim: Claim, now: Instant): Promise<number> {
  const leftOut: string[] = [];
  let total = 0;
  for (let batch = 0; batch < MAX_TRANSACTIONS_PER_ROUND; batch += 1) {
    const { looked, erased, failures } = await eraseBatch(deps.db, (tx, among) => claim(tx, { leftOut, among }), now);
    total += erased;
    leftOut.push(...failures.map(({ item }) => item));
    await deps.setAside.report(
      'erasure',
      failures.map(({ item, error }) => ({ kind: 'order', id: item, reason: describeError(error) })),
    );
    if (looked < MAX_ORDERS_PER_TRANSACTION) break;
  }
  return total;
}

/** If an order can't be erased, the rest of its batch is erased without it. */
async function eraseBatch(
  db: Database,
  claim: (tx: Queryable, among: readonly string[] | null) => Promise<Claimed>,
  now: Instant,
): Promise<{ looked: number; erased: number; failures: Failure<string>[] }> {
  let claimed: Claimed = { looked: 0, ids: [] };
  const erase = (among: readonly string[] | null): Promise<number> =>
    db.transaction(async (tx) => {
      const mine = await claim(tx, among);
      if (among === null) claimed = mine;
      if (mine.ids.length > 0) await eraseOrders(tx, mine.ids, now);
      return mine.ids.length;
    });
  try {
    const erased = await erase(null);
    return { looked: claimed.looked, erased, failures: [] };
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    let erased = 0;
    const failures = await runSplitting(claimed.ids, async (some) => void (erased += await erase(some)));
    // Nothing was claimed, so the claim itself has failed.
    if (erased + failures.length === 0) throw error;
    return { looked: claimed.looked, erased, failures };
  }
}

// Erases what is personal when its time is over: of finished orders, of orders that never finish, and what was left of
// both because it was still needed. Any number of nodes may do it at once; each takes other orders.
import { DAY_MS, type Instant } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import type { Database, Queryable } from '../../store/database/database.ts';
import {
  claimErasuresLeft,
  claimFinishedOrders,
  claimForgottenOrders,
  eraseOrders,
} from '../../store/upkeep/erasure.ts';

export interface PersonalDataRetention {
  keepPersonalDataDays: number;
  /** After the last change of an order that is not finished. */
  keepUnfinishedDays: number;
}

type Deps = Pick<Platform, 'clock' | 'log'> & PersonalDataRetention & { db: Database };

const MAX_ORDERS_PER_TRANSACTION = 200;
const MAX_TRANSACTIONS_PER_ROUND = 100;

export async function erasePersonalData(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const limit = MAX_ORDERS_PER_TRANSACTION;
  const finishedBefore = now - deps.keepPersonalDataDays * DAY_MS;
  const unchangedBefore = now - deps.keepUnfinishedDays * DAY_MS;
  const count = async (claim: (tx: Queryable) => Promise<string[]>) => {
    const ids = (tx: Queryable) => claim(tx).then((claimed) => ({ looked: claimed.length, ids: claimed }));
    return eraseInBatches(deps, { claim: ids, now });
  };
  const finished = await count((tx) => claimFinishedOrders(tx, { before: finishedBefore, limit }));
  const forgotten = await count((tx) => claimForgottenOrders(tx, { before: unchangedBefore, limit }));
  const claim = (tx: Queryable) => claimErasuresLeft(tx, { before: finishedBefore, limit, now });
  const left = await eraseInBatches(deps, { claim, now });
  if (finished + forgotten + left === 0) return;
  deps.log.info({ event: 'history.erased', orders: finished, unfinished: forgotten, again: left });
}

async function eraseInBatches(
  { db }: Deps,
  work: { claim: (tx: Queryable) => Promise<{ looked: number; ids: string[] }>; now: Instant },
): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_TRANSACTIONS_PER_ROUND; batch += 1) {
    const { looked, ids } = await db.transaction(async (tx) => {
      const claimed = await work.claim(tx);
      if (claimed.ids.length > 0) await eraseOrders(tx, claimed.ids, work.now);
      return claimed;
    });
    total += ids.length;
    if (looked < MAX_ORDERS_PER_TRANSACTION) break;
  }
  return total;
}

// Order numbers, fetched ahead: a payload needs its number before the order is written, and fetching it then would cost
// every order a round trip. The next fetch starts before numbers run out, so under steady load no order waits for one.
// Numbers left over when a node stops leave a small gap. After a promotion, the sequence may be behind the numbers that
// nodes fetched before it, so the same number may be fetched twice; the node that uses it second fetches again.
import type { Queryable } from '../../store/database/database.ts';
import { takeOrderNumbers, takeUnusedNumbers } from '../../store/orders/writes.ts';

const BATCHES_AHEAD = 4;
const AHEAD = { least: 20, most: 1_000 };
/** Fetch more when fewer than this many batches are left. */
const LOW_WATER_BATCHES = 2;

export interface OrderNumbers {
  take(count: number): Promise<string[]>;
  /** Forgets the numbers fetched ahead, because one of them turned out to be used, and from now on fetches unused ones. */
  discard(): void;
}

export function createOrderNumbers(db: Queryable): OrderNumbers {
  let ready: string[] = [];
  let fetching: Promise<void> | undefined;
  let takeNext = takeOrderNumbers;
  const takeMore = async (count: number): Promise<void> => {
    const ahead = Math.min(Math.max(count * BATCHES_AHEAD, AHEAD.least), AHEAD.most);
    ready.push(...(await takeNext(db, Math.max(count, ahead))));
  };
  const takeMoreOnce = (count: number): Promise<void> => {
    fetching ??= takeMore(count).finally(() => (fetching = undefined));
    return fetching;
  };
  return {
    async take(count) {
      while (ready.length < count) await takeMoreOnce(count);
      const taken = ready.splice(0, count);
      // If this fails, the next caller that runs out of numbers retries and gets the error.
      if (ready.length < count * LOW_WATER_BATCHES) void takeMoreOnce(count).catch(() => undefined);
      return taken;
    },
    discard() {
      ready = [];
      takeNext = takeUnusedNumbers;
    },
  };
}

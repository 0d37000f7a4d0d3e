// Order numbers, fetched a few batches ahead: a payload needs its number before the order is written, and asking for
// it each time would cost every order a round trip. What is left over when a node stops is a small gap.
import type { Queryable } from '../store/database.ts';
import { takeOrderNumbers } from '../store/order-writes.ts';

const BATCHES_AHEAD = 4;
const MOST_AHEAD = 1_000;

export function createOrderNumbers(db: Queryable): (count: number) => Promise<string[]> {
  let ready: string[] = [];
  return async (count) => {
    while (ready.length < count) {
      const wanted = Math.max(count, Math.min(count * BATCHES_AHEAD, MOST_AHEAD));
      const more = await takeOrderNumbers(db, wanted);
      // Read only now: another batch may have taken from it meanwhile.
      ready = [...ready, ...more];
    }
    const taken = ready.slice(0, count);
    ready = ready.slice(count);
    return taken;
  };
}

// Order numbers, fetched ahead: a payload needs its number before the order is written, and asking for it then would cost
// every order a round trip. More are asked for before the last ones are gone, so that under steady load nobody waits for
// them. What is left over when a node stops is a small gap.
import type { Queryable } from '../../store/database/database.ts';
import { takeOrderNumbers } from '../../store/orders/writes.ts';

const BATCHES_AHEAD = 4;
const AHEAD = { least: 20, most: 1_000 };
/** When no more than so many batches are left, it is time to ask for more. */
const LOW_WATER_BATCHES = 2;

export function createOrderNumbers(db: Queryable): (count: number) => Promise<string[]> {
  const ready: string[] = [];
  let fetching: Promise<void> | undefined;
  const takeMore = async (count: number): Promise<void> => {
    const ahead = Math.min(Math.max(count * BATCHES_AHEAD, AHEAD.least), AHEAD.most);
    ready.push(...(await takeOrderNumbers(db, Math.max(count, ahead))));
  };
  const takeMoreOnce = (count: number): Promise<void> => {
    fetching ??= takeMore(count).finally(() => (fetching = undefined));
    return fetching;
  };
  return async (count) => {
    while (ready.length < count) await takeMoreOnce(count);
    const taken = ready.splice(0, count);
    // If that fails, whoever needs a number asks again and is told.
    if (ready.length < count * LOW_WATER_BATCHES) void takeMoreOnce(count).catch(() => undefined);
    return taken;
  };
}

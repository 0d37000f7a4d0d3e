// One statement for many rows fails for all of them as soon as it fails for one.
import { DatabaseUnavailable, toUnavailable } from './database.ts';

export interface Failure<Item> {
  item: Item;
  error: unknown;
}

/**
 * Runs all at once. A batch that fails is halved until those that fail alone are found, so everything else is done; their
 * order is kept. A database that is unavailable, for which no item is to blame, fails the whole.
 */
export async function runSplitting<Item>(
  items: readonly Item[],
  run: (some: readonly Item[]) => Promise<unknown>,
): Promise<Failure<Item>[]> {
  const [item] = items;
  if (item === undefined) return [];
  try {
    await run(items);
    return [];
  } catch (error) {
    if (toUnavailable(error) instanceof DatabaseUnavailable) throw error;
    if (items.length === 1) return [{ item, error }];
    const middle = items.length >> 1;
    const failures = await runSplitting(items.slice(0, middle), run);
    return [...failures, ...(await runSplitting(items.slice(middle), run))];
  }
}

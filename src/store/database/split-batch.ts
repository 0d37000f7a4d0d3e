// A statement for many rows fails for all of them if it fails for one.
import { DatabaseUnavailable, toUnavailable } from './database.ts';

export interface Failure<Item> {
  item: Item;
  error: unknown;
}

/**
 * Runs all items together. A failing batch is halved until the individual failing items are found, so the rest
 * succeed; order is kept. If the database is unavailable, which no item caused, the whole call fails.
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

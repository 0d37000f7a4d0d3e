// Group commit: items that arrive while one batch is being committed form the next batch. There is no timer, so batches
// grow only under load. A commit costs nearly the same for one item as for many, so a concurrent batch starts only when
// as many items wait as are in progress: under load the batches then alternate, each with about half of the outstanding
// items, and the database works on one while the next is being read.
import { DatabaseUnavailable } from './database.ts';

export interface GroupOptions<Item, Result> {
  maxSize: number;
  /** Maximum number of concurrent batches. */
  concurrency: number;
  /** Returns one result per item, in order. */
  run(batch: Item[]): Promise<Result[]>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export function createGroup<Item, Result>(options: GroupOptions<Item, Result>): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let itemsUnderWay = 0;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || waiting.length === 0 || running >= options.concurrency) return;
    if (waiting.length < itemsUnderWay) return;
    isScheduled = true;
    // Runs after all currently readable sockets have been read, so requests that arrive together commit together.
    setImmediate(() => {
      isScheduled = false;
      const batch = waiting.slice(0, options.maxSize);
      waiting = waiting.slice(options.maxSize);
      running += 1;
      itemsUnderWay += batch.length;
      void settle(batch).finally(() => {
        running -= 1;
        itemsUnderWay -= batch.length;
        schedule();
      });
      schedule();
    });
  }

  async function settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await options.run(batch.map((entry) => entry.item));
      if (results.length !== batch.length) throw new Error('a batch returned fewer results than it had items');
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      if (batch.length === 1 || error instanceof DatabaseUnavailable) {
        for (const entry of batch) entry.reject(error);
        return;
      }
      // One item that the database rejects must not fail the others. Halving a batch of two hundred with one bad item
      // costs sixteen extra commits; retrying one by one would cost two hundred.
      const middle = batch.length >> 1;
      await settle(batch.slice(0, middle));
      await settle(batch.slice(middle));
    }
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}

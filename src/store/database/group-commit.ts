// Group commit: what arrives while one batch is being committed becomes the next batch. Nobody waits on a timer;
// batches grow by themselves exactly when there is load. A commit costs nearly the same for one as for many, so beside
// a running batch another one starts only when as much waits as is under way: under load the batches then take turns, each
// about half of what is outstanding, and the database works on one while the next is being read.
import { DatabaseUnavailable } from './database.ts';

export interface GroupOptions<Item, Result> {
  maxSize: number;
  /** How many batches may be under way at once. */
  concurrency: number;
  /** Gives one result per item, in order. */
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
    // After the sockets that are readable now have been read: what arrived together is committed together.
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
      if (results.length !== batch.length) throw new Error('a batch gave fewer results than it had items');
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      if (batch.length === 1 || error instanceof DatabaseUnavailable) {
        for (const entry of batch) entry.reject(error);
        return;
      }
      // One item that the database refuses must not take the others down with it. Halved, two hundred with one such among
      // them cost sixteen more commits; one by one they would cost two hundred.
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
